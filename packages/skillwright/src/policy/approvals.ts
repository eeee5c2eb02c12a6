import type { ApprovalAnswer, Caller, ExecutionPolicy, ApprovalRequest } from '../spec/approval.ts';
import type { TrustLevel } from '../spec/trust.ts';

/** The target of an approval, and the tenant that it belongs to. */
interface ApprovalSubject extends Pick<ApprovalRequest, 'skill' | 'digest' | 'kind' | 'target' | 'session'> {
  /** The tenant that the approval belongs to. */
  readonly tenant: string;
}

/** Approvals that last longer than one run. */
export interface Approvals {
  has(subject: ApprovalSubject): boolean;
  /** Stores the answer if it is `always`, or if it is `conversation` and the run belongs to a conversation. */
  remember(subject: ApprovalSubject, answer: ApprovalAnswer): void;
}

export function createApprovals(): Approvals {
  const always = new Set<string>();
  const bySession = new Map<string, Set<string>>();
  return {
    has(subject) {
      const key = keyOf(subject);
      return always.has(key) || (subject.session !== null && bySession.get(subject.session)?.has(key) === true);
    },
    remember(subject, answer) {
      if (answer === 'always') always.add(keyOf(subject));
      if (answer !== 'conversation' || subject.session === null) return;
      const kept = bySession.get(subject.session) ?? new Set<string>();
      bySession.set(subject.session, kept.add(keyOf(subject)));
    },
  };
}

function keyOf({ skill, digest, kind, target, tenant }: ApprovalSubject): string {
  return JSON.stringify([tenant, skill, digest, kind, target]);
}

/** What to do with a run: start it, ask a person first, or refuse it. */
type ExecutionDecision = 'run' | 'ask' | 'refuse';

/** A person who starts a run has approved it; the policy decides on a model's call. */
export function decideExecution(policy: ExecutionPolicy, caller: Caller): ExecutionDecision {
  if (caller === 'user' || policy === 'auto') return 'run';
  return policy === 'hybrid' ? 'ask' : 'refuse';
}

/** The default policy: a person is asked before a model runs an untrusted skill. */
export function defaultExecutionPolicy(trust: TrustLevel): ExecutionPolicy {
  return trust === 'trusted' ? 'auto' : 'hybrid';
}
