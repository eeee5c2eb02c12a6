import type { AssistantTurn, ToolResult, WireBody } from '../../spec/wire.ts';
import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { acceptedEntries, type CallsWithin } from '../calls/accepted-calls.ts';
import {
  canonicalText,
  type HistoryPiece,
  readTurns,
  type Saying,
  type Thing,
  thing,
  withoutMadeUpIds,
  words,
  type Words,
  lastWordsIn,
} from '../history/turns.ts';
import { canonicalArguments } from '../json/canonical-json.ts';
import { isRecord, listOf, textOf } from '../json/json-text.ts';
import { callName, isCall, isSaid } from './fields.ts';
import { isResult, resultBlock } from './results.ts';

/** Fields that mark content for the provider's prompt cache. Clients move these marks from one request to the next. */
const MARKS: ReadonlySet<string> = new Set(['cache_control']);

export function historyOf({ messages }: WireBody): readonly unknown[] | undefined {
  return Array.isArray(messages) ? messages : undefined;
}

export function lastWords(history: readonly unknown[]): string {
  return lastWordsIn(history, 'content');
}

export function readHistory(history: readonly unknown[]): readonly HistoryTurn[] {
  return readTurns(history, readEntry);
}

export function canonicalTurn(turn: AssistantTurn): string {
  const pieces = contentPieces(contentOf(turn), modelPiece);
  return canonicalText('assistant', withoutMadeUpIds(pieces, turn.id, 'toolu'));
}

/**
 * Adds a turn and its results to a request. The id of a container belongs in a field of the request, outside the
 * history.
 */
export function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const next = { ...body, messages: [...listOf(body.messages), ...historyEntries(turn, results)] };
  const container = isRecord(turn.echo) ? textOf(turn.echo.container) : undefined;
  return container === undefined ? next : { ...next, container: withContainer(body.container, container) };
}

/** A request names a container by its id, or by an object that also lists what to load there. */
function withContainer(own: unknown, id: string): unknown {
  return isRecord(own) ? { ...own, id } : id;
}

/**
 * Thinking is sent back unchanged with its signatures, because the provider checks them. Drops only blank text, which
 * the provider sends but does not accept.
 */
export function historyEntries(turn: AssistantTurn, results: readonly ToolResult[]): readonly unknown[] {
  const { calls } = turn;
  const entries = contentOf(turn).filter((block) => !isRecord(block) || isSaid(block));
  const said = acceptedEntries('anthropic-messages', { entries, calls, isCall, write: acceptedCall }, results);
  return [
    ...(said.length === 0 ? [] : [{ role: 'assistant', content: said }]),
    ...(results.length === 0 ? [] : [{ role: 'user', content: results.map(resultBlock) }]),
  ];
}

const acceptedCall: CallsWithin['write'] = (block, { id }, rename) => {
  const name = rename(block.name);
  return block.id === id && block.name === name ? block : { ...block, id, name };
};

/** Messages without thinking, because only the provider that signed the thinking accepts it. */
export function withoutOrigin(messages: readonly unknown[]): readonly unknown[] {
  return messages.flatMap((message) => {
    if (!isRecord(message) || !listOf(message.content).some((block) => isThinking(block))) return [message];
    const content = listOf(message.content).filter((block) => !isThinking(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Moves the last cache mark that the client set in a turn to the last block of the entries that replace the turn. */
export function keepMarks(messages: readonly unknown[], given: readonly unknown[]): readonly unknown[] {
  const blocks = given.flatMap((message) => (isRecord(message) ? listOf(message.content) : []));
  const mark = blocks.filter(isRecord).findLast((block) => isRecord(block.cache_control))?.cache_control;
  const place = messages.findLastIndex((message) => isRecord(message) && message.role === 'assistant');
  const message = messages[place];
  if (mark === undefined || !isRecord(message)) return messages;
  const content = listOf(message.content);
  const last = content.at(-1);
  if (!isRecord(last) || isThinking(last)) return messages;
  return messages.with(place, { ...message, content: [...content.slice(0, -1), { ...last, cache_control: mark }] });
}

/** The content of a turn. If the turn came from another format, only its text. */
function contentOf({ echo, text }: AssistantTurn): readonly unknown[] {
  return isRecord(echo) ? listOf(echo.content) : [{ type: 'text', text }];
}

function readEntry(message: unknown): Saying | undefined {
  if (!isRecord(message)) return undefined;
  const { role, content } = message;
  if (role === 'assistant') return { role, pieces: contentPieces(content, modelPiece) };
  return role === 'user' || role === 'system' ? { role, pieces: contentPieces(content, clientPiece) } : undefined;
}

function contentPieces(content: unknown, read: (block: WireBody) => HistoryPiece | undefined): readonly HistoryPiece[] {
  if (!Array.isArray(content)) return isRecord(content) ? [thing(content, MARKS)] : [words(content)];
  return content
    .map((block: unknown) => (isRecord(block) ? read(block) : thing(block)))
    .filter((piece) => piece !== undefined);
}

/**
 * The text or call in a block. Thinking and the provider's own tool use do not count, because clients may or may not
 * send them back.
 */
function modelPiece(block: WireBody): HistoryPiece | undefined {
  if (block.type === 'text') return words(block.text);
  if (block.type === 'tool_use') {
    const { id, input } = block;
    return { type: 'call', id: textOf(id) ?? '', name: callName(block), arguments: canonicalArguments(input) };
  }
  // A compaction replaces the history before it.
  return block.type === 'compaction' ? thing(block.content) : undefined;
}

function clientPiece(block: WireBody): HistoryPiece {
  if (!isResult(block)) return wordsOrThing(block);
  const { tool_use_id: id, content, is_error: isError } = block;
  return { type: 'result', id: textOf(id) ?? '', name: '', isError: isError === true, content: resultPieces(content) };
}

function resultPieces(content: unknown): readonly (Words | Thing)[] {
  return Array.isArray(content) ? content.map(wordsOrThing) : [isRecord(content) ? thing(content) : words(content)];
}

function wordsOrThing(block: unknown): Words | Thing {
  return isRecord(block) && block.type === 'text' ? words(block.text) : thing(block, MARKS);
}

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const SAID: ReadonlySet<unknown> = new Set(['text', 'tool_use']);

/**
 * Removes thinking from messages of the model that combine several rounds: the content between the rounds is missing,
 * and the provider accepts thinking only in its original place. A message with calls keeps the thinking that led to
 * them, and it comes first, as the provider requires. Returns all other messages unchanged.
 */
export function mendTurn(messages: readonly unknown[]): readonly unknown[] {
  const mended = messages.map((message) => (isRecord(message) && isOfSeveral(message) ? mend(message) : message));
  return mended.every((message, index) => message === messages[index]) ? messages : mended;
}

/**
 * Whether thinking in a message comes from several rounds: it follows text or calls. Tools that the provider runs may
 * come between the two. Adjacent thinking blocks may come from a single round, so they count only if the message has no
 * calls.
 */
function isOfSeveral({ content }: WireBody): boolean {
  const blocks = listOf(content);
  const hasCall = blocks.some(isCall);
  return blocks.some((block, index) => {
    const before = typeOf(blocks[index - 1]);
    const type = typeOf(block);
    if (!THINKING.has(type)) return false;
    return SAID.has(before) || (!hasCall && type === 'thinking' && before === 'thinking');
  });
}

function mend(message: WireBody): WireBody {
  const blocks = listOf(message.content);
  const others = blocks.filter((block) => !isThinking(block));
  const thinking = blocks.some(isCall) ? lastThinking(blocks) : [];
  return { ...message, content: [...thinking, ...others] };
}

function isThinking(block: unknown): boolean {
  return THINKING.has(typeOf(block));
}

/** The last run of thinking blocks. */
function lastThinking(blocks: readonly unknown[]): readonly unknown[] {
  const end = blocks.findLastIndex((block) => isThinking(block)) + 1;
  const start = blocks.slice(0, end).findLastIndex((block) => !isThinking(block)) + 1;
  return blocks.slice(start, end);
}

function typeOf(block: unknown): unknown {
  return isRecord(block) ? block.type : undefined;
}
