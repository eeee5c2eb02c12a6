import type { WireBody } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import { isRecord, jsonText } from '../json/json-text.ts';
import { isMessage } from './text.ts';
import { callName, records, textOf } from './response.ts';
import { addRawUsage } from '../usage.ts';

/** What a client is shown of a response that was made for more tools than its own. */
interface ClientView {
  readonly isHidden: (toolName: string) => boolean;
  readonly clientBody?: WireBody | undefined;
}

/** What `include` must name for reasoning to come in a form that can be sent back. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/**
 * Whether reasoning must be asked for in a form that can be sent back: nothing is stored, the client did not ask itself,
 * and it set how the model reasons. Models that do not reason refuse the request, so it is never asked for on a guess.
 */
export function needsEncryptedReasoning(body: WireBody): boolean {
  const { include, reasoning, store } = body;
  if (store !== false || !isRecord(reasoning)) return false;
  const isAsked = Array.isArray(include) && include.includes(ENCRYPTED_REASONING);
  return !isAsked && Object.values(reasoning).some((value) => value !== null && value !== undefined);
}

/** Keeps items of several rounds apart, for servers that count their ids anew in each. */
export class ItemIds {
  readonly #rounds = new Map<string, number>();

  idOf(id: string, round: number): string {
    const first = this.#rounds.get(id) ?? round;
    this.#rounds.set(id, first);
    return first === round ? id : `${id}_${round}`;
  }
}

export function isHiddenItem(item: unknown, isHidden: (toolName: string) => boolean): boolean {
  return isRecord(item) && item.type === 'function_call' && isHidden(callName(item));
}

/** The item as the client sees it: the very same one, if nothing in it has to change. */
export function toClientItem(item: unknown, clientBody: WireBody | undefined, ids: ItemIds, round: number): unknown {
  if (!isRecord(item)) return item;
  const id = textOf(item.id);
  const shownId = id === undefined ? undefined : ids.idOf(id, round);
  const named = shownId === id ? item : { ...item, id: shownId };
  const strips =
    item.type === 'reasoning' && 'encrypted_content' in item && clientBody && needsEncryptedReasoning(clientBody);
  if (strips !== true) return named;
  const { encrypted_content: _, ...stripped } = named;
  return stripped;
}

/**
 * The response object with `changes` (those that are not `undefined`), and with the parts of the request that it repeats
 * as the client sent them. The very same object, if nothing has to change.
 */
export function toClient(response: WireBody, view: ClientView, changes: WireBody): WireBody {
  const wanted = Object.entries({ ...repeated(response, view), ...changes }).filter(
    ([key, value]) => value !== undefined && !isSame(value, response[key]),
  );
  if (wanted.length === 0) return response;
  const changed: WireBody = { ...response, ...Object.fromEntries(wanted) };
  if (typeof response.output_text !== 'string' || changed.output === response.output) return changed;
  return { ...changed, output_text: outputText(changed.output) };
}

/** What a response repeats of its request, as far as the client's differs. */
function repeated(response: WireBody, { clientBody, isHidden }: ClientView): WireBody {
  const tools = Array.isArray(response.tools)
    ? response.tools.filter((tool) => !(isRecord(tool) && tool.type === 'function' && isHidden(String(tool.name))))
    : undefined;
  const has = (key: string): boolean => clientBody !== undefined && Object.hasOwn(response, key);
  return {
    tools,
    instructions: has('instructions') ? (clientBody?.instructions ?? null) : undefined,
    previous_response_id: has('previous_response_id') ? (clientBody?.previous_response_id ?? null) : undefined,
    tool_choice: has('tool_choice') ? (clientBody?.tool_choice ?? undefined) : undefined,
  };
}

/** What a response repeats of a request, for showing it to the client again; `undefined` where none is stored. */
export function repeatedOf(body: WireBody): WireBody | undefined {
  const { instructions, previous_response_id: previous, tool_choice: choice, include, reasoning, store, text } = body;
  if (store === false) return undefined;
  return { instructions, previous_response_id: previous, tool_choice: choice, include, reasoning, text };
}

/** A list of items without calls of hidden tools and their outputs. */
export function visibleInput(list: WireBody, isHidden: (toolName: string) => boolean): WireBody {
  const items: readonly unknown[] = Array.isArray(list.data) ? list.data : [];
  const calls = items.filter((item) => isHiddenItem(item, isHidden));
  if (calls.length === 0) return list;
  const hidden = new Set(records(calls).map(({ call_id: id }) => id));
  const data = items.filter((item) => !(isRecord(item) && hidden.has(item.call_id)));
  const ids = records(data).map(({ id }) => textOf(id) ?? null);
  return { ...list, data, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null };
}

function isSame(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((item, index) => item === second[index]);
  const text = isRecord(first) ? jsonText(first) : undefined;
  return text !== undefined && text === jsonText(second);
}

/** OpenRouter puts all text of a response beside its items. */
function outputText(output: unknown): string {
  return records(output)
    .filter((item) => item.type === 'message')
    .flatMap((item) => records(item.content))
    .map((part) => (part.type === 'output_text' ? (textOf(part.text) ?? '') : ''))
    .join('');
}

/** One response out of several rounds': the last, with the first one's id, the visible items of all and their usage. */
export function mergeResponses(rounds: readonly WireRound[]): WireBody {
  const first = rounds[0];
  const last = rounds.at(-1);
  if (first === undefined || last === undefined) return {};
  const ids = new ItemIds();
  const output = rounds.flatMap(({ response, isHidden, clientBody, hidesText }, index) => {
    const items: readonly unknown[] = Array.isArray(response.output) ? response.output : [];
    const visible = items.filter((item) => !isHiddenItem(item, isHidden) && !(hidesText === true && isMessage(item)));
    return visible.map((item) => toClientItem(item, clientBody, ids, index + 1));
  });
  return toClient(last.response, last, {
    id: first.response.id,
    created_at: first.response.created_at,
    output: output.length > 0 || Array.isArray(last.response.output) ? output : undefined,
    usage: rounds.map((round) => round.response.usage).reduce((sum, usage) => addRawUsage(sum, usage), undefined),
  });
}
