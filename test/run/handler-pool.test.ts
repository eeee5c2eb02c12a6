import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProcessSandbox } from '../../packages/skillwright/src/process/plain/sandbox.ts';
import {
  createHandlerPool,
  type HandlerPoolOptions,
} from '../../packages/skillwright/src/run/handlers/handler-pool.ts';
import type { Sandbox } from '../../packages/skillwright/src/spec/sandbox.ts';
import { createHandlerBench, valueOf } from '../conformance/handlers/handler-setup.ts';
import { processesWith } from '../conformance/sandbox/sandbox-setup.ts';

describe('a pool of handler workers', () => {
  it.each<[HandlerPoolOptions]>([
    [{ maxWorkers: 0 }],
    [{ maxWorkersPerKey: 1.5 }],
    [{ maxCalls: Number.NaN }],
    [{ idleMs: -1 }],
    [{ idleMs: 2 ** 31 }],
    [{ maxWaiting: -1 }],
  ])('rejects %j', (options) => {
    const option = Object.keys(options)[0];
    expect(() => createHandlerPool(options)).toThrow(
      expect.objectContaining({ code: 'InvalidOptions', data: { option } }),
    );
  });

  it('gives a call to another worker when its worker ended before it received the call', async () => {
    const started: string[] = [];
    const inner = createProcessSandbox();
    const sandbox: Sandbox = {
      ...inner,
      launch(launch) {
        started.push(launch.executionId);
        return inner.launch(launch);
      },
    };
    const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
    bench.write('one.mjs', 'export default () => 1;');
    expect(valueOf(await bench.call('one.mjs'))).toBe(1);
    const request = await bench.request('one.mjs');
    for (const pid of processesWith(started[0] ?? 'none')) process.kill(pid, 'SIGKILL');
    const second = await bench.pool.call(request);
    expect([valueOf(second), second.warm, started.length]).toEqual([1, false, 2]);
  });

  it('rejects a tier that opens no channel, and ends the process it started', async () => {
    const inner = createProcessSandbox();
    const sandbox: Sandbox = { ...inner, launch: (launch) => inner.launch({ ...launch, channel: false }) };
    const bench = createHandlerBench(sandbox);
    bench.write('any.mjs', 'export default () => 1;');
    expect(await bench.call('any.mjs')).toMatchObject({
      reason: 'not-started',
      cause: { message: "the process tier did not open the worker's channel (descriptor 3)" },
    });
    expect(bench.pool.stats()).toMatchObject({ workers: 0, busy: 0 });
  });

  it('continues when a tier fails to end a worker', async () => {
    const inner = createProcessSandbox();
    const sandbox: Sandbox = {
      ...inner,
      async launch(launch) {
        const child = await inner.launch(launch);
        return { ...child, kill: () => child.kill().then(() => Promise.reject(new Error('broke its word'))) };
      },
    };
    const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
    bench.write('never.mjs', 'export default ({ fail }) => fail ? new Promise(() => {}) : 1;');
    expect(await bench.call('never.mjs', { fail: true }, { timeoutMs: 3_000 })).toMatchObject({
      reason: 'not-started',
      cause: { message: 'broke its word' },
    });
    expect(valueOf(await bench.call('never.mjs'))).toBe(1);
  });

  it('ignores exceptions of an output listener', async () => {
    const bench = createHandlerBench(createProcessSandbox());
    bench.write('print.mjs', 'export default () => { console.log("said"); return 1; };');
    const outcome = await bench.call('print.mjs', {}, { onOutput: () => void JSON.parse('no') });
    expect([valueOf(outcome), outcome.stdout.text]).toEqual([1, 'said\n']);
  });

  it('keeps the working directory out of the module path, and leaves nothing in the skill', async () => {
    const bench = createHandlerBench(createProcessSandbox());
    const cwd = `${bench.directory}/work`;
    mkdirSync(cwd);
    writeFileSync(`${cwd}/json.py`, 'raise SystemExit("taken over")\n');
    bench.write('part.py', 'value = 1\n');
    bench.write('whole.py', 'import part, json\ndef handler(args):\n    return part.value\n');
    expect(valueOf(await bench.call('whole.py', {}, { launch: { cwd } }))).toBe(1);
    expect(readdirSync(bench.directory).toSorted()).toEqual(['part.py', 'whole.py', 'work']);
  });

  it('adds only its own ids to the environment', async () => {
    const bench = createHandlerBench(createProcessSandbox());
    bench.write('env.mjs', 'export default () => Object.keys(process.env).toSorted();');
    const seen = valueOf(await bench.call('env.mjs', {}, { launch: { env: { ONLY: 'this' } } }));
    expect(seen).toEqual(['ONLY', 'SKILL_EXECUTION_ID', 'WORKER_SKILL_EXECUTION_ID']);
  });
});
