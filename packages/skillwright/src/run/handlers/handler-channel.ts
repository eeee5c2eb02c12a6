import { jsonObject } from '../../parse/json/json-source.ts';
import type { ProgramOutput } from '../../spec/sandbox.ts';
import type { HandlerAnswer } from './handler-call.ts';

/** A worker's message, or how it violated the protocol. */
export type ChannelMessage =
  /** The worker has received the call, and may have run part of it. */
  | { readonly type: 'begun' }
  /** `spent`: an earlier call failed late, so the worker should not serve another. */
  | { readonly type: 'answer'; readonly answer: HandlerAnswer; readonly spent: boolean }
  | { readonly type: 'garbled' }
  | { readonly type: 'too-large' }
  | { readonly type: 'closed' };

export interface HandlerChannel {
  /** From now on, an answer to this call is expected; anything that arrives at other times is `garbled`. */
  expect(id: string, maxResultBytes: number): void;
}

/** Room for the fields around a value, and for the message and stack of a failure. */
const ENVELOPE_BYTES = 128;
const STORY_BYTES = 65_536;
/**
 * More deeply nested values, as input or result, break code that walks them; Python's JSON parser fails at about 1,000.
 */
export const MAX_DEPTH = 500;
const NEWLINE = 10;

/**
 * Reads a worker's channel, one JSON message per line. Nothing is trusted: after the first violation (`garbled`,
 * `too-large`, `closed`) the rest is dropped, and memory does not grow.
 */
export function readHandlerChannel(
  channel: ProgramOutput,
  listener: (message: ChannelMessage) => void,
): HandlerChannel {
  let expected: { id: string; maxResultBytes: number } | undefined;
  let pieces: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const finish = (type: 'garbled' | 'too-large' | 'closed'): void => {
    if (isOver) return;
    isOver = true;
    pieces = [];
    listener({ type });
  };
  const takeLine = (line: Buffer): void => {
    const message = expected === undefined ? undefined : readMessage(line, expected);
    if (message === undefined || message.type === 'too-large') return finish(message?.type ?? 'garbled');
    if (message.type === 'answer') expected = undefined;
    listener(message);
  };
  channel.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1 && !isOver; at = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, at)]);
      pieces = [];
      size = 0;
      rest = rest.subarray(at + 1);
      takeLine(line);
    }
    if (isOver || rest.length === 0) return;
    pieces.push(rest);
    size += rest.length;
    if (expected === undefined) finish('garbled');
    else if (size > expected.maxResultBytes + STORY_BYTES) finish('too-large');
  });
  channel.once('error', () => finish('closed'));
  channel.once('close', () => finish('closed'));
  return {
    expect(id, maxResultBytes) {
      expected = { id, maxResultBytes };
    },
  };
}

function readMessage(
  line: Buffer,
  expected: { readonly id: string; readonly maxResultBytes: number },
): Extract<ChannelMessage, { type: 'begun' | 'answer' | 'too-large' }> | undefined {
  if (line.length > expected.maxResultBytes + STORY_BYTES) return { type: 'too-large' };
  const text = line.toString();
  const message = jsonObject(text);
  if (message === undefined || message['id'] !== expected.id) return undefined;
  if (message['begun'] === true) return { type: 'begun' };
  const isValue = message['ok'] === true && 'value' in message;
  if (isValue && line.length > expected.maxResultBytes + ENVELOPE_BYTES) return { type: 'too-large' };
  const answer = isValue ? readValue(message['value'], text) : readFailure(message);
  return answer === undefined ? undefined : { type: 'answer', answer, spent: message['spent'] === true };
}

function readValue(value: unknown, text: string): HandlerAnswer {
  if (!isNestedDeeper(text, MAX_DEPTH)) return { ok: true, value };
  return { ok: false, kind: 'result', message: `it is nested more than ${MAX_DEPTH} levels deep` };
}

function readFailure({ ok, kind, message, stack }: Record<string, unknown>): HandlerAnswer | undefined {
  if (ok !== false || typeof message !== 'string' || (kind !== 'missing' && kind !== 'thrown' && kind !== 'result'))
    return undefined;
  return { ok: false, kind, message, ...(typeof stack === 'string' ? { stack } : {}) };
}

/** Whether brackets outside strings are nested deeper than `limit`. Skips texts that are too short for that. */
export function isNestedDeeper(text: string, limit: number): boolean {
  if (text.length < 2 * limit) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}
