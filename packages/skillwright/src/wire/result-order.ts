import type { ToolCall, ToolResult } from '../spec/wire.ts';

/** An answer that the client gives, in a format's shape. */
export interface GivenAnswer<Answer> {
  readonly callId: string;
  readonly answer: Answer;
}

/** The answers of one turn of the model. */
export interface TurnAnswers {
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
}

/**
 * Answers in the order of the calls: ours, those of the client, and for calls that nobody answered a result that says
 * so, because providers refuse a history with a call that has none. What the client answers to calls it was never shown
 * is dropped; what it answers to nothing at all comes last, as it came.
 */
export function orderAnswers<Answer>(
  { calls, results }: TurnAnswers,
  given: readonly GivenAnswer<Answer>[],
  encode: (result: ToolResult) => Answer | undefined,
): readonly Answer[] {
  const ours = new Map(results.map((result) => [result.callId, result]));
  const firstOf = new Map(given.toReversed().map((answer) => [answer.callId, answer]));
  const used = new Set<GivenAnswer<Answer>>();
  const ordered = calls.flatMap((call) => {
    const own = ours.get(call.id);
    const theirs = firstOf.get(call.id);
    if (own === undefined && theirs !== undefined) {
      used.add(theirs);
      return [theirs.answer];
    }
    return [encode(own ?? unanswered(call))].filter((answer) => answer !== undefined);
  });
  const strays = given.filter((answer) => !used.has(answer) && !ours.has(answer.callId));
  return [...ordered, ...strays.map(({ answer }) => answer)];
}

function unanswered({ id, name }: ToolCall): ToolResult {
  const text = 'The client went on without answering this call.';
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}
