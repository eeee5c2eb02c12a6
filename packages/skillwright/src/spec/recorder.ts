import type { Caller } from './approval.ts';
import type { ExecutionCode } from './execution.ts';
import type { SandboxTier } from './sandbox.ts';
import type { TrustLevel } from './trust.ts';

/** Why a run ended. If there are several reasons, the first counts. `refused`: the run was not allowed to start. */
export type ExecutionEndReason = 'exit' | 'timeout' | 'cancelled' | 'refused' | 'not-started';

/** The record of a run that is about to start, as plain JSON with secrets redacted. */
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

/** The record of a run's end, written once for each run. Plain JSON with secrets redacted. */
export interface ExecutionEnding {
  readonly executionId: string;
  readonly reason: ExecutionEndReason;
  readonly success: boolean;
  readonly exitCode: number;
  readonly code: ExecutionCode | null;
  readonly error: string | null;
  /** The tier that the run used; `null` if nothing ran. */
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
  /** Called and awaited before anything starts. If it rejects, nothing runs. */
  begin(beginning: ExecutionBeginning): void | Promise<void>;
  /** Called at the end of a run. Errors that it throws are logged and have no other effect. */
  end(ending: ExecutionEnding): void | Promise<void>;
}
