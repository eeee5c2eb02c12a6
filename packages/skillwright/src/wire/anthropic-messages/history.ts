import type { AssistantTurn, ToolResult, WireBody } from '../../spec/wire.ts';
import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { acceptedEntries, type CallsWithin } from '../calls/accepted-calls.ts';
import { isSaid, toolResultBlock } from './results.ts';
import { callName, isCall, listOf, textOf } from './response.ts';
import { canonicalArguments } from '../json/canonical-json.ts';
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
import { orderAnswers, type TurnAnswers } from '../calls/result-order.ts';

/** Marks for the provider's cache, which clients move from one request to the next. */
const MARKS: ReadonlySet<string> = new Set(['cache_control']);

export function readMessagesHistory(history: readonly unknown[]): readonly HistoryTurn[] {
  return readTurns(history, readMessage);
}

export function canonicalMessagesTurn(turn: AssistantTurn): string {
  const pieces = contentPieces(contentOf(turn), modelPiece);
  return canonicalText('assistant', withoutMadeUpIds(pieces, turn.id, 'toolu'));
}

/**
 * Thinking goes back as it came, with its signatures: the provider checks them. Only text without a word is left out,
 * which the provider writes but does not take.
 */
export function messagesEntries(turn: AssistantTurn, results: readonly ToolResult[]): readonly unknown[] {
  const { calls } = turn;
  const entries = contentOf(turn).filter((block) => !isRecord(block) || isSaid(block));
  const said = acceptedEntries('anthropic-messages', { entries, calls, isCall, write: acceptedCall }, results);
  return [
    ...(said.length === 0 ? [] : [{ role: 'assistant', content: said }]),
    ...(results.length === 0 ? [] : [{ role: 'user', content: results.map(toolResultBlock) }]),
  ];
}

/**
 * All results stand first in the user's next message. Clients may send them in several, which the provider reads as one:
 * they are taken from all that follow each other.
 */
export function spliceMessagesResults(
  history: readonly unknown[],
  at: number,
  answers: TurnAnswers,
): readonly unknown[] {
  const end = endOfRun(history, at, isUser);
  const messages = history.slice(at, end).filter(isRecord);
  const given = messages
    .flatMap(({ content }) => listOf(content).filter(isResult))
    .map((answer) => ({ callId: textOf(answer.tool_use_id) ?? '', answer }));
  const results = orderAnswers(answers, given, {
    encode: toolResultBlock,
    rename: (block, id): WireBody => ({ ...block, tool_use_id: id }),
  });
  if (results.length === 0) return history;
  const [first, ...others] = messages;
  const next = { role: 'user', ...first, content: [...results, ...otherBlocks(first?.content)] };
  return [...history.slice(0, at), next, ...others.flatMap(withoutResults), ...history.slice(end)];
}

/** A message is not sent without content. */
function withoutResults(message: WireBody): readonly WireBody[] {
  if (!listOf(message.content).some(isResult)) return [message];
  const content = otherBlocks(message.content);
  return content.length === 0 ? [] : [{ ...message, content }];
}

const acceptedCall: CallsWithin['write'] = (block, { id }, rename) => {
  const name = rename(block.name);
  return block.id === id && block.name === name ? block : { ...block, id, name };
};

/** The content of a turn: its text alone for one that was not read by this format. */
function contentOf({ echo, text }: AssistantTurn): readonly unknown[] {
  return isRecord(echo) ? listOf(echo.content) : [{ type: 'text', text }];
}

function isUser(message: unknown): boolean {
  return isRecord(message) && message.role === 'user';
}

function isResult(block: unknown): block is WireBody {
  return isRecord(block) && block.type === 'tool_result';
}

/** What a message holds beside results. */
function otherBlocks(content: unknown): readonly unknown[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return blocks.filter((block) => !isResult(block) && (!isRecord(block) || isSaid(block)));
}

function readMessage(message: unknown): Saying | undefined {
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

/** Text and calls. Thinking and what the provider did itself come back or not, as a client likes. */
function modelPiece(block: WireBody): HistoryPiece | undefined {
  if (block.type === 'text') return words(block.text);
  if (block.type === 'tool_use') {
    const { id, input } = block;
    return { type: 'call', id: textOf(id) ?? '', name: callName(block), arguments: canonicalArguments(input) };
  }
  // What is compacted stands for the history before it.
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
