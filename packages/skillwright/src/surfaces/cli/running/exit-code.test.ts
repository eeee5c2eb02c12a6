import { describe, expect, it } from 'vitest';
import type { ExecutionCode } from '../../../spec/execution.ts';
import type { ExecutionEndReason } from '../../../spec/recorder.ts';
import { exitCodeOfLookup, exitCodeOfRun } from './exit-code.ts';

const result = (exitCode: number, code?: ExecutionCode) => ({
  success: code === undefined,
  stdout: '',
  stderr: '',
  exitCode,
  ...(code === undefined ? {} : { code }),
  durationMs: 1,
  executionId: 'x',
});

describe('the exit code of a run', () => {
  it.each<[number, ExecutionCode | undefined, ExecutionEndReason, number | undefined, number]>([
    [0, undefined, 'exit', undefined, 0],
    [0, undefined, 'exit', 130, 0],
    [1, 'ExecutionFailed', 'exit', undefined, 1],
    [255, 'ExecutionFailed', 'exit', undefined, 255],
    [3_221_225_477, 'ExecutionFailed', 'exit', undefined, 1],
    [-1, 'ExecutionFailed', 'exit', undefined, 1],
    [-1, 'ExecutionFailed', 'not-started', undefined, 126],
    [-1, 'ExecutionFailed', 'refused', undefined, 126],
    [-1, 'ExecutionTimeout', 'timeout', undefined, 124],
    [-1, 'Cancelled', 'cancelled', undefined, 130],
    [-1, 'Cancelled', 'cancelled', 143, 143],
    [-1, 'ScriptNotFound', 'refused', undefined, 127],
    [-1, 'RequirementsMissing', 'refused', undefined, 127],
    [-1, 'ScriptNotAllowed', 'refused', undefined, 126],
    [-1, 'Disabled', 'refused', undefined, 126],
    [-1, 'SkillBlocked', 'cancelled', undefined, 126],
    [-1, 'InvalidArguments', 'refused', undefined, 2],
  ])(
    'for a program that exits with %i, error code %s, end %s and signal %s is %5$i',
    (exitCode, code, reason, interruption, expected) => {
      expect(exitCodeOfRun(result(exitCode, code), reason, interruption)).toBe(expected);
    },
  );

  it('distinguishes a missing skill from one that may not be used', () => {
    expect(exitCodeOfLookup('SkillNotFound')).toBe(127);
    expect(exitCodeOfLookup('SkillBlocked')).toBe(126);
    expect(exitCodeOfLookup('SkillRefused')).toBe(126);
    expect(exitCodeOfLookup('InvalidOptions')).toBe(1);
  });
});
