import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../spec/approval.ts';
import { createPlainOutput } from '../output.ts';
import { approvalLines, readApproval } from './approval-prompt.ts';

const output = createPlainOutput({
  args: [],
  cwd: '/',
  env: {},
  stdout: { write: () => {} },
  stderr: { write: () => {} },
  isTty: false,
  isErrorTty: false,
  columns: undefined,
  home: '/',
  platform: 'linux',
});

const request: ApprovalRequest = {
  executionId: 'e',
  skill: 'kit',
  version: null,
  digest: 'd',
  kind: 'script',
  target: 'run.sh',
  args: ['--all'],
  trust: 'untrusted',
  tier: 'bubblewrap',
  network: true,
  session: null,
  signal: new AbortController().signal,
};

describe('the question before a run', () => {
  it('says what would run, with which arguments and isolation', () => {
    expect(approvalLines(output, request)).toEqual([
      '? Skill kit wants to run the script run.sh',
      '  with ["--all"]',
      '  untrusted skill, runs in bubblewrap, with the network',
    ]);
    expect(approvalLines(output, { ...request, args: {} })).toHaveLength(2);
  });

  it('shortens long arguments, and says by how much', () => {
    const lines = approvalLines(output, { ...request, args: { text: 'x'.repeat(1_000_000) } }).join(' ');
    expect(lines.length).toBeLessThan(3_000);
    expect(lines).toContain('… and 998,011 more characters, which are not shown');
  });

  it.each([
    ['y', 'once'],
    [' YES ', 'once'],
    ['c', 'conversation'],
    ['a', 'always'],
    ['n', 'deny'],
    ['', undefined],
    ['yy', undefined],
    ['constructor', undefined],
  ])('understands %j', (answer, expected) => {
    expect(readApproval(answer)).toBe(expected);
  });
});
