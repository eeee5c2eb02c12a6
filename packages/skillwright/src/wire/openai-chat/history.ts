import type { AssistantTurn, ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';
import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { acceptedEntries, type CallsWithin } from '../calls/accepted-calls.ts';
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
import { listValue, recordValue, textValue } from './response.ts';
import { type AnswerShape, orderAnswers, type TurnAnswers } from '../calls/result-order.ts';

/** Parts whose text is somebody's words; models' refusals come beside. */
const WORDS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Marks for the provider's cache, which clients move from one request to the next. */
const MARKS: ReadonlySet<string> = new Set(['cache_control']);

export function readChatHistory(history: readonly unknown[]): readonly HistoryTurn[] {
  return readTurns(history, readMessage);
}

export function canonicalChatTurn(turn: AssistantTurn): string {
  const pieces = assistantPieces(recordValue(turn.echo ?? messageOf(turn)));
  return canonicalText('assistant', withoutMadeUpIds(pieces, turn.id, 'call'));
}

export function chatEntries(turn: AssistantTurn, results: readonly ToolResult[]): readonly unknown[] {
  const message = turn.echo ?? messageOf(turn);
  return [isRecord(message) ? acceptedMessage(message, turn, results) : message, ...results.map(toolMessage)];
}

function acceptedMessage(message: WireBody, { calls }: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const entries = listValue(message.tool_calls);
  const accepted = acceptedEntries('openai-chat', { entries, calls, isCall: () => true, write: acceptedCall }, results);
  return accepted === entries ? message : { ...message, tool_calls: accepted };
}

const acceptedCall: CallsWithin['write'] = (given, { id }, rename) => {
  const key = isRecord(given.custom) ? 'custom' : 'function';
  const own = recordValue(given[key]);
  const name = rename(own.name);
  return given.id === id && own.name === name ? given : { ...given, id, [key]: { ...own, name } };
};

/** The messages of tools that come right after the turn are the client's answers. */
export function spliceChatResults(history: readonly unknown[], at: number, answers: TurnAnswers): readonly unknown[] {
  const end = endOfRun(history, at, isToolMessage);
  const given = history.slice(at, end).map((answer) => ({ callId: answeredId(recordValue(answer)), answer }));
  return [...history.slice(0, at), ...orderAnswers<unknown>(answers, given, ANSWERS), ...history.slice(end)];
}

const ANSWERS: AnswerShape<unknown> = {
  encode: toolMessage,
  rename: (message, id) => ({ ...recordValue(message), tool_call_id: id }),
};

/** What only the provider that said it can read. */
const ORIGIN: ReadonlySet<string> = new Set(['reasoning', 'reasoning_content', 'reasoning_details', 'audio']);

export function withoutChatOrigin(messages: readonly unknown[]): readonly unknown[] {
  return messages.map((message) => {
    if (!isRecord(message) || message.role !== 'assistant') return message;
    const kept = Object.fromEntries(Object.entries(message).filter(([key]) => !ORIGIN.has(key)));
    if (!Array.isArray(kept['tool_calls'])) return kept;
    const calls = kept['tool_calls'].map((call: unknown) => {
      const { extra_content: _, ...rest } = recordValue(call);
      return rest;
    });
    return { ...kept, tool_calls: calls };
  });
}

function isToolMessage(message: unknown): boolean {
  return isRecord(message) && message.role === 'tool';
}

function answeredId(message: WireBody): string {
  return textValue(message.tool_call_id) ?? '';
}

function readMessage(message: unknown): Saying | undefined {
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

/** Text, a refusal and calls. Reasoning, sound and all else come back or not, as a client likes. */
function assistantPieces(message: WireBody): readonly HistoryPiece[] {
  const { content } = message;
  const parts = listValue(content).filter(isRecord);
  const said = parts.map((part) => words(WORDS.has(part.type) ? part.text : part.refusal));
  const calls = listValue(message.tool_calls)
    .filter(isRecord)
    .map((call) => callPiece(call, textValue(call.id)));
  const legacy = isRecord(message.function_call) ? [callPiece({ function: message.function_call }, undefined)] : [];
  return [words(content), ...said, words(message.refusal), ...calls, ...legacy];
}

function callPiece(call: WireBody, id = ''): HistoryPiece {
  const isCustom = isRecord(call.custom);
  const own = recordValue(isCustom ? call.custom : call.function);
  const given = isCustom ? own.input : own.arguments;
  return { type: 'call', id, name: textValue(own.name) ?? '', arguments: canonicalArguments(given) };
}

function resultPiece(message: WireBody): HistoryPiece {
  const name = message.role === 'function' ? (textValue(message.name) ?? '') : '';
  return { type: 'result', id: answeredId(message), name, isError: false, content: contentPieces(message.content) };
}

/** The message of a turn that was not read by this format. */
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

function toolMessage({ callId, content }: ToolResult): WireBody {
  return { role: 'tool', tool_call_id: callId, content: content.map(resultText).join('\n') };
}

/** Tool messages are text: other things are named. */
function resultText(content: ToolContent): string {
  if (content.type === 'text') return content.text;
  return `[${content.type}, ${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes: cannot be shown here]`;
}
