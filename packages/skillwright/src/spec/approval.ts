import type { SandboxTier } from './sandbox.ts';
import type { TrustLevel } from './trust.ts';

/** Who started a run: a model by a tool call, or a person or program by calling the library. */
export type Caller = 'model' | 'user';

/**
 * Who decides on a run. `auto`: the model may run it. `manual`: only explicit calls run it. `hybrid`: the model may
 * ask, and a person approves.
 */
export type ExecutionPolicy = 'auto' | 'manual' | 'hybrid';

export const EXECUTION_POLICIES: readonly ExecutionPolicy[] = ['auto', 'manual', 'hybrid'];

/** A run that waits for a person's approval. Plain JSON except `signal`. */
export interface ApprovalRequest {
  readonly executionId: string;
  readonly skill: string;
  readonly version: string | null;
  /** A digest of the skill's content: an approval with `always` applies only to this content. */
  readonly digest: string;
  readonly kind: 'script' | 'tool';
  /** The script's path, or the tool's name. */
  readonly target: string;
  /** The arguments of the script or the tool. */
  readonly args: unknown;
  readonly trust: TrustLevel;
  readonly tier: SandboxTier;
  readonly network: boolean;
  /** The conversation, if there is one. */
  readonly session: string | null;
  /** Aborts when the run is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * What a person allows. `once`: this run. `conversation`: this target for the rest of the session. `always`: this
 * target, as long as the skill's content stays the same.
 */
export type ApprovalAnswer = 'once' | 'conversation' | 'always' | 'deny';

/** Asks a person. If it throws, the run is denied. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;
