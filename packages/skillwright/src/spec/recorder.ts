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
  /** The tenant; `null` if none was named. */
  readonly tenant: string | null;
  readonly trust: TrustLevel;
  /** The start time in ISO 8601. */
  readonly startedAt: string;
}

/** Written once for each start. Plain JSON, secrets redacted. */
export interface ExecutionEnding {
  readonly executionId: string;
  readonly reason: ExecutionEndReason;
  readonly success: boolean;
  readonly exitCode: number;
  readonly code: ExecutionCode | null;
  readonly error: string | null;
  /** The tier it ran in; `null` if it never ran. */
  readonly tier: SandboxTier | null;
  readonly durationMs: number;
  /** The part of the output that was kept. */
  readonly stdout: string;
  readonly stderr: string;
  /** The total size of the output, including the part that was not kept. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** The tool's result; `null` for scripts and failures. */
  readonly value: unknown;
  readonly endedAt: string;
}

/** Records runs. */
export interface Recorder {
  /** Awaited before anything starts: if it rejects, nothing runs. */
  begin(beginning: ExecutionBeginning): void | Promise<void>;
  /** Errors that it throws are logged and have no other effect. */
  end(ending: ExecutionEnding): void | Promise<void>;
}
