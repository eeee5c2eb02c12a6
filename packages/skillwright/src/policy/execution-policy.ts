import type { Caller, ExecutionPolicy } from '../spec/approval.ts';
import type { TrustLevel } from '../spec/trust.ts';

/** What is to happen with a run: start it, ask a person first, or refuse it. */
export type ExecutionDecision = 'run' | 'ask' | 'refuse';

/** A person who asks for a run has approved it; a model's call is judged by the policy. */
export function decideExecution(policy: ExecutionPolicy, caller: Caller): ExecutionDecision {
  if (caller === 'user' || policy === 'auto') return 'run';
  return policy === 'hybrid' ? 'ask' : 'refuse';
}

/** If no policy is set, a person is asked before a model runs an untrusted skill. */
export function defaultExecutionPolicy(trust: TrustLevel): ExecutionPolicy {
  return trust === 'trusted' ? 'auto' : 'hybrid';
}
