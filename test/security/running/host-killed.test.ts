import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostMark, markedEnvironment } from '../../../packages/skillwright/src/process/bubblewrap/orphans.ts';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createBench, isAlive, isRoot, processesWith, until } from '../../conformance/sandbox/sandbox-setup.ts';
import { proves } from '../../proves.ts';

const SANDBOX = fileURLToPath(
  new URL('../../../packages/skillwright/src/process/bubblewrap/sandbox.ts', import.meta.url),
);
/** When the host is killed, in milliseconds after it began to launch. */
const MOMENTS = [0, 2, 5, 10, 15, 20, 25];
const LAUNCHES = 3;
const USER = 12_345;

describe('a host that is killed during a launch', () => {
  const bench = createBench('killed hosts', createBubblewrapSandbox());
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());

  /** Kills a host, and returns the marks of its programs. */
  async function killHost(moment: number, asUser: boolean): Promise<string> {
    const marker = `86400.${process.hrtime.bigint()}`;
    const launch = bench.launchOf({
      executionId: marker,
      program: '/bin/sh',
      args: ['-c', `sleep ${marker} & (setsid sleep ${marker} &) ; exec sleep ${marker}`],
      cwd: '/usr/share',
      skillDir: '/usr/bin',
      workspace: 'none',
    });
    const code = `
      import { createBubblewrapSandbox } from ${JSON.stringify(SANDBOX)};
      const sandbox = createBubblewrapSandbox();
      const { available } = await sandbox.probe();
      if (!available) process.exit(3);
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${moment});
      for (let count = 0; count < ${LAUNCHES}; count += 1) void sandbox.launch(${JSON.stringify(launch)});`;
    const host = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', code], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: 'ignore',
      ...(asUser ? { uid: USER, gid: USER } : {}),
    });
    const [exitCode, signal] = (await once(host, 'exit')) as [number | null, string | null];
    return signal === 'SIGKILL' ? marker : `not killed: ${exitCode}`;
  }

  it.for([
    ['this user', false],
    ['an ordinary user', true],
  ] as const)('leaves nothing running, for %s', async ([, asUser], { skip }) => {
    proves('S1.11.sandbox');
    skip(asUser && !isRoot, 'it can only be set up by root');
    skip(!(await bench.sandbox.probe()).available, 'the bubblewrap tier is not available here');
    const markers: string[] = [];
    for (const moment of MOMENTS) markers.push(await killHost(moment, asUser));
    skip(asUser && markers.includes('not killed: 1'), 'another user cannot read this directory');
    expect(markers.filter((marker) => marker.startsWith('not killed'))).toEqual([]);
    const left = (): number[] => markers.flatMap((marker) => processesWith(marker)).filter(isAlive);
    await until(() => left().every((pid) => nameOf(pid) === 'bwrap'), 'no program was left');
    // A process that the kill caught between two steps waits forever, until the next host ends it.
    await until(() => left().every((pid) => /eventfd|^0?$/.test(waitOf(pid))), 'nothing was left that goes on');
    await createBubblewrapSandbox().probe();
    expect(left()).toEqual([]);
  });

  it('may leave a process that waits forever: the next host ends it, and nothing else', async ({ skip }) => {
    skip(!(await bench.sandbox.probe()).available, 'the bubblewrap tier is not available here');
    const [namespace] = hostMark().split(':');
    const ids = { orphan: `orphan-${process.hrtime.bigint()}`, other: `other-${process.hrtime.bigint()}` };
    const marks = { orphan: `${namespace}:4194305:1`, other: hostMark() };
    const left = (name: keyof typeof ids): number[] => processesWith(ids[name]).filter(isAlive);
    for (const name of ['orphan', 'other'] as const) {
      // When nobody reads its status, bubblewrap ends, and its second process usually waits for it forever. The loop is for
      // the times when that process ends first.
      for (let tries = 0; tries < 20 && left(name).length === 0; tries += 1) {
        const args = ['--unshare-pid', '--ro-bind', '/', '/', '--json-status-fd', '4', 'true'];
        const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'] as const;
        const env = markedEnvironment(marks[name], ids[name]);
        const child = spawn('bwrap', args, { stdio: [...stdio], env: { PATH: '/usr/bin:/bin', ...env } });
        child.stdio[4]?.destroy();
        await once(child, 'exit');
      }
    }
    // Another host may have found the orphan by now; no other host may end a living host's process.
    expect(left('other')).toHaveLength(1);
    await createBubblewrapSandbox().probe();
    expect([left('orphan').length, left('other').length]).toEqual([0, 1]);
    for (const pid of left('other')) process.kill(pid, 'SIGKILL');
  });
});

function nameOf(pid: number): string {
  return read(pid, 'comm').trim();
}

/** The kernel function that a process waits in. */
function waitOf(pid: number): string {
  return read(pid, 'wchan').trim();
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
