/** Tells Node's adapter that it need not send anything. */
export const SENT_HEADER = 'x-hono-already-sent';

/** What a handler returns that has answered over Node's own response. */
export type SentAnswers = (status: number) => Response;

/** To make a web response costs as much as to send a small answer, so there is one for every status. Nobody may change it. */
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
