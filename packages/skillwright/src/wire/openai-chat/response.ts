import type { StopReason, Usage, WireBody } from '../../spec/wire.ts';
import { isRecord, jsonText, NESTED_TOO_DEEP, parseJson } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/** Fields of a message that hold reasoning as text. Several may say the same: the first one counts. */
export const REASONING_KEYS = ['reasoning_content', 'reasoning'] as const;

export function textValue(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function recordValue(value: unknown): WireBody {
  return isRecord(value) ? value : {};
}

export function listValue(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The answer itself. With `n` above 1 the others are nobody's business here. */
export function firstChoice(body: WireBody): WireBody | undefined {
  const choices = listValue(body.choices).filter(isRecord);
  return choices.find(({ index }) => index === 0) ?? choices.find(({ index }) => index === undefined);
}

/** The text of a message's or delta's content: text, or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = listValue(content).filter(isRecord);
  return parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

/** The reasoning in a message or delta, where the provider shows it. */
export function reasoningText(message: WireBody): string {
  for (const key of REASONING_KEYS) {
    const text = textValue(message[key]);
    if (text !== undefined) return text;
  }
  const details = listValue(message.reasoning_details).filter(isRecord);
  const shown = details.map(({ text, summary }) => textValue(text) ?? textValue(summary) ?? '').join('');
  if (shown !== '') return shown;
  const thoughts = listValue(message.content).filter(isRecord);
  return thoughts.map(({ type, thinking }) => (type === 'thinking' ? contentText(thinking) : '')).join('');
}

/** Why a model stopped. Many servers say `stop` after tool calls, and some say nothing. */
export function stopReason(finishReason: unknown, hasCalls: boolean, hasRefusal: boolean): StopReason {
  switch (finishReason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case 'error':
    case 'insufficient_system_resource':
      return 'error';
    default:
      if (hasCalls) return 'tool-calls';
      if (hasRefusal) return 'refusal';
      return finishReason === 'stop' ? 'end' : 'other';
  }
}

/** The usage a response or chunk tells; the last chunk that has one counts. */
export function usageOf(body: WireBody): Usage | undefined {
  const usage = rawUsage(body);
  if (usage === undefined) return undefined;
  const input = recordValue(usage.prompt_tokens_details);
  const output = recordValue(usage.completion_tokens_details);
  return {
    input: tokenCount(usage.prompt_tokens),
    output: tokenCount(usage.completion_tokens),
    cachedInput: tokenCount(input.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWrite: tokenCount(input.cache_write_tokens),
    reasoning: tokenCount(output.reasoning_tokens),
  };
}

export function rawUsage(body: WireBody): WireBody | undefined {
  return isRecord(body.usage) ? body.usage : undefined;
}

/** What an `error` says: an object with a message, a text, or whatever a server puts there. */
export function errorMessage(error: unknown): string {
  const message = isRecord(error) ? textValue(error.message) : textValue(error);
  return message ?? `The provider reported an error without a message: ${(jsonText(error) ?? '').slice(0, 200)}`;
}

/** Content as a list of parts. */
export function contentParts(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content !== 'string' || content === '' ? [] : [{ type: 'text', text: content }];
}

/** How long a text is as providers count it for citations: in characters, not in halves of them. */
export function textLength(text: string): number {
  let length = text.length;
  for (const [pair] of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) length -= pair.length - 1;
  return length;
}

/** Annotations of a text that comes after so many other characters. */
export function laterCitations(annotations: readonly unknown[], shift: number): readonly unknown[] {
  const moved = (place: unknown): unknown => (typeof place === 'number' ? place + shift : place);
  return annotations.map((annotation) => {
    const citation = isRecord(annotation) ? annotation.url_citation : undefined;
    if (!isRecord(annotation) || !isRecord(citation)) return annotation;
    const { start_index: start, end_index: end } = citation;
    return { ...annotation, url_citation: { ...citation, start_index: moved(start), end_index: moved(end) } };
  });
}

/** How much stands between the texts of two rounds. */
export function breakLength(before: string, next: string): number {
  const isApart = before === '' || next === '' || before.endsWith('\n\n') || next.startsWith('\n\n');
  return isApart ? 0 : 2;
}

/** Content of a round after text that ended like this: a blank line keeps the two apart, in its first text. */
export function afterBreak(before: string, content: unknown): unknown {
  const next = contentText(content);
  if (breakLength(before, next) === 0) return content;
  if (typeof content === 'string') return `\n\n${content}`;
  const parts = contentParts(content);
  const first = parts.findIndex((part) => contentText([part]) !== '');
  const part = recordValue(parts[first]);
  return parts.with(first, { ...part, text: `\n\n${contentText([part])}` });
}

/** A call's own part: functions have `arguments`, custom tools have `input`. */
export function callBody(call: WireBody): { readonly name: string | undefined; readonly text: string } {
  const own = isRecord(call.custom) ? call.custom : recordValue(call.function);
  const given = isRecord(call.custom) ? own.input : own.arguments;
  // Some servers give the arguments as they are meant, not as text.
  const isNone = given === undefined || given === null;
  const text = typeof given === 'string' ? given : isNone ? '' : (jsonText(given) ?? NESTED_TOO_DEEP);
  return { name: textValue(own.name), text };
}

/** A call as far as it has come in a stream. */
export interface StreamedCall {
  /** Its place among the calls of the answer. */
  readonly position: number;
  /** The provider's, once it gave one. */
  givenId: string | undefined;
  name: string;
  argumentsText: string;
}

/** How long arguments may be to be tried for completeness. */
const MAX_TRIED = 100_000;

/**
 * Finds the call that a part of one belongs to. Parts should have the call's `index`, and its first part the id; but
 * some servers leave the index out, and some number every call 0.
 */
export class CallTracker {
  readonly calls: StreamedCall[] = [];
  readonly #byIndex = new Map<number, StreamedCall>();

  /** Adds a part to its call. */
  take(part: WireBody): StreamedCall {
    const { name, text } = callBody(part);
    const id = textValue(part.id);
    const call = this.#find(part, { id, name, text }) ?? this.#open();
    if (typeof part.index === 'number') this.#byIndex.set(part.index, call);
    call.givenId ??= id;
    if (name !== undefined && !isNamed(call)) call.name = grownName(call.name, name);
    call.argumentsText += text;
    return call;
  }

  #open(): StreamedCall {
    const call = { position: this.calls.length, givenId: undefined, name: '', argumentsText: '' };
    this.calls.push(call);
    return call;
  }

  #find(part: WireBody, given: CallPart): StreamedCall | undefined {
    const call = this.#candidate(part.index, given.id);
    if (call === undefined || isAnother(call, given)) return undefined;
    // Only servers that number their calls are known to cut names.
    const isCut = given.name !== undefined && given.name !== call.name && call.name !== '';
    return isCut && typeof part.index !== 'number' ? undefined : call;
  }

  #candidate(index: unknown, id: string | undefined): StreamedCall | undefined {
    if (typeof index === 'number') return this.#byIndex.get(index);
    return id === undefined ? this.calls.at(-1) : this.calls.findLast(({ givenId }) => givenId === id);
  }
}

/** What a part of a call says. */
interface CallPart {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/** Whether the name of a call is all there. It may come in pieces too: only arguments show that it is over. */
export function isNamed(call: StreamedCall): boolean {
  return call.name !== '' && call.argumentsText !== '';
}

/** A name with the next piece of it. Some servers tell the whole name again. */
function grownName(name: string, piece: string): string {
  return piece.startsWith(name) ? piece : name + piece;
}

/** Whether a part begins another call than the one that had its index, or its id, last. */
function isAnother(call: StreamedCall, { id, name, text }: CallPart): boolean {
  if (name === undefined || call.name === '') return false;
  const isSameId = id !== undefined && id === call.givenId;
  if (id !== undefined && call.givenId !== undefined && !isSameId) return true;
  if (!isNamed(call)) return false;
  if (name !== call.name) return true;
  return isComplete(call.argumentsText) && !(isSameId && text === '');
}

function isComplete(text: string): boolean {
  return text.endsWith('}') && text.length <= MAX_TRIED && parseJson(text).ok;
}
