/** Tells Node's adapter that the response was already sent. */
export const SENT_HEADER = 'x-hono-already-sent';

/** Returns the placeholder for a response that a handler has already sent through Node. */
export type SentAnswers = (status: number) => Response;

/**
 * One placeholder for each status, because making a web response costs as much as sending a small one. Callers must not
 * change the placeholders.
 */
export function createSentAnswers(): SentAnswers {
  const known = new Map<number, Response>();
  return (status) => {
    let answer = known.get(status);
    if (answer === undefined) {
      answer = new Response(null, { status, headers: { [SENT_HEADER]: 'true' } });
      known.set(status, answer);
    }
    return answer;
  };
}
