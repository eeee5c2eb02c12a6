import type { StopReason, Usage, WireBody } from '../spec/wire.ts';
import { isRecord, parseJson } from './json-text.ts';
import { tokenCount } from './usage.ts';

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
  return message ?? `The provider reported an error without a message: ${(JSON.stringify(error) ?? '').slice(0, 200)}`;
}

/** What stands between the texts of two rounds, so that they never glue together. */
export function roundBreak(before: string, next: string): string {
  return before === '' || next === '' || before.endsWith('\n\n') || next.startsWith('\n\n') ? '' : '\n\n';
}

/** A call's own part: functions have `arguments`, custom tools have `input`. */
export function callBody(call: WireBody): { readonly name: string | undefined; readonly text: string } {
  const own = isRecord(call.custom) ? call.custom : recordValue(call.function);
  const given = isRecord(call.custom) ? own.input : own.arguments;
  // Some servers give the arguments as they are meant, not as text.
  const text = typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given);
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
    const call = this.#find(part, id, name) ?? this.#open();
    if (typeof part.index === 'number') this.#byIndex.set(part.index, call);
    call.givenId ??= id;
    if (call.name === '' && name !== undefined) call.name = name;
    call.argumentsText += text;
    return call;
  }

  #open(): StreamedCall {
    const call = { position: this.calls.length, givenId: undefined, name: '', argumentsText: '' };
    this.calls.push(call);
    return call;
  }

  #find(part: WireBody, id: string | undefined, name: string | undefined): StreamedCall | undefined {
    if (typeof part.index === 'number') {
      const call = this.#byIndex.get(part.index);
      return call === undefined || isAnother(call, id, name) ? undefined : call;
    }
    if (id !== undefined) return this.calls.find(({ givenId }) => givenId === id);
    const last = this.calls.at(-1);
    return last === undefined || isAnother(last, id, name) ? undefined : last;
  }
}

/** Whether a part begins another call than the one that had its index last. */
function isAnother(call: StreamedCall, id: string | undefined, name: string | undefined): boolean {
  if (name === undefined || call.name === '') return false;
  if (id !== undefined && call.givenId !== undefined) return id !== call.givenId;
  return name !== call.name || isComplete(call.argumentsText);
}

function isComplete(text: string): boolean {
  return text.endsWith('}') && text.length <= MAX_TRIED && parseJson(text).ok;
}

/** Ids for the calls of an answer: the provider's, made up where it gave none, and never one of them twice. */
export class CallIds {
  readonly #taken = new Set<string>();

  claim(givenId: string | undefined, position: number, responseId: string | undefined): string {
    const wanted = givenId ?? `call_${responseId ?? 'none'}_${position}`;
    let id = wanted;
    for (let copy = 2; this.#taken.has(id); copy += 1) id = `${wanted}_${copy}`;
    this.#taken.add(id);
    return id;
  }
}
