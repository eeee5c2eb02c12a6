import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isAlive, onLinux, processesWith, stateOf, until, type SandboxBench } from './sandbox-setup.ts';

const FOREVER = 'setInterval(() => {}, 1000)';
/** A tier may signal a program before it kills it. */
const ENDED = /^SIG(?:KILL|TERM)$/;

/** Timeouts, cancellation, and no leftovers. */
export function describeEnding({ row, hostRow, node, shell, sandbox, launchOf, traits }: SandboxBench): void {
  it(
    'ends a program at its timeout',
    row([], async () => {
      const outcome = await node(`console.log('begun'); ${FOREVER}`, { timeoutMs: 1_500 });
      expect(outcome).toMatchObject({ reason: 'timeout', signal: expect.stringMatching(ENDED) as string });
      expect(outcome.stdout.text).toBe('begun\n');
    }),
  );

  it(
    'ends a program that ignores signals',
    row([], async () => {
      const code = `for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {}); ${FOREVER}`;
      expect(await node(code, { timeoutMs: 300 })).toMatchObject({ reason: 'timeout' });
    }),
  );

  it(
    'ends a program when it is cancelled before, at and after its start',
    row([], async () => {
      expect(await node('1', { signal: AbortSignal.abort() })).toMatchObject({ reason: 'cancelled', exitCode: null });
      for (const delay of [0, 1, 5, 50]) {
        const abort = new AbortController();
        const running = node(FOREVER, { signal: abort.signal });
        await pause(delay);
        abort.abort();
        expect((await running).reason).toBe('cancelled');
      }
    }),
  );

  it(
    'keeps the first reason why a program ended',
    row([], async () => {
      const abort = new AbortController();
      const running = node(FOREVER, { signal: abort.signal, timeoutMs: 200 });
      void running.then(() => abort.abort());
      expect((await running).reason).toBe('timeout');
    }),
  );

  it(
    'leaves no cooperative descendant alive, not even one in its own session',
    hostRow([], onLinux, async () => {
      const marker = `86400.${process.hrtime.bigint()}`;
      const abort = new AbortController();
      const code = `sleep ${marker} & (setsid sh -c 'sleep ${marker}; true' &); wait`;
      const running = shell(code, { signal: abort.signal });
      await until(() => processesWith(`sleep\0${marker}`).length >= 2, 'both were started');
      abort.abort();
      expect((await running).reason).toBe('cancelled');
      expect(processesWith(marker).filter(isAlive)).toEqual([]);
    }),
  );

  it(
    'leaves no descendant alive that forks twice, starts a session and clears its environment',
    row(['killsTree'], async () => {
      for (const how of ['cancelled', 'exit'] as const) {
        const marker = `86400.${process.hrtime.bigint()}`;
        const abort = new AbortController();
        const code = `env -i setsid sh -c '(env -i setsid sleep ${marker} >/dev/null 2>&1 </dev/null &)'; echo up; read line`;
        const running = shell(how === 'exit' ? `${code}; exit 0` : `${code}; sleep 300`, { signal: abort.signal });
        if (how === 'cancelled') {
          await until(() => processesWith(`sleep\0${marker}`).length > 0, 'it was started');
          abort.abort();
        }
        expect((await running).reason).toBe(how);
        // At an exit the kernel ends the rest by itself, a moment later.
        await until(() => processesWith(marker).filter(isAlive).length === 0, 'nothing was left');
      }
    }),
  );

  it(
    'leaves no descendant when it is ended in its first milliseconds',
    hostRow([], onLinux, async () => {
      const marker = `86400.${process.hrtime.bigint()}`;
      const ids = Array.from({ length: traits.startsSlowly ? 8 : 30 }, () => randomUUID());
      const within = traits.startsSlowly ? 400 : 16;
      for (const [index, executionId] of ids.entries()) {
        const timeoutMs = Math.floor((index * within) / ids.length) % within;
        await shell(`sleep ${marker} & sleep ${marker}`, { timeoutMs, launch: { executionId } });
      }
      expect(processesWith(marker).filter(isAlive)).toEqual([]);
      expect(ids.flatMap((id) => processesWith(id)).filter(isAlive)).toEqual([]);
    }),
  );

  it(
    'leaves no zombie, however the program ends',
    hostRow([], onLinux, async () => {
      await shell('for i in 1 2 3 4 5; do (exit 1) & done; (sleep 0.01 &); exit 0');
      await shell('for i in 1 2 3; do sleep 300 & done; wait', { timeoutMs: 300 });
      const zombies = (): number[] =>
        readdirSync('/proc')
          .map(Number)
          .filter((pid) => pid > 0 && stateOf(pid)?.state === 'Z' && stateOf(pid)?.parent === process.pid);
      await until(() => zombies().length === 0, 'every child was waited for');
      expect(zombies()).toEqual([]);
    }),
  );

  it(
    'reaps processes that its programs leave unreaped',
    row(['killsTree'], async () => {
      const code = `(sleep 0.05 &); sleep 0.4; grep -ls '^State:.Z' /proc/[0-9]*/status; echo looked`;
      expect((await shell(code)).stdout.text).toBe('looked\n');
    }),
  );

  it(
    'can be ended twice, concurrently, and after its end',
    row([], async () => {
      const child = await sandbox.launch(launchOf({ program: '/bin/sh', args: ['-c', 'sleep 300'] }));
      child.stdout.on('data', () => {});
      child.stderr.on('data', () => {});
      await Promise.all([child.kill(), child.kill()]);
      expect(await child.exited).toEqual({ exitCode: null, signal: expect.stringMatching(ENDED) as string });
      await child.kill();
    }),
  );

  it(
    'runs many programs at once, and ends each separately',
    row([], async () => {
      const runs = [0, 1, 2, 3, 4, 5].map((index) =>
        index % 2 === 0 ? shell('sleep 300', { timeoutMs: 100 }) : shell('sleep 0.5; echo through'),
      );
      const outcomes = await Promise.all(runs);
      expect(outcomes.map(({ reason }) => reason)).toEqual(['timeout', 'exit', 'timeout', 'exit', 'timeout', 'exit']);
      expect(outcomes.map(({ stdout }) => stdout.text)).toEqual(['', 'through\n', '', 'through\n', '', 'through\n']);
    }),
  );
}
