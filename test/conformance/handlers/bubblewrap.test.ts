import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { proves } from '../../proves.ts';
import { createHandlerBench, valueOf } from './handler-setup.ts';
import { describeHandlers } from './handlers.ts';

const sandbox = createBubblewrapSandbox();

describeHandlers('bubblewrap', sandbox);

it('a handler in bubblewrap has access neither to files outside its skill nor to a network', async ({
  skip,
  onTestFinished,
}) => {
  proves('S1.11.sandbox');
  const probe = await sandbox.probe();
  if (!probe.available) skip(`${probe.reason} ${probe.remedy}`);
  const outside = mkdtempSync(join(tmpdir(), 'skillwright-outside-'));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, 'secret'), 'secret');
  const bench = createHandlerBench(sandbox);
  bench.write(
    'look.mjs',
    `import { existsSync } from 'node:fs'; import { networkInterfaces } from 'node:os';
export const handler = ({ path }) => [existsSync(path), Object.keys(networkInterfaces()).filter((name) => name !== 'lo')];`,
  );
  expect(valueOf(await bench.call('look.mjs', { path: join(outside, 'secret') }))).toEqual([false, []]);
});
