import type { AssistantTurn, ToolResult, WireBody } from '../../spec/wire.ts';
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
  words,
  type Words,
  lastWordsIn,
} from '../history/turns.ts';
import { canonicalArguments } from '../json/canonical-json.ts';
import { isRecord, listOf, recordOf, recordsOf, textOf } from '../json/json-text.ts';
import { answeredId, resultMessage } from './results.ts';

/** Parts with plain text. Refusals have a part type of their own. */
const WORDS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Fields that mark content for the provider's prompt cache. Clients move these marks from one request to the next. */
const MARKS: ReadonlySet<string> = new Set(['cache_control']);

/** Fields that only the provider that sent them can read. */
const ORIGIN: ReadonlySet<string> = new Set(['reasoning', 'reasoning_content', 'reasoning_details', 'audio']);

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
  const pieces = assistantPieces(recordOf(turn.echo ?? messageOf(turn)));
  return canonicalText('assistant', withoutMadeUpIds(pieces, turn.id, 'call'));
}

export function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  return { ...body, messages: [...listOf(body.messages), ...historyEntries(turn, results)] };
}

export function historyEntries(turn: AssistantTurn, results: readonly ToolResult[]): readonly unknown[] {
  const message = turn.echo ?? messageOf(turn);
  return [isRecord(message) ? acceptedMessage(message, turn, results) : message, ...results.map(resultMessage)];
}

function acceptedMessage(message: WireBody, { calls }: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const entries = listOf(message.tool_calls);
  const accepted = acceptedEntries('openai-chat', { entries, calls, isCall: () => true, write: acceptedCall }, results);
  return accepted === entries ? message : { ...message, tool_calls: accepted };
}

const acceptedCall: CallsWithin['write'] = (given, { id }, rename) => {
  const key = isRecord(given.custom) ? 'custom' : 'function';
  const own = recordOf(given[key]);
  const name = rename(own.name);
  return given.id === id && own.name === name ? given : { ...given, id, [key]: { ...own, name } };
};

export function withoutOrigin(messages: readonly unknown[]): readonly unknown[] {
  return messages.map((message) => {
    if (!isRecord(message) || message.role !== 'assistant') return message;
    const kept = Object.fromEntries(Object.entries(message).filter(([key]) => !ORIGIN.has(key)));
    if (!Array.isArray(kept['tool_calls'])) return kept;
    const calls = kept['tool_calls'].map((call: unknown) => {
      const { extra_content: _, ...rest } = recordOf(call);
      return rest;
    });
    return { ...kept, tool_calls: calls };
  });
}

/** The message for a turn that came from another format. */
function messageOf({ text, calls }: AssistantTurn): WireBody {
  const message = { role: 'assistant', content: text };
  if (calls.length === 0) return message;
  const made = calls.map(({ id, name, argumentsText }) => ({
    id,
    type: 'function',
    function: { name, arguments: argumentsText },
  }));
  return { ...message, tool_calls: made };
}

function readEntry(message: unknown): Saying | undefined {
  if (!isRecord(message)) return undefined;
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', pieces: contentPieces(message.content) };
    case 'user':
      return { role: 'user', pieces: contentPieces(message.content) };
    case 'assistant':
      return { role: 'assistant', pieces: assistantPieces(message) };
    case 'tool':
    case 'function':
      return { role: 'user', pieces: [resultPiece(message)] };
    default:
      return undefined;
  }
}

function contentPieces(content: unknown): readonly (Words | Thing)[] {
  if (!Array.isArray(content)) return isRecord(content) ? [thing(content, MARKS)] : [words(content)];
  return content.map((part: unknown) =>
    isRecord(part) && WORDS.has(part.type) ? words(part.text) : thing(part, MARKS),
  );
}

/**
 * Text, a refusal and calls. Reasoning, audio and other content do not count, because clients may or may not send them
 * back.
 */
function assistantPieces(message: WireBody): readonly HistoryPiece[] {
  const { content } = message;
  const parts = recordsOf(content);
  const said = parts.map((part) => words(WORDS.has(part.type) ? part.text : part.refusal));
  const calls = recordsOf(message.tool_calls).map((call) => callPiece(call, textOf(call.id)));
  const legacy = isRecord(message.function_call) ? [callPiece({ function: message.function_call }, undefined)] : [];
  return [words(content), ...said, words(message.refusal), ...calls, ...legacy];
}

function callPiece(call: WireBody, id = ''): HistoryPiece {
  const isCustom = isRecord(call.custom);
  const own = recordOf(isCustom ? call.custom : call.function);
  const given = isCustom ? own.input : own.arguments;
  return { type: 'call', id, name: textOf(own.name) ?? '', arguments: canonicalArguments(given) };
}

function resultPiece(message: WireBody): HistoryPiece {
  const name = message.role === 'function' ? (textOf(message.name) ?? '') : '';
  return { type: 'result', id: answeredId(message), name, isError: false, content: contentPieces(message.content) };
}
