import type { Caller } from './approval.ts';
import type { ExecutionCode } from './execution.ts';
import type { SandboxTier } from './sandbox.ts';
import type { TrustLevel } from './trust.ts';

/** Why a run ended; the first reason wins. `refused`: it was not allowed to start. */
export type ExecutionEndReason = 'exit' | 'timeout' | 'cancelled' | 'refused' | 'not-started';

/** Written before anything starts. Plain JSON, secrets redacted. */
export interface ExecutionBeginning {
  readonly executionId: string;
  readonly kind: 'script' | 'tool';
  readonly skill: string;
  readonly version: string | null;
  /** Directory of the skill. */
  readonly baseDir: string;
  /** The script's path, or the tool's name. */
  readonly target: string;
  readonly args: unknown;
  readonly caller: Caller;
  readonly session: string | null;
  /** On whose behalf; `null` where nobody was named. */
  readonly tenant: string | null;
  readonly trust: TrustLevel;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** Written once for each beginning. Plain JSON, secrets redacted. */
export interface ExecutionEnding {
  readonly executionId: string;
  readonly reason: ExecutionEndReason;
  readonly success: boolean;
  readonly exitCode: number;
  readonly code: ExecutionCode | null;
  readonly error: string | null;
  /** Where it ran; `null` when it never did. */
  readonly tier: SandboxTier | null;
  readonly durationMs: number;
  /** What was kept of the output. */
  readonly stdout: string;
  readonly stderr: string;
  /** What was written in all, kept or not. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** What a tool answered; `null` for scripts and failures. */
  readonly value: unknown;
  readonly endedAt: string;
}

/** Keeps what was run. */
export interface Recorder {
  /** Awaited before anything starts: when it rejects, nothing runs. */
  begin(beginning: ExecutionBeginning): void | Promise<void>;
  /** What it throws is logged and changes nothing. */
  end(ending: ExecutionEnding): void | Promise<void>;
}
