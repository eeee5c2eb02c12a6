import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { ExecutionCode } from '../../spec/execution.ts';
import { adviseRetry, type RetryAdvice, type RetryQuestion } from './retry.ts';

function advise(more: Partial<RetryQuestion>): RetryAdvice {
  return adviseRetry({
    tool: 'list_files',
    cause: { kind: 'other' },
    code: 'ExecutionFailed',
    error: 'It broke.',
    isIdempotent: false,
    failures: 1,
    maxRetries: 3,
    ...more,
  });
}

describe('advice on retrying in the same turn', () => {
  it('allows a retry when a parameter is missing', () => {
    proves('S3.retry.missing-param', 'S3.err.retry');
    expect(advise({ cause: { kind: 'missing-parameter', parameters: ['path'] } })).toEqual({
      isSafe: true,
      sentence: "Please call the tool again with the 'path' parameter.",
    });
    expect(advise({ cause: { kind: 'missing-parameter', parameters: ['a', 'b', 'c'] } }).sentence).toBe(
      "Please call the tool again with the 'a', 'b' and 'c' parameters.",
    );
  });

  it.each<RetryQuestion['cause']>([
    { kind: 'invalid-parameter', parameters: ['limit'], problem: 'it is not valid' },
    { kind: 'unreadable-arguments' },
    { kind: 'unknown-tool' },
  ])('allows a retry when nothing ran: $kind', (cause) => expect(advise({ cause }).isSafe).toBe(true));

  it.each<[ExecutionCode | undefined, boolean]>([
    ['SkillNotFound', true],
    ['ScriptNotFound', true],
    ['ScriptNotAllowed', true],
    ['InvalidArguments', true],
    ['ExecutionFailed', false],
    ['InvalidResult', false],
    [undefined, false],
    ['ExecutionTimeout', false],
    ['Cancelled', false],
    ['ToolRestricted', false],
    ['ApprovalRequired', false],
    ['ApprovalDenied', false],
    ['Disabled', false],
    ['SkillBlocked', false],
    ['RequirementsMissing', false],
  ])('after %s, retrying is safe: %s', (code, isSafe) => {
    proves('S3.retry.other');
    expect(advise({ code }).isSafe).toBe(isSafe);
  });

  it('allows a retry after a tool ran if the tool is idempotent or its error asks for a retry', () => {
    expect(advise({ isIdempotent: true }).isSafe).toBe(true);
    expect(advise({ error: 'The server is busy. Try again in a minute.' }).isSafe).toBe(true);
    expect(advise({ error: 'Please retry with another name.' }).isSafe).toBe(true);
  });

  it.each(['Do not retry.', "Don't try again.", 'It cannot be retried.', 'Never try it again'])(
    'forbids a retry if the error says %j',
    (error) => {
      expect(advise({ error }).isSafe).toBe(false);
    },
  );

  it('forbids a retry after a timeout, even if the tool is idempotent or its error asks for one', () => {
    expect(advise({ code: 'ExecutionTimeout', isIdempotent: true, error: 'Try again.' }).isSafe).toBe(false);
  });

  it('forbids a retry after the maximum number of failures', () => {
    const cause = { kind: 'missing-parameter', parameters: ['path'] } as const;
    expect(advise({ cause, failures: 3 }).isSafe).toBe(true);
    expect(advise({ cause, failures: 4 })).toEqual({
      isSafe: false,
      isStop: true,
      sentence:
        'Stop calling list_files: it failed 4 times in this turn. Try another way, or tell the user what you could not do.',
    });
    expect(advise({ cause: { kind: 'unknown-tool' }, failures: 1, maxRetries: 0 }).sentence).toContain(
      'Stop calling tools that do not exist: it failed once',
    );
  });
});
