import type { AssistantTurn, ToolCall, ToolResult, WireBody } from '../../spec/wire.ts';
import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { acceptedEntries, type CallsWithin } from '../calls/accepted-calls.ts';
import { canonicalArguments, canonicalJson } from '../json/canonical-json.ts';
import {
  canonicalText,
  endOfRun,
  type HistoryPiece,
  readTurns,
  type Saying,
  type Thing,
  thing,
  type Words,
  withoutMadeUpIds,
  words,
} from '../history/turns.ts';
import { isRecord } from '../json/json-text.ts';
import { outputItem } from './results.ts';
import { callOf, isFunctionCall, records, textOf } from './response.ts';
import { orderAnswers, type TurnAnswers } from '../calls/result-order.ts';

const ROLES: Readonly<Record<string, Saying['role']>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
};

const WORDS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text']);

/** What the provider says of an item beside what it is: clients keep it or not. */
const LABELS: ReadonlySet<string> = new Set(['id', 'call_id', 'status', 'type', 'created_by']);

const FUNCTION_CALL = 'function_call';
const CUSTOM_CALL = 'custom_tool_call';

/** Items that stand for the history before them. */
const COMPACTIONS: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary']);

export function readResponsesHistory(history: readonly unknown[]): readonly HistoryTurn[] {
  const hostedIds = new Set<string>();
  return readTurns(history, (item) => (isRecord(item) ? readItem(item, hostedIds) : undefined));
}

/** The text may be ahead of the items, where a stream was cut. */
export function canonicalResponsesTurn({ id, text, echo }: AssistantTurn): string {
  const hostedIds = new Set<string>();
  const pieces = records(echo).flatMap((item) => readItem(item, hostedIds)?.pieces ?? []);
  const others = pieces.filter(({ type }) => type !== 'words');
  return canonicalText('assistant', [words(text), ...withoutMadeUpIds(others, id, 'call')]);
}

export function responsesEntries(
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
  return [...said, ...results.map((result) => outputItem(result, types.get(result.callId) === CUSTOM_CALL))];
}

/**
 * Outputs that come right after the turn are put in order with ours; those that stand further on are answers where they
 * are. Calls of the client's other tools, such as its computer, are left as they are: nobody can make their answers up.
 */
export function spliceResponsesResults(
  history: readonly unknown[],
  at: number,
  { calls, results }: TurnAnswers,
): readonly unknown[] {
  const end = endOfRun(history, at, (item) => outputId(item) !== undefined);
  const given = history.slice(at, end).map((answer) => ({ callId: outputId(answer) ?? '', answer }));
  const answeredLater = new Set(history.slice(end).map(outputId));
  const open = calls.filter(({ id }) => !answeredLater.has(id));
  const types = callTypes(history.slice(0, at));
  const encode = (result: ToolResult): unknown => {
    // The provider may hold the turn itself: then the history does not.
    const type = types.get(result.callId) ?? FUNCTION_CALL;
    return type === FUNCTION_CALL || type === CUSTOM_CALL ? outputItem(result, type === CUSTOM_CALL) : undefined;
  };
  const ordered = orderAnswers({ calls: open, results }, given, { encode, rename: toCall });
  return [...history.slice(0, at), ...ordered, ...history.slice(end)];
}

function toCall(item: unknown, id: string): unknown {
  return isRecord(item) ? { ...item, call_id: id } : item;
}

/** Reasoning of which only an id came: where nothing is stored, the provider refuses to be sent it. */
function isReasoningInName(item: unknown): boolean {
  if (!isRecord(item) || item.type !== 'reasoning') return false;
  const isWhole = [item.encrypted_content, item.signature].some((value) => typeof value === 'string' && value !== '');
  return !isWhole && records(item.content).length === 0;
}

/** The items of a turn: its text alone for one that was not read by this format. */
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

function callTypes(items: readonly unknown[]): ReadonlyMap<unknown, unknown> {
  return new Map(records(items).map(({ call_id: id, type }) => [id, type]));
}

/** The call that an item answers, if it answers any. */
function outputId(item: unknown): string | undefined {
  if (!isRecord(item) || typeof item.type !== 'string') return undefined;
  if (item.type === 'mcp_approval_response') return textOf(item.approval_request_id) ?? '';
  return item.type.endsWith('_output') ? (textOf(item.call_id) ?? textOf(item.id) ?? '') : undefined;
}

/** `hostedIds` are those of calls that the provider answers itself, in items of its own. */
function readItem(item: WireBody, hostedIds: Set<string>): Saying | undefined {
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

/** Reasoning and what the provider did itself come back or not, as a client likes. */
function otherPieces(item: WireBody): readonly HistoryPiece[] {
  if (item.type === 'item_reference') return [thing(item.id)];
  return COMPACTIONS.has(item.type) ? [thing(unlabelled(item))] : [];
}

function readMessage({ role, content }: WireBody): Saying | undefined {
  const party = typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (party === undefined) return undefined;
  if (party !== 'assistant') return { role: party, pieces: contentPieces(content) };
  const said = records(content).map((part) => words(WORDS.has(part.type) ? part.text : part.refusal));
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
