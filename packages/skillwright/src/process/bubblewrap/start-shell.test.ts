import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { gateCommand, type GateShell } from './start-shell.ts';

const SHOW = 'env; ls /proc/self/fd';
const CLEANER = { program: '/usr/bin/env', names: ['SHLVL', '_', 'OLDPWD'] };
const SHELLS: readonly GateShell[] = [
  { program: '/bin/sh', cleaner: CLEANER, setsLimits: false },
  { program: '/bin/bash', cleaner: CLEANER, setsLimits: false },
  { program: '/bin/dash', cleaner: undefined, setsLimits: false },
];

/** Comes to the gate, and is answered; without an answer, the host is gone. */
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
    it('lets a program in for an empty line, with its environment and without the gate', async () => {
      const { code, out, err } = await come(shell, '\n');
      expect([code, err]).toEqual([0, '']);
      const lines = out.trim().split('\n');
      expect(lines).toEqual(expect.arrayContaining(['HOME=/', 'why=kept', '0', '1', '2']));
      expect(lines).not.toContain('5');
      expect(lines.filter((line) => line.startsWith('skillwright'))).toEqual([]);
    });

    it('lets none in when there is something to say, or nobody to say it', async () => {
      expect(await come(shell, 'It is \\closed.\n')).toEqual({ code: 125, out: '', err: 'It is \\closed.\n' });
      expect(await come(shell, '')).toEqual({ code: 125, out: '', err: '' });
      expect(await come(shell, undefined)).toEqual({ code: 125, out: '', err: '' });
    });
  },
);

describe('the command of the gate', () => {
  it('takes away what the shell adds and what the program was not given', () => {
    const shell = { program: '/bin/sh', cleaner: CLEANER, setsLimits: false };
    expect(gateCommand(shell, 5, { SHLVL: '3' }).slice(4)).toEqual(['/usr/bin/env', '-u', '_', '-u', 'OLDPWD']);
    expect(gateCommand({ ...shell, cleaner: { ...CLEANER, names: [] } }, 5, {}).slice(4)).toEqual([]);
  });
});
