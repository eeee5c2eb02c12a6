import type { ToolCall, ToolResult, WireBody, WireFormatName } from '../../spec/wire.ts';
import { madeCallId } from './call-ids.ts';
import { isRecord } from '../json/json-text.ts';
import { hashedName } from './tool-names.ts';

/**
 * Ids that providers accept. Many providers generate ids that another provider of the same format refuses, because of
 * their length or characters.
 */
const IDS: Readonly<Record<WireFormatName, RegExp>> = {
  'openai-chat': /^[\x21-\x7e]{1,40}$/,
  'openai-responses': /^[\x21-\x7e]{1,64}$/,
  'anthropic-messages': /^[a-zA-Z0-9_-]{1,256}$/,
  gemini: /^[\x21-\x7e]{1,256}$/,
};

/** Tool names that providers accept in a history. */
const NAMES: Readonly<Record<WireFormatName, RegExp>> = {
  'openai-chat': /^[a-zA-Z0-9_-]{1,64}$/,
  'openai-responses': /^[a-zA-Z0-9_-]{1,64}$/,
  'anthropic-messages': /^[a-zA-Z0-9_-]{1,128}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
};

/**
 * Gives every call an id that the provider accepts and that is not in `taken`, and adds the ids to `taken`: a single
 * bad id would make every request with this history fail. Returns the same array if no id has to change.
 */
export function claimCallIds(
  format: WireFormatName,
  calls: readonly ToolCall[],
  taken: Set<string>,
): readonly ToolCall[] {
  const prefix = format === 'anthropic-messages' ? 'toolu' : 'call';
  const claimed = calls.map((call) => {
    let { id } = call;
    for (let copy = 1; !IDS[format].test(id) || taken.has(id); copy += 1) id = madeCallId(prefix, `${call.id}_${copy}`);
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
  return claimed.every((call, place) => call === calls[place]) ? calls : claimed;
}

/**
 * A tool name that the provider accepts in a history. Models also call tools that were not offered, with names that
 * providers refuse.
 */
export function acceptedName(format: WireFormatName, name: string): string {
  return NAMES[format].test(name) ? name : hashedName(name, 0);
}

/** The positions of a turn's calls in the provider's output. */
export interface CallsWithin {
  readonly entries: readonly unknown[];
  /** The calls, in the order of the entries. */
  readonly calls: readonly ToolCall[];
  readonly isCall: (entry: WireBody) => boolean;
  /** Returns the entry with another id and another name. */
  readonly write: (entry: WireBody, call: Pick<ToolCall, 'id'>, rename: (own: unknown) => unknown) => WireBody;
}

/**
 * The provider's entries, with the ids that this library uses for their calls, and with accepted names for answered
 * calls. Returns the same objects if nothing has to change.
 */
export function acceptedEntries(
  format: WireFormatName,
  { entries, calls, isCall, write }: CallsWithin,
  results: readonly ToolResult[],
): readonly unknown[] {
  const answered = new Set(results.map(({ callId }) => callId));
  let position = -1;
  const accepted = entries.map((entry) => {
    if (!isRecord(entry) || !isCall(entry)) return entry;
    position += 1;
    const call = calls[position];
    if (call === undefined) return entry;
    const rename = (own: unknown): unknown =>
      answered.has(call.id) ? acceptedName(format, typeof own === 'string' ? own : '') : own;
    return write(entry, call, rename);
  });
  return accepted.every((entry, place) => entry === entries[place]) ? entries : accepted;
}
