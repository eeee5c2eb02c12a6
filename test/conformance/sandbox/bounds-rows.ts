import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { isAlive, processesWith, until, type SandboxBench } from './sandbox-setup.ts';
import { HOARD, LITTER, SHARING, WAYS_TO_HOARD } from './hoarding.ts';

const MEBIBYTE = 2 ** 20;
const PYTHON = '/usr/bin/python3';
const noPython: string | undefined = existsSync(PYTHON) ? undefined : `this host has no ${PYTHON}`;

/** Programs that take as many resources as they can. */
export function describeBounds({ traits, row, hostRow, run, node, shell, workspace }: SandboxBench): void {
  const limited = (limits: Partial<SandboxLimits>): { limits: SandboxLimits } => ({
    limits: { ...DEFAULT_SANDBOX_LIMITS, ...limits },
  });

  it(
    'ends a fork bomb with all its processes',
    row(['boundsProcesses', 'killsTree'], async () => {
      const marker = `86400.${process.hrtime.bigint()}`;
      const abort = new AbortController();
      const flood = `(while :; do sleep ${marker} & done) 2>/dev/null; exec sleep ${marker}`;
      const bomb = `bomb() { bomb | bomb & bomb; }; (bomb) >/dev/null 2>&1 & exec sleep ${marker}`;
      const launch = { ...limited({ processes: 40 }), workspace: 'none' } as const;
      expect((await shell(bomb, { timeoutMs: 500, launch })).reason).toBe('timeout');
      expect(processesWith(marker).filter(isAlive)).toEqual([]);
      const running = shell(flood, { signal: abort.signal, launch });
      await until(() => processesWith(marker).length > 30, 'more than 30 were started');
      for (let look = 0; look < 10; look += 1) {
        // The limit, plus the processes of bubblewrap itself.
        expect(processesWith(marker).length).toBeLessThan(50);
        await pause(20);
      }
      abort.abort();
      expect((await running).reason).toBe('cancelled');
      expect(processesWith(marker).filter(isAlive)).toEqual([]);
      expect(await shell('sleep 0.01 & wait; echo fine')).toMatchObject({ exitCode: 0 });
    }),
  );

  it(
    'counts the processes of each run separately',
    row(['boundsProcesses'], async () => {
      const launch = { ...limited({ processes: 20 }), workspace: 'none' } as const;
      const outcomes = await Promise.all(
        Array.from({ length: 4 }, () =>
          shell('for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5 & done; wait; echo fine', { launch }),
        ),
      );
      expect(outcomes.map(({ stdout, stderr }) => stdout.text + stderr.text)).toEqual(Array(4).fill('fine\n'));
    }),
  );

  it(
    'ends a program that exceeds its memory limit, and no other program',
    row(['boundsMemory'], async () => {
      const launch = limited({ memoryBytes: 512 * MEBIBYTE });
      // Either its allocations fail or it is ended. Before that, it has reported how much memory it holds.
      const hog = `const kept = []; try { for (;;) require('fs').writeSync(1, kept.push(Buffer.alloc(${16 * MEBIBYTE}, 1)) + '\\n') } catch {}`;
      const taken = Number((await node(hog, { launch })).stdout.text.trim().split('\n').at(-1)) * 16;
      expect(taken).toBeGreaterThan(128);
      expect(taken).toBeLessThan(560);
      const small = limited({ memoryBytes: 128 * MEBIBYTE });
      const heap = await node('const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length))', {
        launch: small,
        timeoutMs: 25_000,
      });
      expect(heap.reason).toBe('exit');
      expect(heap.exitCode).not.toBe(0);
      expect(await node('console.log(Buffer.alloc(1e8).length)', { launch })).toMatchObject({ exitCode: 0 });
    }),
  );

  const hoard = async (way: string, most = 512): Promise<string> => {
    const launch = { ...limited({ memoryBytes: 96 * MEBIBYTE }), workspace: 'none', program: PYTHON } as const;
    const { reason, stdout } = await run({ launch: { ...launch, args: ['-c', HOARD, way, String(most)] } });
    return `${way} ${reason} ${stdout.text}`;
  };
  // The processes are ended or refused memory: none of them can hold all that it requests.
  const bounded = /^\S+ exit (?:refused.*\n)?$/;
  for (const ways of [WAYS_TO_HOARD.slice(0, 4), WAYS_TO_HOARD.slice(4, 9), WAYS_TO_HOARD.slice(9)])
    it(
      `lets no program hold more memory than its limit by ${ways.join(', ')}`,
      hostRow(['boundsMemory'], noPython, async () => {
        for (const told of await Promise.all(ways.map((way) => hoard(way)))) expect(told).toMatch(bounded);
      }),
    );

  it(
    'lets a few sockets hold no more memory than a low limit',
    hostRow(['boundsMemory'], noPython, async () => {
      // About 700 sockets.
      expect(await hoard('sockets', 150)).toMatch(bounded);
    }),
  );

  it(
    'lets no program hold more memory than its limit by netlink, inotify',
    hostRow(
      ['boundsMemory'],
      noPython ?? (traits.hasOwnSystem ? 'container engines use their own filter' : undefined),
      async () => {
        const told = [await hoard('netlink'), await hoard('inotify')];
        for (const line of told) expect(line).toMatch(/^\S+ exit refused/);
      },
    ),
  );

  const isVersionOne = !existsSync('/sys/fs/cgroup/cgroup.controllers');
  const uncounted = traits.hasOwnSystem && isVersionOne ? 'cgroup v1 does not count buffers of TCP sockets' : undefined;
  it(
    'lets no program hold more memory than its limit by tcp, mptcp',
    hostRow(['boundsMemory'], noPython ?? uncounted, async () => {
      for (const way of ['tcp', 'mptcp']) expect(await hoard(way)).toMatch(bounded);
    }),
  );

  it(
    'lets programs share memory through files, and counts memory shared by forks once',
    hostRow(['boundsMemory'], noPython, async () => {
      const launch = { ...limited({ memoryBytes: 160 * MEBIBYTE }), workspace: 'none', program: PYTHON } as const;
      const outcome = await run({ launch: { ...launch, args: ['-c', SHARING] } });
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0, stdout: { text: 'shared\n' } });
      expect((await shell('head -c 5 /dev/zero | tr "\\0" x')).stdout.text).toBe('xxxxx');
    }),
  );

  it(
    'ends a program that makes endless files in its temporary directories',
    hostRow(['boundsMemory', 'boundsDisk'], noPython, async () => {
      const limits = limited({ memoryBytes: 96 * MEBIBYTE, diskBytes: 16 * MEBIBYTE });
      for (const directory of ['/tmp', '/dev/shm', '.']) {
        const args = ['-c', `import os; os.chdir(${JSON.stringify(directory)})\n${LITTER}`];
        const outcome = await run({ launch: { ...limits, workspace: 'none', program: PYTHON, args } });
        expect(outcome.reason).toBe('exit');
        expect(outcome.stdout.text).toMatch(/^(?:refused.*\n)?$/);
      }
    }),
  );

  it(
    'fills only its own temporary directory, up to its size',
    row(['boundsDisk'], async () => {
      const launch = { ...limited({ diskBytes: 8 * MEBIBYTE }), workspace: 'none' } as const;
      for (const directory of ['"$TMPDIR"', '"$HOME"', '/dev/shm', '.']) {
        const code = `cd ${directory}; for i in 1 2 3 4; do head -c 4194304 /dev/zero > part$i || echo full; done; echo through`;
        const outcome = await shell(code, { launch });
        expect(outcome.stderr.text).toMatch(/No space left on device/);
        expect(outcome.stdout.text).toMatch(/full\nthrough\n$/);
      }
    }),
  );

  it(
    'writes no file larger than the limit, wherever it is',
    row(['boundsDisk'], async () => {
      const launch = limited({ diskBytes: 4 * MEBIBYTE });
      const outcome = await run({
        launch: { ...launch, program: '/bin/sh', args: ['-c', 'exec head -c 100000000 /dev/zero > huge'] },
      });
      expect(outcome.exitCode).not.toBe(0);
      const { stdout } = await shell('stat -c %s huge');
      expect(Number(stdout.text)).toBeLessThanOrEqual(4 * MEBIBYTE);
      expect(existsSync(join(workspace, 'huge'))).toBe(true);
    }),
  );
}
