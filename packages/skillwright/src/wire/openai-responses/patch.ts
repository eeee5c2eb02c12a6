import type { WireBody } from '../../spec/wire.ts';
import { isRecord, jsonText, recordsOf, stringOf } from '../json/json-text.ts';
import { callName, needsEncryptedReasoning } from './fields.ts';

/** How a client sees a response to a request with more tools than its own. */
interface ClientView {
  readonly isHidden: (toolName: string) => boolean;
  readonly clientBody?: WireBody | undefined;
}

/** Keeps items of different rounds distinct, because some servers restart their ids in each round. */
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

/** The client's version of the item; the same object if nothing has to change. */
export function toClientItem(item: unknown, clientBody: WireBody | undefined, ids: ItemIds, round: number): unknown {
  if (!isRecord(item)) return item;
  const id = stringOf(item.id);
  const shownId = id === undefined ? undefined : ids.idOf(id, round);
  const named = shownId === id ? item : { ...item, id: shownId };
  const strips =
    item.type === 'reasoning' && 'encrypted_content' in item && clientBody && needsEncryptedReasoning(clientBody);
  if (strips !== true) return named;
  const { encrypted_content: _, ...stripped } = named;
  return stripped;
}

/**
 * The response object with those `changes` that are not `undefined`, and with the client's own values in the fields
 * that it repeats from the request. Returns the same object if nothing has to change.
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

/** The request fields that a response repeats, with the client's values. */
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

function isSame(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((item, index) => item === second[index]);
  const text = isRecord(first) ? jsonText(first) : undefined;
  return text !== undefined && text === jsonText(second);
}

/** The text of all items, which OpenRouter repeats in a field of the response. */
function outputText(output: unknown): string {
  return recordsOf(output)
    .filter((item) => item.type === 'message')
    .flatMap((item) => recordsOf(item.content))
    .map((part) => (part.type === 'output_text' ? (stringOf(part.text) ?? '') : ''))
    .join('');
}
