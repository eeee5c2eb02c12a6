import { describe, expect, it } from 'vitest';
import type { TrustLevel } from '../../../spec/trust.ts';
import type { CliContext } from '../context.ts';
import { createLiveOutput, type LiveOutput, type OutputStream } from './live-output.ts';

interface Shown {
  readonly live: LiveOutput;
  readonly written: Record<OutputStream, string>;
  readonly abort: AbortController;
}

function openOutput(isTty: boolean, trust: TrustLevel, stdoutTo: OutputStream = 'stdout'): Shown {
  const written = { stdout: '', stderr: '' };
  const context: CliContext = {
    args: [],
    cwd: '/',
    env: {},
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
    isTty,
    isErrorTty: isTty,
    columns: undefined,
    home: '/home',
    platform: 'linux',
  };
  const abort = new AbortController();
  return { live: createLiveOutput(context, { trust, stdoutTo, signal: abort.signal }), written, abort };
}

const hostile = '\u001B]0;title\u0007\u001B[31mred\u001B[0m\u202E';

describe('live output', () => {
  it.each<[boolean, TrustLevel, string]>([
    [true, 'untrusted', 'red'],
    [true, 'trusted', hostile],
    [false, 'untrusted', hostile],
    [false, 'trusted', hostile],
  ])('is cleaned only for a terminal (terminal: %s, skill: %s)', (isTty, trust, expected) => {
    const { live, written } = openOutput(isTty, trust);
    live.show('stdout', hostile);
    live.show('stderr', hostile);
    expect(written).toEqual({ stdout: expected, stderr: expected });
  });

  it('goes to its destination until the destination is closed', () => {
    const { live, written, abort } = openOutput(false, 'trusted', 'stderr');
    live.show('stdout', 'a');
    live.show('stderr', 'b');
    abort.abort();
    live.show('stderr', 'c');
    expect(written).toEqual({ stdout: '', stderr: 'ab' });
  });

  it('knows whether the last line is unfinished', () => {
    const { live } = openOutput(false, 'trusted');
    live.show('stdout', 'half');
    expect(live.endsMidLine()).toBe(false);
    live.show('stderr', 'half');
    expect(live.endsMidLine()).toBe(true);
    live.show('stderr', ' a line\n');
    expect(live.endsMidLine()).toBe(false);
    const terminal = openOutput(true, 'trusted');
    terminal.live.show('stdout', 'half');
    expect(terminal.live.endsMidLine()).toBe(true);
  });
});
