import { constants } from 'node:os';
import type { ErrorCode } from '../../../spec/errors/error-data.ts';
import type { ExecutionCode, SkillExecutionResult } from '../../../spec/execution.ts';
import type { ExecutionEndReason } from '../../../spec/recorder.ts';

const FAILED = 1;
const TIMED_OUT = 124;
const NOT_ALLOWED = 126;
/** For a program ended by a signal, shells report this number plus the signal's number. */
const SIGNALLED = 128;
const NOT_FOUND = 127;
const INTERRUPTED = 130;

const BY_CODE: Readonly<Record<Exclude<ExecutionCode, 'ExecutionFailed' | 'Cancelled'>, number>> = {
  ExecutionTimeout: TIMED_OUT,
  SkillNotFound: NOT_FOUND,
  SkillBlocked: NOT_ALLOWED,
  ScriptNotFound: NOT_FOUND,
  ToolNotFound: NOT_FOUND,
  RequirementsMissing: NOT_FOUND,
  ScriptNotAllowed: NOT_ALLOWED,
  ToolRestricted: NOT_ALLOWED,
  Disabled: NOT_ALLOWED,
  ApprovalRequired: NOT_ALLOWED,
  ApprovalDenied: NOT_ALLOWED,
  InvalidArguments: 2,
  InvalidResult: FAILED,
};

/** The exit code for a script: its own if it exited by itself, otherwise the code that shells and `timeout` use. */
export function exitCodeOfRun(
  { success, code, exitCode, signal }: SkillExecutionResult,
  reason: ExecutionEndReason | undefined,
  interruption: number | undefined,
): number {
  if (success) return 0;
  if (code === undefined) return FAILED;
  if (code === 'Cancelled') return interruption ?? INTERRUPTED;
  if (code !== 'ExecutionFailed') return BY_CODE[code];
  if (exitCode >= 1 && exitCode <= 255) return exitCode;
  if (signal !== undefined) return SIGNALLED + (constants.signals[signal as NodeJS.Signals] ?? 0);
  return reason === 'exit' ? FAILED : NOT_ALLOWED;
}

/** The exit code for a skill that cannot be used. */
export function exitCodeOfLookup(code: ErrorCode): number {
  if (code === 'SkillNotFound') return NOT_FOUND;
  return code === 'SkillRefused' || code === 'SkillBlocked' ? NOT_ALLOWED : FAILED;
}
