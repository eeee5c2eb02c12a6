import type { AssistantTurn, ToolCall, ToolResult, WireBody } from '../../spec/wire.ts';
import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { acceptedEntries, type CallsWithin } from '../calls/accepted-calls.ts';
import {
  canonicalText,
  type HistoryPiece,
  readTurns,
  type Saying,
  thing,
  type Thing,
  withoutMadeUpIds,
  type Words,
  words,
  lastWordsIn,
} from '../history/turns.ts';
import { canonicalArguments, canonicalJson } from '../json/canonical-json.ts';
import { isRecord, isGiven, recordsOf, stringOf } from '../json/json-text.ts';
import { callOf, inputItems, isFunctionCall } from './fields.ts';
import { callTypes, CUSTOM_CALL, outputId, resultItem } from './results.ts';
import type { EntryIds } from '../../spec/formats/proxy-format.ts';
import { isHiddenItem } from './patch.ts';

const ROLES: Readonly<Record<string, Saying['role']>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
};

const WORDS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text']);

/** Metadata that the provider adds to an item: clients may drop it. */
const LABELS: ReadonlySet<string> = new Set(['id', 'call_id', 'status', 'type', 'created_by']);

/** Items that replace the history before them. */
const COMPACTIONS: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary']);

/** Items with the same meaning at every provider: messages, calls, and their results. */
const EVERYWHERE: ReadonlySet<unknown> = new Set([
  undefined,
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

export function historyOf({ input }: WireBody): readonly unknown[] | undefined {
  return isKnownInput(input) ? inputItems(input) : undefined;
}

/** A request that continues from a stored response or prompt may have no input. */
function isKnownInput(input: unknown): boolean {
  return Array.isArray(input) || typeof input === 'string' || !isGiven(input);
}

export function lastWords(history: readonly unknown[]): string {
  return lastWordsIn(history, 'content');
}

export function readHistory(history: readonly unknown[]): readonly HistoryTurn[] {
  const hostedIds = new Set<string>();
  return readTurns(history, (item) => (isRecord(item) ? readEntry(item, hostedIds) : undefined));
}

/** If a stream was cut off, `text` may contain more than the items do. */
export function canonicalTurn({ id, text, echo }: AssistantTurn): string {
  const hostedIds = new Set<string>();
  const pieces = recordsOf(echo).flatMap((item) => readEntry(item, hostedIds)?.pieces ?? []);
  const others = pieces.filter(({ type }) => type !== 'words');
  return canonicalText('assistant', [words(text), ...withoutMadeUpIds(others, id, 'call')]);
}

export function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const entries = historyEntries(turn, results, body);
  // The provider's conversation already contains this request's input and the model's turn, so sending them again would
  // duplicate both.
  if (isGiven(body.conversation)) return { ...body, input: entries.slice(entries.length - results.length) };
  return { ...body, input: [...inputItems(body.input), ...entries] };
}

export function historyEntries(
  turn: AssistantTurn,
  results: readonly ToolResult[],
  body?: WireBody,
): readonly unknown[] {
  const { calls } = turn;
  const items = itemsOf(turn);
  const entries = body?.store === false ? items.filter((item) => !isReasoningInName(item)) : items;
  const within = { entries, calls, isCall, write: acceptedCall };
  const said = acceptedEntries('openai-responses', within, results);
  const types = callTypes(said);
  return [...said, ...results.map((result) => resultItem(result, types.get(result.callId) === CUSTOM_CALL))];
}

/** Whether reasoning consists only of an id. If nothing is stored, the provider refuses such reasoning. */
function isReasoningInName(item: unknown): boolean {
  if (!isRecord(item) || item.type !== 'reasoning') return false;
  const isWhole = [item.encrypted_content, item.signature].some((value) => typeof value === 'string' && value !== '');
  return !isWhole && recordsOf(item.content).length === 0;
}

/** The items of a turn. If the turn came from another format, only its text. */
function itemsOf({ echo, text }: AssistantTurn): readonly unknown[] {
  if (Array.isArray(echo)) return echo;
  return text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
}

function isCall(item: WireBody): boolean {
  return callOf(item).length > 0;
}

const acceptedCall: CallsWithin['write'] = (item, { id }, rename) => {
  if (!isFunctionCall(item)) return item;
  const name = rename(item.name);
  return item.call_id === id && item.name === name ? item : { ...item, call_id: id, name };
};

export function withoutOrigin(items: readonly unknown[]): readonly unknown[] {
  return items
    .filter((item): item is WireBody => isRecord(item) && EVERYWHERE.has(item.type))
    .map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'id')));
}

/** The content of an entry. `hostedIds` are the ids of calls that the provider answers itself, in separate items. */
function readEntry(item: WireBody, hostedIds: Set<string>): Saying | undefined {
  const { type, role } = item;
  if (type === 'message' || (type === undefined && role !== undefined)) return readMessage(item);
  if (typeof type !== 'string') return undefined;
  const answered = outputId(item);
  if (answered !== undefined && !hostedIds.has(answered)) {
    return { role: 'user', pieces: [resultPiece(item, answered)] };
  }
  const [call] = callOf(item);
  if (call === undefined && typeof item.call_id === 'string') hostedIds.add(item.call_id);
  return { role: 'assistant', pieces: call === undefined ? otherPieces(item) : [callPiece(item, call)] };
}

/**
 * The pieces of any other item. Reasoning and the provider's own tool use do not count, because clients may or may not
 * send them back.
 */
function otherPieces(item: WireBody): readonly HistoryPiece[] {
  if (item.type === 'item_reference') return [thing(item.id)];
  return COMPACTIONS.has(item.type) ? [thing(unlabelled(item))] : [];
}

function readMessage({ role, content }: WireBody): Saying | undefined {
  const party = typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (party === undefined) return undefined;
  if (party !== 'assistant') return { role: party, pieces: contentPieces(content) };
  const said = recordsOf(content).map((part) => words(WORDS.has(part.type) ? part.text : part.refusal));
  return { role: party, pieces: [words(content), ...said] };
}

function contentPieces(content: unknown): readonly (Words | Thing)[] {
  if (!Array.isArray(content)) return isRecord(content) ? [thing(content)] : [words(content)];
  return content.map((part: unknown) => (isRecord(part) && WORDS.has(part.type) ? words(part.text) : thing(part)));
}

function callPiece(item: WireBody, { id, name }: ToolCall): HistoryPiece {
  if (!isFunctionCall(item)) return { type: 'call', id, name, arguments: canonicalJson(unlabelled(item)) };
  const given = item.type === CUSTOM_CALL ? item.input : item.arguments;
  return { type: 'call', id, name, arguments: canonicalArguments(given) };
}

function resultPiece(item: WireBody, id: string): HistoryPiece {
  const isKnown = item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
  const content = isKnown ? contentPieces(item.output) : [thing(unlabelled(item))];
  return { type: 'result', id, name: '', isError: false, content };
}

function unlabelled(item: WireBody): WireBody {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !LABELS.has(key)));
}

const REASONING = 'reasoning';
const REFERENCE = 'item_reference';

export const entryIds: EntryIds = { idOf, isReference, shown, lost: lostReasoning };

/** The id of an item that is reasoning or a reference to an item. */
function idOf(item: unknown): string | undefined {
  return isRecord(item) && (item.type === REASONING || item.type === REFERENCE) ? stringOf(item.id) : undefined;
}

function isReference(item: unknown): boolean {
  return isRecord(item) && item.type === REFERENCE;
}

/** A turn's items by id. Keeps only the type of reasoning, because only its presence counts. */
function shown({ echo }: AssistantTurn): ReadonlyMap<string, unknown> {
  return new Map(
    recordsOf(echo).flatMap((item) => {
      const id = stringOf(item.id);
      return id === undefined ? [] : [[id, item.type === REASONING ? { type: REASONING } : item] as const];
    }),
  );
}

/** Ids of reasoning right before a hidden call, unless the same reasoning also led to a call of a client's tool. */
function lostReasoning({ echo }: AssistantTurn, isHidden: (toolName: string) => boolean): readonly string[] {
  const items = recordsOf(echo);
  return items.flatMap((item, place) => {
    const id = stringOf(item.id);
    if (item.type !== REASONING || id === undefined) return [];
    const rest = items.slice(place + 1);
    const from = rest.findIndex(({ type }) => type !== REASONING);
    const to = rest.findIndex(({ type }, index) => index > from && type === REASONING);
    const led = from === -1 ? [] : rest.slice(from, to === -1 ? undefined : to);
    const isLost =
      isHiddenItem(led[0], isHidden) && !led.some((one) => isFunctionCall(one) && !isHiddenItem(one, isHidden));
    return isLost ? [id] : [];
  });
}

export function mendTurn(items: readonly unknown[], lost: ReadonlySet<string>): readonly unknown[] {
  if (lost.size === 0) return items;
  const kept = items.filter((item) => !lost.has(idOf(item) ?? ''));
  return kept.length === items.length ? items : kept;
}
