import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { startOf } from './init.ts';
import { endLaunch, endOrphans, hostMark, markedEnvironment } from './orphans.ts';

const PROGRAM = '/usr/bin/sleep';
const started: ChildProcess[] = [];
const mark = hostMark();
const [namespace = '', pid = ''] = mark.split(':');

async function start(environment: Record<string, string>, program = 'sleep'): Promise<ChildProcess> {
  const child = spawn(program, program === 'sleep' ? ['86400'] : ['-f', '/dev/null'], {
    env: { PATH: '/usr/bin:/bin', ...environment },
    stdio: 'ignore',
  });
  started.push(child);
  await once(child, 'spawn');
  return child;
}

/** For each process, whether it still exists. */
function leftOf(children: readonly ChildProcess[]): boolean[] {
  return children.map((child) => startOf(child.pid ?? 0) !== undefined);
}

describe.runIf(process.platform === 'linux')('processes left by a killed host', () => {
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  it('are ended, and no other process is', async () => {
    const orphans = await Promise.all([
      start(markedEnvironment(`${namespace}:4194305:1`, 'a')),
      // The process with this number has another start time, so it is a different process.
      start(markedEnvironment(`${namespace}:${pid}:1`, 'b')),
    ]);
    const others = await Promise.all([
      start(markedEnvironment(mark, 'c')),
      start(markedEnvironment('1:4194305:1', 'd')),
      start(markedEnvironment('?:4194305:1', 'd')),
      start({ SKILL_EXECUTION_ID: 'a' }),
      start(markedEnvironment(`${namespace}:4194305:1`, 'a'), 'tail'),
    ]);
    await endOrphans(PROGRAM);
    expect(leftOf(orphans)).toEqual([false, false]);
    expect(leftOf(others)).toEqual([true, true, true, true, true]);
  });

  it('are distinguished from processes that this host launched', async () => {
    const children = await Promise.all(
      ['mine', 'other'].map((executionId) => start(markedEnvironment(mark, executionId))),
    );
    const foreign = await start(markedEnvironment(`${namespace}:${pid}:1`, 'mine'));
    await endLaunch(PROGRAM, mark, 'mine');
    expect(leftOf([...children, foreign])).toEqual([false, true, true]);
  });
});
