import { randomUUID } from 'node:crypto';
import type { ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../spec/approval.ts';

/** How long a call waits for the user's answer. */
const MAX_WAIT_MS = 10 * 60_000;

/** How far a call got: it is over, or it waits for the user's answer. */
export type CallStep =
  | { readonly isOver: true; readonly outcome: ToolOutcome }
  | { readonly isOver: false; readonly request: ApprovalRequest; readonly state: string };

/** A call that can wait for the user. */
export interface AskingCall {
  /** Identifies the call: an answer counts only for a call with the same key. */
  readonly key: string;
  /** The id of the run that the call starts. */
  readonly executionId: string;
  readonly work: (approve: Approve, signal: AbortSignal) => Promise<ToolOutcome>;
}

/**
 * Calls that wait for the user's approval. The protocol answers such a request with a question, and the client sends
 * the request again with the user's answer: meanwhile the call waits here.
 */
export interface AskedCalls {
  /** Begins a call. */
  begin(call: AskingCall, signal: AbortSignal): Promise<CallStep>;
  /** The id of the run that a waiting call started; `undefined` if no such call waits. */
  executionOf(state: string, key: string): string | undefined;
  /** Passes the user's answer to a waiting call, and continues the call. */
  answer(state: string, answer: ApprovalAnswer, signal: AbortSignal): Promise<CallStep>;
}

interface Waiting {
  readonly call: AskingCall;
  readonly abort: AbortController;
  readonly outcome: Promise<ToolOutcome>;
  readonly decide: (answer: ApprovalAnswer) => void;
  /** Resolves at the next question. */
  readonly next: () => Promise<Question>;
}

interface Question {
  readonly request: ApprovalRequest;
  readonly decide: (answer: ApprovalAnswer) => void;
}

export function createAskedCalls(): AskedCalls {
  const waiting = new Map<string, Waiting>();

  const follow = async (run: Omit<Waiting, 'decide'>, signal: AbortSignal): Promise<CallStep> => {
    const stop = (): void => run.abort.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const asked = run.next().then((question) => ({ question }));
    const step = await Promise.race([run.outcome.then((outcome) => ({ outcome })), asked]);
    if ('outcome' in step) return { isOver: true, outcome: step.outcome };
    const { request, decide } = step.question;
    const state = randomUUID();
    waiting.set(state, { ...run, decide });
    const forget = (): void => void waiting.delete(state);
    // If nobody answers in time, the answer is no, so that the call ends and is forgotten.
    const timer = setTimeout(() => decide('deny'), MAX_WAIT_MS).unref();
    void run.outcome
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        forget();
      });
    return { isOver: false, request, state };
  };

  return {
    async begin(call, signal) {
      const abort = new AbortController();
      const questions = createQuestions();
      const outcome = call.work(questions.ask, abort.signal);
      // Prevents an unhandled rejection, because the outcome may be awaited only after the user has answered.
      outcome.catch(() => {});
      return follow({ call, abort, outcome, next: questions.next }, signal);
    },
    executionOf(state, key) {
      const found = waiting.get(state);
      return found?.call.key === key ? found.call.executionId : undefined;
    },
    async answer(state, answer, signal) {
      const found = waiting.get(state);
      if (found === undefined) throw new Error('The call does not wait for an answer.');
      waiting.delete(state);
      const step = follow(found, signal);
      found.decide(answer);
      return step;
    },
  };
}

/** Hands over questions one at a time: `ask` adds a question, and `next` waits for one. */
function createQuestions(): { readonly ask: Approve; readonly next: () => Promise<Question> } {
  const asked: Question[] = [];
  let tell: ((question: Question) => void) | undefined;
  return {
    ask: (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener('abort', () => resolve('deny'), { once: true });
        const question = { request, decide: resolve };
        if (tell === undefined) asked.push(question);
        else tell(question);
        tell = undefined;
      }),
    next: () =>
      new Promise((resolve) => {
        const question = asked.shift();
        if (question === undefined) tell = resolve;
        else resolve(question);
      }),
  };
}
