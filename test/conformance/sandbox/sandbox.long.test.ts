import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import { createBench, isAlive, onLinux, processesWith } from './sandbox-setup.ts';

describe.each([
  ['process', createProcessSandbox()],
  ['bubblewrap', createBubblewrapSandbox()],
] as const)('five hundred runs of the %s tier that are ended early', (name, sandbox) => {
  const bench = createBench(name, sandbox);
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());

  it('leave no process and no descriptor', async ({ skip }) => {
    const probe = await sandbox.probe();
    skip(!probe.available, `the ${name} tier is not available here`);
    skip(onLinux !== undefined, onLinux);
    const marker = `86400.${process.hrtime.bigint()}`;
    const ids = Array.from({ length: 500 }, () => randomUUID());
    await bench.shell('true');
    const descriptors = readdirSync('/proc/self/fd').length;
    for (const [index, executionId] of ids.entries()) {
      const changes = { timeoutMs: index % 40, launch: { executionId } };
      expect((await bench.shell(`sleep ${marker} & (setsid sleep ${marker} &); sleep ${marker}`, changes)).reason).toBe(
        'timeout',
      );
    }
    expect(processesWith(marker).filter(isAlive)).toEqual([]);
    expect(ids.flatMap((id) => processesWith(id)).filter(isAlive)).toEqual([]);
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(descriptors + 2);
  });
});
