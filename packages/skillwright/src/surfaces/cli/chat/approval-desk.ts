import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../spec/approval.ts';
import type { Output } from '../output.ts';
import { APPROVAL_PROMPT, approvalLines, readApproval } from './approval-question.ts';

/** Asks a question; `undefined` when nobody answers any more. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/**
 * Asks a person about runs, one after the other. What is no answer is asked again, and no answer is a no. `always` holds
 * for every conversation at this desk, for the same content of the skill.
 */
export function createApprovalDesk(options: {
  readonly output: Output;
  readonly ask: Ask;
  readonly pause: () => void;
}): Approve {
  const { output, ask, pause } = options;
  const always = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  const decide: Approve = async (request) => {
    if (request.signal.aborted) return 'deny';
    const subject = subjectOf(request);
    if (always.has(subject)) return 'always';
    pause();
    output.lines(approvalLines(output, request));
    for (;;) {
      const answer = await ask(APPROVAL_PROMPT, request.signal);
      if (answer === undefined || request.signal.aborted) return 'deny';
      const decision = readApproval(answer);
      if (decision === 'always') always.add(subject);
      if (decision !== undefined) return decision;
    }
  };

  return (request) => {
    const decided: Promise<ApprovalAnswer> = last.then(() => decide(request));
    last = decided.catch(() => {});
    return decided;
  };
}

function subjectOf({ skill, digest, kind, target }: ApprovalRequest): string {
  return JSON.stringify([skill, digest, kind, target]);
}
