import { spawnSync } from 'node:child_process';
import { expect, vi } from 'vitest';
import type { Sandbox } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createHandlerBench, valueOf, type HandlerRow } from './handler-setup.ts';

const COUNTER =
  'let calls = 0; export default ({ fail }) => { if (fail) throw new Error("x"); calls += 1; return calls; };';
const PYTHON_COUNTER = 'calls = 0\ndef handler(args):\n    global calls\n    calls += 1\n    return calls\n';

/** How workers are kept, shared, replaced and ended. */
export function describeHandlerPooling(row: HandlerRow, sandbox: Sandbox): void {
  row(
    'keeps a module loaded for one key, and shares it with no other key',
    async () => {
      const bench = createHandlerBench(sandbox, { maxWorkers: 2 });
      bench.write('count.mjs', COUNTER);
      bench.write('count.py', PYTHON_COUNTER);
      for (const file of ['count.mjs', 'count.py']) {
        const seen: unknown[] = [];
        for (const key of ['a', 'a', 'b', 'a', 'b'])
          seen.push(valueOf(await bench.call(file, {}, { key: file + key })));
        expect(seen).toEqual([1, 2, 1, 3, 2]);
      }
    },
    'runsPrograms',
  );

  row('keeps a module loaded between calls of one key', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('count.mjs', COUNTER);
    const outcomes = [await bench.call('count.mjs'), await bench.call('count.mjs')];
    expect(outcomes.map((outcome) => [valueOf(outcome), outcome.warm])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(bench.pool.stats()).toEqual({ workers: 1, busy: 0, waiting: 0, started: 1 });
  });

  row('replaces a worker after its number of calls, and after a failure', async () => {
    const bench = createHandlerBench(sandbox, { maxCalls: 2 });
    bench.write('count.mjs', COUNTER);
    const warm: boolean[] = [];
    for (const fail of [false, false, false, true, false]) warm.push((await bench.call('count.mjs', { fail })).warm);
    expect(warm).toEqual([false, true, false, true, false]);
  });

  row('loads an edited file again for a new key', async () => {
    const bench = createHandlerBench(sandbox);
    for (const file of ['edit.mjs', 'edit.cjs']) {
      const code = (value: string): string =>
        file.endsWith('.cjs') ? `module.exports = () => ${value};` : `export default () => ${value};`;
      bench.write(file, code('"before"'));
      expect(valueOf(await bench.call(file, {}, { key: `${file}1` }))).toBe('before');
      bench.write(file, code('"after"'));
      expect(valueOf(await bench.call(file, {}, { key: `${file}2` }))).toBe('after');
    }
  });

  row('serves 1,000 calls at once with a bounded number of workers', async () => {
    const bench = createHandlerBench(sandbox, { maxWorkers: 3, maxWorkersPerKey: 2 });
    bench.write('echo.mjs', 'export default async ({ n }) => { await null; return n; };');
    let most = 0;
    let mostBusy = 0;
    const calls = Array.from({ length: 1_000 }, async (_, n) => {
      const outcome = await bench.call('echo.mjs', { n }, { key: `key ${n % 2}` });
      most = Math.max(most, bench.pool.stats().workers);
      mostBusy = Math.max(mostBusy, bench.pool.stats().busy);
      return valueOf(outcome);
    });
    expect(await Promise.all(calls)).toEqual(calls.map((_, n) => n));
    expect(most).toBeLessThanOrEqual(3);
    expect(mostBusy).toBeLessThanOrEqual(3);
    expect(bench.pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
  });

  row('lets no key starve another, and ends idle workers to make room', async () => {
    const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
    bench.write('slow.mjs', 'export default ({ n }) => new Promise((resolve) => setTimeout(resolve, 20, n));');
    const done: string[] = [];
    const call = async (key: string, n: number): Promise<void> => {
      expect(valueOf(await bench.call('slow.mjs', { n }, { key }))).toBe(n);
      done.push(key);
    };
    await call('idle', 0);
    await Promise.all([...Array.from({ length: 60 }, (_, n) => call('busy', n)), call('other', 1)]);
    expect(done[0]).toBe('idle');
    expect(done.indexOf('other')).toBeLessThan(40);
    expect(bench.pool.stats().workers).toBe(1);
  });

  row('refuses a call if too many already wait', async () => {
    const bench = createHandlerBench(sandbox, { maxWorkers: 1, maxWaiting: 2 });
    bench.write('slow.mjs', 'export default () => new Promise((resolve) => setTimeout(resolve, 50, "done"));');
    const requests = await Promise.all(Array.from({ length: 5 }, () => bench.request('slow.mjs')));
    const outcomes = await Promise.all(requests.map((request) => bench.pool.call(request)));
    expect(outcomes.map(({ reason }) => reason)).toEqual(['exit', 'exit', 'exit', 'not-started', 'not-started']);
    expect(outcomes[4]?.cause).toMatchObject({ code: 'LaunchFailed' });
  });

  row('ends an unused worker after a while', async () => {
    const bench = createHandlerBench(sandbox, { idleMs: 20 });
    bench.write('count.mjs', COUNTER);
    await bench.call('count.mjs');
    await vi.waitFor(() => expect(bench.pool.stats().workers).toBe(0), 10_000);
    expect(await bench.call('count.mjs')).toMatchObject({ warm: false });
  });

  row('cancels calls that run and wait when it is closed', async () => {
    const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
    bench.write('never.mjs', 'export default () => new Promise(() => {});');
    const request = await bench.request('never.mjs');
    const calls = [bench.pool.call(request), bench.pool.call(request)];
    await vi.waitFor(() => expect(bench.pool.stats()).toMatchObject({ busy: 1, waiting: 1 }), 20_000);
    await bench.pool.close();
    expect(bench.pool.stats()).toMatchObject({ workers: 0, busy: 0, waiting: 0 });
    expect((await Promise.all(calls)).map(({ reason }) => reason)).toEqual(['cancelled', 'cancelled']);
    expect(await bench.pool.call(request)).toMatchObject({ reason: 'cancelled' });
    await bench.pool.close();
  });

  row(
    'leaves no process behind',
    async () => {
      const bench = createHandlerBench(sandbox);
      const start = `spawn('/bin/sh', ['-c', 'sleep 300 & (setsid sleep 300 &); sleep 300'], { stdio: 'ignore' })`;
      bench.write(
        'leave.mjs',
        `import { spawn } from 'node:child_process'; export default ({ end }) => { ${start}; if (end === 'exit') process.exit(1); return end === 'never' ? new Promise(() => {}) : 1; };`,
      );
      const ids: string[] = [];
      for (const end of ['exit', 'never', 'answer']) {
        const request = await bench.request('leave.mjs', { end }, { timeoutMs: 1_500 });
        ids.push(request.launch.executionId);
        await bench.pool.call(request);
      }
      expect(ids.slice(0, 2).filter(isInUse)).toEqual([]);
      await bench.pool.close();
      expect(ids.filter(isInUse)).toEqual([]);
    },
    'runsPrograms',
  );
}

/** Whether a process has the id of a call in its environment. Known on Linux only. */
function isInUse(executionId: string): boolean {
  const code = 'grep -lsa -- "$0" /proc/[0-9]*/environ | grep -v /self/';
  return spawnSync('/bin/sh', ['-c', code, executionId], { encoding: 'utf8' }).stdout.trim() !== '';
}
