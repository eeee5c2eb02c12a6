import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endInit, readEnd, waitUntilEnded } from './end.ts';
import type { Gate } from './start-shell.ts';
import { startOf, type KnownProcess } from './init.ts';

const gateOf = (init: KnownProcess | undefined, closed: Promise<void> = Promise.resolve()): Gate => ({
  init: () => init,
  isReached: () => init !== undefined,
  closed,
});
const unwanted = (): Promise<void> => Promise.reject(new Error('There was nothing to sweep.'));

describe.runIf(process.platform === 'linux')('the end of a sandbox', () => {
  it('ends a first process that outlived bubblewrap', async () => {
    const atOnce = (gate: Gate): Promise<void> => Promise.resolve(endInit(gate));
    for (const end of [atOnce, (gate: Gate): Promise<void> => waitUntilEnded(gate, unwanted)]) {
      const child = spawn('sleep', ['86400'], { stdio: 'ignore' });
      const exit = once(child, 'exit');
      const pid = child.pid ?? 0;
      await end(gateOf({ pid, startedAt: startOf(pid) ?? '' }));
      expect((await exit)[1]).toBe('SIGKILL');
    }
  });

  it('ends nobody who has its number now', async () => {
    const child = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
    const exit = once(child, 'exit');
    const gate = gateOf({ pid: child.pid ?? 0, startedAt: '1' });
    endInit(gate);
    await waitUntilEnded(gate, unwanted);
    // A process that was sent SIGKILL writes nothing after that.
    child.stdin.write('alive');
    const answer = once(child.stdout, 'data').then(([data]) => String(data));
    expect(await Promise.race([answer, exit.then(() => 'ended')])).toBe('alive');
    child.kill('SIGKILL');
    await exit;
  });

  it('looks for the rest of one that never was ready, when somebody still holds its gate', async () => {
    let sweeps = 0;
    const sweep = (): Promise<void> => {
      sweeps += 1;
      return Promise.resolve();
    };
    await waitUntilEnded(gateOf(undefined), sweep);
    expect(sweeps).toBe(0);
    await waitUntilEnded(gateOf(undefined, new Promise(() => {})), sweep);
    expect(sweeps).toBe(1);
  });
});

describe('how a program ended', () => {
  it.each([
    [{ exitCode: 3, signal: null }, true, { exitCode: 3, signal: null }],
    [{ exitCode: 137, signal: null }, true, { exitCode: null, signal: 'SIGKILL' }],
    [{ exitCode: 255, signal: null }, true, { exitCode: 255, signal: null }],
    [{ exitCode: null, signal: 'SIGTERM' }, true, { exitCode: null, signal: 'SIGTERM' }],
    [{ exitCode: 1, signal: null }, false, { exitCode: null, signal: null }],
  ] as const)('%j, with a program: %j, is %j', (exit, reached, end) => {
    expect(readEnd(exit, reached)).toEqual(end);
  });
});
