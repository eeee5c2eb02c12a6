import type { ToolResult, WireBody } from '../../spec/wire.ts';
import { type AnswerShape, orderAnswers, type TurnAnswers, resultText } from '../calls/result-order.ts';
import { endOfRun } from '../history/turns.ts';
import { isRecord, recordOf, textOf } from '../json/json-text.ts';

/** The message that answers a call. It contains only text. */
export function resultMessage({ callId, content }: ToolResult): WireBody {
  return { role: 'tool', tool_call_id: callId, content: content.map(resultText).join('\n') };
}

/** Treats the tool messages right after the turn as the client's answers. */
export function spliceResults(history: readonly unknown[], at: number, answers: TurnAnswers): readonly unknown[] {
  const end = endOfRun(history, at, isToolMessage);
  const given = history.slice(at, end).map((answer) => ({ callId: answeredId(recordOf(answer)), answer }));
  return [...history.slice(0, at), ...orderAnswers<unknown>(answers, given, ANSWERS), ...history.slice(end)];
}

const ANSWERS: AnswerShape<unknown> = {
  encode: resultMessage,
  rename: (message, id) => ({ ...recordOf(message), tool_call_id: id }),
};

/** Accepts two spellings of the fields, because an OpenRouter client uses its own. */
export function dropResults(
  history: readonly unknown[],
  callIds: ReadonlySet<string>,
  note: string,
): readonly unknown[] {
  return history.map((message) => {
    if (!isRecord(message) || message.role !== 'tool') return message;
    const id = textOf(message.tool_call_id) ?? textOf(message.toolCallId);
    return id !== undefined && callIds.has(id) ? { ...message, content: note } : message;
  });
}

function isToolMessage(message: unknown): boolean {
  return isRecord(message) && message.role === 'tool';
}

export function answeredId(message: WireBody): string {
  return textOf(message.tool_call_id) ?? '';
}
