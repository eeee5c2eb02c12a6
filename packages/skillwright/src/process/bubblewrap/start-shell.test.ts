import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { gateCommand, type GateShell, endInit, readEnd, waitUntilEnded, type Gate } from './start-shell.ts';
import { startOf, type KnownProcess } from './init.ts';

const SHOW = 'env; ls /proc/self/fd';
const CLEANER = { program: '/usr/bin/env', names: ['SHLVL', '_', 'OLDPWD'] };
const SHELLS: readonly GateShell[] = [
  { program: '/bin/sh', cleaner: CLEANER, setsLimits: false },
  { program: '/bin/bash', cleaner: CLEANER, setsLimits: false },
  { program: '/bin/dash', cleaner: undefined, setsLimits: false },
];

/**
 * Waits until a command is at the gate, then sends an answer. Without an answer, closes the gate as if the host were
 * gone.
 */
async function come(
  shell: GateShell,
  answer: string | undefined,
): Promise<{ code: unknown; out: string; err: string }> {
  const env = { HOME: '/', why: 'kept', PWD: '/' };
  const args = [...gateCommand(shell, 5, env).slice(1), '/bin/sh', '-c', SHOW];
  const child = spawn(shell.program, args, {
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const { stdout, stderr } = child;
  const gate = (child.stdio as readonly unknown[])[5];
  if (!(gate instanceof Socket) || stdout === null || stderr === null) throw new Error('There are no pipes.');
  const said = Promise.all([text(stdout), text(stderr)]);
  await once(gate, 'data');
  if (answer === undefined) gate.destroy();
  else gate.end(answer);
  const [code] = (await ended) as [unknown];
  const [out, err] = await said;
  return { code, out, err };
}

describe.runIf(process.platform === 'linux').each(SHELLS.filter(({ program }) => existsSync(program)))(
  'the gate, held by $program',
  (shell) => {
    it('starts the program after an empty line, with its environment and without the gate', async () => {
      const { code, out, err } = await come(shell, '\n');
      expect([code, err]).toEqual([0, '']);
      const lines = out.trim().split('\n');
      expect(lines).toEqual(expect.arrayContaining(['HOME=/', 'why=kept', '0', '1', '2']));
      expect(lines).not.toContain('5');
      expect(lines.filter((line) => line.startsWith('skillwright'))).toEqual([]);
    });

    it('does not start the program if the host sends a message or is gone', async () => {
      expect(await come(shell, 'It is \\closed.\n')).toEqual({ code: 125, out: '', err: 'It is \\closed.\n' });
      expect(await come(shell, '')).toEqual({ code: 125, out: '', err: '' });
      expect(await come(shell, undefined)).toEqual({ code: 125, out: '', err: '' });
    });
  },
);

describe('gateCommand', () => {
  it('removes variables that the shell adds and the program was not given', () => {
    const shell = { program: '/bin/sh', cleaner: CLEANER, setsLimits: false };
    expect(gateCommand(shell, 5, { SHLVL: '3' }).slice(4)).toEqual(['/usr/bin/env', '-u', '_', '-u', 'OLDPWD']);
    expect(gateCommand({ ...shell, cleaner: { ...CLEANER, names: [] } }, 5, {}).slice(4)).toEqual([]);
  });
});

const gateOf = (init: KnownProcess | undefined, closed: Promise<void> = Promise.resolve()): Gate => ({
  init: () => init,
  isReached: () => init !== undefined,
  closed,
});
const unwanted = (): Promise<void> => Promise.reject(new Error('There was nothing to sweep.'));

describe.runIf(process.platform === 'linux')('the end of a sandbox', () => {
  it('kills a first process that outlives bubblewrap', async () => {
    const atOnce = (gate: Gate): Promise<void> => Promise.resolve(endInit(gate));
    for (const end of [atOnce, (gate: Gate): Promise<void> => waitUntilEnded(gate, unwanted)]) {
      const child = spawn('sleep', ['86400'], { stdio: 'ignore' });
      const exit = once(child, 'exit');
      const pid = child.pid ?? 0;
      await end(gateOf({ pid, startedAt: startOf(pid) ?? '' }));
      expect((await exit)[1]).toBe('SIGKILL');
    }
  });

  it('does not kill another process that has since received the same process id', async () => {
    const child = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
    const exit = once(child, 'exit');
    const gate = gateOf({ pid: child.pid ?? 0, startedAt: '1' });
    endInit(gate);
    await waitUntilEnded(gate, unwanted);
    // A process that got SIGKILL writes nothing after that.
    child.stdin.write('alive');
    const answer = once(child.stdout, 'data').then(([data]) => String(data));
    expect(await Promise.race([answer, exit.then(() => 'ended')])).toBe('alive');
    child.kill('SIGKILL');
    await exit;
  });

  it('includes a search for leftover processes if the sandbox never became ready and its gate is still open', async () => {
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

describe('readEnd', () => {
  it.each([
    [{ exitCode: 3, signal: null }, true, { exitCode: 3, signal: null }],
    [{ exitCode: 137, signal: null }, true, { exitCode: null, signal: 'SIGKILL' }],
    [{ exitCode: 255, signal: null }, true, { exitCode: 255, signal: null }],
    [{ exitCode: null, signal: 'SIGTERM' }, true, { exitCode: null, signal: 'SIGTERM' }],
    [{ exitCode: 1, signal: null }, false, { exitCode: null, signal: null }],
  ] as const)('reads %j, with the program started: %j, as %j', (exit, reached, end) => {
    expect(readEnd(exit, reached)).toEqual(end);
  });
});
