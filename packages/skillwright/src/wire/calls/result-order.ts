import type { ToolCall, ToolResult, ToolContent } from '../../spec/wire.ts';
import { isCopyOf } from './call-ids.ts';

/** An answer that the client sent, in a format's shape. */
export interface GivenAnswer<Answer> {
  readonly callId: string;
  readonly answer: Answer;
}

/** The answers of one turn of the model. */
export interface TurnAnswers {
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
}

/** How to write answers in a format. */
export interface AnswerShape<Answer> {
  /** Writes a result in the format's shape. */
  readonly encode: (result: ToolResult) => Answer | undefined;
  /** Returns a client's answer with another call id. */
  readonly rename: (answer: Answer, callId: string) => Answer;
}

/**
 * Returns all answers in the order of the calls: ours, the client's, and an error result for each unanswered call,
 * because providers refuse a history with an unanswered call. A client may give an id that several calls had, or no
 * known id: that answer belongs to the call that was renamed from this id, or else to the next unanswered call. Drops
 * answers to calls that the client was never shown. Answers that match no call come last, unchanged.
 */
export function orderAnswers<Answer>(
  { calls, results }: TurnAnswers,
  given: readonly GivenAnswer<Answer>[],
  { encode, rename }: AnswerShape<Answer>,
): readonly Answer[] {
  const ours = new Map(results.map((result) => [result.callId, result]));
  const theirs = calls.filter(({ id }) => !ours.has(id));
  const answered = new Map<string, Answer>();
  let left = given;
  const match = (fits: (answer: GivenAnswer<Answer>, call: ToolCall) => boolean): void => {
    for (const call of theirs) {
      const found = answered.has(call.id) ? undefined : left.find((answer) => fits(answer, call));
      if (found === undefined) continue;
      answered.set(call.id, found.callId === call.id ? found.answer : rename(found.answer, call.id));
      left = left.filter((answer) => answer !== found);
    }
  };
  const ids = new Set(calls.map(({ id }) => id));
  match(({ callId }, { id }) => callId === id);
  match(({ callId }, { id }) => isCopyOf(id, callId, calls.length));
  match(({ callId }) => !ids.has(callId));
  const ordered = calls.flatMap((call) => {
    const own = ours.get(call.id);
    const answer = own === undefined ? answered.get(call.id) : undefined;
    return [answer ?? encode(own ?? unanswered(call))].filter((one) => one !== undefined);
  });
  const strays = left.filter(({ callId }) => !ours.has(callId));
  return [...ordered, ...strays.map(({ answer }) => answer)];
}

function unanswered({ id, name }: ToolCall): ToolResult {
  const text = 'The client went on without answering this call.';
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}

/** A tool's result as text; other content is replaced by a description. */
export function resultText(content: ToolContent): string {
  if (content.type === 'text') return content.text;
  return `[${content.type}, ${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes: cannot be shown here]`;
}
