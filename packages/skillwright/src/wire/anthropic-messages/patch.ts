import type { WireBody, WireFrame } from '../../spec/wire.ts';
import { isRecord, jsonText, isGiven, listOf, textOf } from '../json/json-text.ts';
import { encodeFrame, withData } from '../stream/sse.ts';
import { addRawUsage, tokenCount } from '../usage.ts';

/** Matches the start of a frame's data up to the index of its block, as the provider writes it. */
const INDEX = /^(\s*\{\s*"type"\s*:\s*"content_block_(?:start|delta|stop)"\s*,\s*"index"\s*:\s*)\d+/;

/**
 * Fields that the end of a stream reports about the whole message. In the client's stream, they replace the values from
 * the start.
 */
const TOLD_AT_END = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
] as const;

/** A frame with its event, as the client gets it. */
export interface ShownFrame {
  readonly frame: WireFrame;
  readonly event: WireBody;
}

/** The frame with its block's index in the client's stream; `undefined` if it cannot be written. */
export function withIndex({ frame, event }: ShownFrame, place: number): ShownFrame | undefined {
  const placed = { ...event, index: place };
  const patched = INDEX.test(frame.data)
    ? frame.data.replace(INDEX, (_found, head: string) => `${head}${place}`)
    : jsonText(placed);
  return patched === undefined ? undefined : { frame: withData(frame, patched), event: placed };
}

/** The usage of two rounds. Lists of iterations are concatenated, because each iteration is a request to a model. */
export function addRounds(first: unknown, second: unknown): WireBody | undefined {
  const sum = addRawUsage(first, second);
  if (!isRecord(sum)) return undefined;
  const iterations = [first, second].flatMap((usage) => (isRecord(usage) ? listOf(usage.iterations) : []));
  return iterations.length === 0 ? sum : { ...sum, iterations };
}

/**
 * The usage at the end of a stream of several rounds: the fields that the provider sent there, and the counts that were
 * too small at the start.
 */
export function usageAtEnd(told: unknown, total: WireBody): WireBody {
  const own = isRecord(told) ? told : {};
  const missing = TOLD_AT_END.filter((key) => !Object.hasOwn(own, key) && isGiven(total[key]));
  return Object.fromEntries([...Object.keys(own), ...missing].map((key) => [key, total[key] ?? own[key]]));
}

/**
 * A `message_delta` event of our own. If the usage cannot be written as JSON, the event has only the fields that every
 * message has.
 */
export function ownDelta(stopReason: unknown, total: WireBody): ShownFrame {
  const delta = { stop_reason: textOf(stopReason) ?? null, stop_sequence: null };
  const event = { type: 'message_delta', delta, usage: usageAtEnd({ output_tokens: 0 }, total) };
  const usage = { output_tokens: tokenCount(total.output_tokens) };
  return ownFrame(jsonText(event) === undefined ? { ...event, usage } : event);
}

/** Creates a frame of our own. */
export function ownFrame(event: WireBody & { readonly type: string }): ShownFrame {
  return { frame: encodeFrame(JSON.stringify(event), event.type), event };
}
