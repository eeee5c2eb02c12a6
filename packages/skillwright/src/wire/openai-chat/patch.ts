import type { WireBody } from '../../spec/wire.ts';
import type { StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { isRecord, listOf, recordOf, textOf } from '../json/json-text.ts';
import { addRawUsage } from '../usage.ts';
import type { StreamedCall } from './calls.ts';
import { contentParts, contentText, rawUsage, REASONING_KEYS } from './fields.ts';

/** The position of a chunk: within a round, at the end of a round that another follows, or at the very end. */
export type Passage = 'open' | 'between' | 'last';

/** The fields that are the same in every chunk of a stream. */
const ENVELOPE = ['id', 'created', 'model'] as const;

/** Texts that continue in the next round and need a separator there. */
export const TEXTS: readonly string[] = ['content', ...REASONING_KEYS];

/**
 * Combines the chunks of several rounds into one stream: what the client saw of the first round stays unchanged, and
 * calls of hidden tools disappear. A chunk that needs no change is returned as the same object.
 */
export class RoundPatch {
  readonly #options: StreamWriterOptions;
  #isFirst = true;
  #envelope: WireBody = {};
  readonly #hasRole = new Set<unknown>();
  /**
   * The index of each visible call in the client's stream (`#numbers`), and the number of visible calls in each choice
   * (`#visible`).
   */
  #numbers = new Map<StreamedCall, number>();
  readonly #visible = new Map<unknown, number>();
  #seesCalls = false;
  #hidesCalls = false;
  #hasFinish = false;
  /** The last characters of each text: in the earlier rounds (`#before`), and in this round (`#ends`). */
  #before = new Map<string, string>();
  readonly #ends = new Map<string, string>();
  /**
   * How many characters of text the client has now (`#written`), and had when the round's text began (`#textBefore`).
   */
  #written = 0;
  #textBefore = 0;
  #firstDetail = 0;
  #details = 0;
  #usage: unknown;

  constructor(options: StreamWriterOptions) {
    this.#options = options;
  }

  /** `usage` is the total of all rounds so far. */
  nextRound(usage: unknown): void {
    this.#isFirst = false;
    this.#usage = usage;
    this.#before = new Map(this.#ends);
    this.#textBefore = this.#written;
    this.#firstDetail = this.#details;
    this.#numbers = new Map();
    this.#seesCalls = false;
    this.#hidesCalls = false;
    this.#hasFinish = false;
  }

  /** The fields that start every chunk of our own. */
  envelope(): WireBody {
    const { id = 'chatcmpl-skillwright', created = 0, model = '' } = this.#envelope;
    return { id, object: 'chat.completion.chunk', created, model };
  }

  /** Creates a last chunk, if the provider sent none and the stream does not consist of the provider's frames alone. */
  missingFinish(): WireBody | undefined {
    if (this.#hasFinish || (this.#isFirst && !this.#hidesCalls)) return undefined;
    const reason = this.#seesCalls ? 'tool_calls' : 'stop';
    return { ...this.envelope(), choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: reason }] };
  }

  /** The client's version of the chunk; `undefined` if nothing in it is for the client. */
  chunk(chunk: WireBody, calls: readonly StreamedCall[], passage: Passage): WireBody | undefined {
    const choices = listOf(chunk.choices);
    const queue = [...calls];
    const patched = choices.map((choice) => (isRecord(choice) ? this.#choice(choice, queue, passage) : choice));
    const usage = this.#usageOf(chunk, passage);
    const isSame = patched.every((choice, index) => choice === choices[index]) && usage === chunk.usage;
    const kept = patched.filter((choice, index) => choice === choices[index] || !this.#isIdle(choice));
    const isEmpty = kept.length === 0 && (choices.length > 0 || rawUsage(chunk) !== undefined) && !isRecord(usage);
    if (isEmpty) return undefined;
    for (const choice of kept) this.#note(choice);
    return this.#inEnvelope(isSame ? chunk : withUsage({ ...chunk, choices: kept }, usage));
  }

  #inEnvelope(chunk: WireBody): WireBody {
    if (!this.#isFirst && this.#envelope.id !== undefined) return { ...chunk, ...this.#envelope };
    if (this.#envelope.id === undefined && textOf(chunk.id) !== undefined)
      this.#envelope = Object.fromEntries(ENVELOPE.filter((key) => key in chunk).map((key) => [key, chunk[key]]));
    return chunk;
  }

  #usageOf(chunk: WireBody, passage: Passage): unknown {
    // If the request asks for usage, every chunk must have the field `usage`, even if it is `null`.
    if (rawUsage(chunk) === undefined) return this.#options.includesUsage ? chunk.usage : undefined;
    if (!this.#options.includesUsage || passage === 'between') return undefined;
    return this.#usage === undefined ? chunk.usage : addRawUsage(this.#usage, chunk.usage);
  }

  #choice(choice: WireBody, calls: StreamedCall[], passage: Passage): WireBody {
    const delta = isRecord(choice.delta) ? this.#delta(choice.delta, choice.index, calls, passage) : choice.delta;
    const finish = this.#finishReason(choice.finish_reason, passage);
    if (delta === choice.delta && finish === choice.finish_reason) return choice;
    return { ...choice, delta, ...(finish === choice.finish_reason ? {} : { finish_reason: finish }) };
  }

  #finishReason(given: unknown, passage: Passage): unknown {
    if (textOf(given) === undefined) return given;
    if (passage === 'between') return null;
    this.#hasFinish = true;
    return given === 'tool_calls' && this.#hidesCalls && !this.#seesCalls ? 'stop' : given;
  }

  #delta(given: WireBody, choice: unknown, calls: StreamedCall[], passage: Passage): WireBody {
    let delta = given;
    if (Array.isArray(given.tool_calls)) {
      // A call without a name is dropped if another round follows.
      const isHidden = (name: string): boolean =>
        (name === '' && passage === 'between') || this.#options.isHidden(name);
      delta = this.#visibleCalls(delta, choice, calls, isHidden);
    }
    if (this.#isFirst) return delta;
    if ('role' in delta && this.#hasRole.has(choice)) {
      const { role: _role, ...rest } = delta;
      delta = rest;
    }
    for (const key of TEXTS) delta = this.#separated(delta, key);
    if (Array.isArray(delta.annotations) && this.#textBefore > 0)
      delta = { ...delta, annotations: laterCitations(delta.annotations, this.#textBefore) };
    if (!Array.isArray(delta.reasoning_details) || this.#firstDetail === 0) return delta;
    const details = delta.reasoning_details.map((detail: unknown) =>
      isRecord(detail) && typeof detail.index === 'number'
        ? { ...detail, index: detail.index + this.#firstDetail }
        : detail,
    );
    return { ...delta, reasoning_details: details };
  }

  #visibleCalls(
    delta: WireBody,
    choice: unknown,
    calls: StreamedCall[],
    isHidden: (name: string) => boolean,
  ): WireBody {
    const parts = listOf(delta.tool_calls);
    const visible = parts.flatMap((part) => {
      if (!isRecord(part)) return [part];
      const call = calls.shift();
      if (call === undefined) return [part];
      if (isHidden(call.name)) {
        this.#hidesCalls = true;
        return [];
      }
      const index = this.#numberOf(call, choice);
      return [part.index === index ? part : { ...part, index }];
    });
    if (visible.length === parts.length && visible.every((part, index) => part === parts[index])) return delta;
    const { tool_calls: _calls, ...rest } = delta;
    return visible.length === 0 ? rest : { ...delta, tool_calls: visible };
  }

  #numberOf(call: StreamedCall, choice: unknown): number {
    this.#seesCalls = true;
    const known = this.#numbers.get(call);
    if (known !== undefined) return known;
    const number = this.#visible.get(choice) ?? 0;
    this.#visible.set(choice, number + 1);
    this.#numbers.set(call, number);
    return number;
  }

  /** The delta with a blank line before the round's first text, if earlier rounds had such text. */
  #separated(delta: WireBody, key: string): WireBody {
    const before = this.#before.get(key);
    if (before === undefined || contentText(delta[key]) === '') return delta;
    this.#before.delete(key);
    const separated = afterBreak(before, delta[key]);
    if (key === 'content') this.#textBefore += contentText(separated).length - contentText(delta[key]).length;
    return { ...delta, [key]: separated };
  }

  /** Whether a changed choice has nothing worth sending. */
  #isIdle(choice: unknown): boolean {
    if (!isRecord(choice) || textOf(choice.finish_reason) !== undefined) return false;
    const entries = isRecord(choice.delta) ? Object.entries(choice.delta) : [];
    return entries.every(([key, value]) =>
      key === 'role' ? this.#hasRole.has(choice.index) : value === null || value === '' || isEmptyList(value),
    );
  }

  /** Remembers what the client got. */
  #note(choice: unknown): void {
    if (!isRecord(choice) || !isRecord(choice.delta)) return;
    const { delta, index } = choice;
    if (textOf(delta.role) !== undefined) this.#hasRole.add(index);
    for (const key of TEXTS) {
      const text = contentText(delta[key]);
      if (key === 'content') this.#written += textLength(text);
      if (text !== '')
        this.#ends.set(key, text.length > 1 ? text.slice(-2) : (this.#ends.get(key) ?? '').slice(-1) + text);
    }
    for (const detail of listOf(delta.reasoning_details))
      if (isRecord(detail) && typeof detail.index === 'number')
        this.#details = Math.max(this.#details, detail.index + 1);
  }
}

function withUsage(chunk: WireBody, usage: unknown): WireBody {
  if (!('usage' in chunk) || chunk.usage === usage) return chunk;
  const { usage: _usage, ...rest } = chunk;
  return usage === undefined ? rest : { ...chunk, usage };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A round's content after text that ended with `before`. A blank line in its first text separates the two. */
export function afterBreak(before: string, content: unknown): unknown {
  const next = contentText(content);
  if (breakLength(before, next) === 0) return content;
  if (typeof content === 'string') return `\n\n${content}`;
  const parts = contentParts(content);
  const first = parts.findIndex((part) => contentText([part]) !== '');
  const part = recordOf(parts[first]);
  return parts.with(first, { ...part, text: `\n\n${contentText([part])}` });
}

/** The length of the separator between the texts of two rounds. */
export function breakLength(before: string, next: string): number {
  const isApart = before === '' || next === '' || before.endsWith('\n\n') || next.startsWith('\n\n');
  return isApart ? 0 : 2;
}

/** Annotations with their positions moved by `shift` characters of earlier text. */
export function laterCitations(annotations: readonly unknown[], shift: number): readonly unknown[] {
  const moved = (place: unknown): unknown => (typeof place === 'number' ? place + shift : place);
  return annotations.map((annotation) => {
    const citation = isRecord(annotation) ? annotation.url_citation : undefined;
    if (!isRecord(annotation) || !isRecord(citation)) return annotation;
    const { start_index: start, end_index: end } = citation;
    return { ...annotation, url_citation: { ...citation, start_index: moved(start), end_index: moved(end) } };
  });
}

/** A text's length as providers count it for citations: in code points, not in UTF-16 code units. */
export function textLength(text: string): number {
  let length = text.length;
  for (const [pair] of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) length -= pair.length - 1;
  return length;
}
