import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../packages/gateway/src/store/open-store.ts';
import { makeDataDirectory, openTestStore } from './store/data-directory.ts';

const hooks = new URL('../package/resolve-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('store/store-holder.ts', import.meta.url));

/** Starts another process that keeps the store open and keeps writing. */
async function startHolder(directory: string): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['--import', hooks, program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const died = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The holder ended with ${String(code)}.`)),
  );
  await Promise.race([once(child.stdout, 'data'), died]);
  died.catch(() => {});
  return child as ChildProcess & { readonly pid: number };
}

it('a second process on the same store is refused with the first one’s process id', async () => {
  const directory = makeDataDirectory();
  const { pid } = await startHolder(directory);
  await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({
    code: 'StoreInUse',
    message: expect.stringContaining(`Process ${pid} has the database`) as string,
    data: { pid, file: join(directory, 'gateway.db') },
  });
});

it('a second store in the same process is refused', async () => {
  const directory = makeDataDirectory();
  await openTestStore(directory);
  await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({
    code: 'StoreInUse',
    data: { pid: process.pid },
  });
});

it('a process that was killed leaves the store intact, and the next one can open it', async () => {
  const directory = makeDataDirectory();
  const holder = await startHolder(directory);
  const exited = once(holder, 'exit');
  holder.kill('SIGKILL');
  await exited;
  const store = await openTestStore(directory);
  const rows = await store.executions.count({});
  expect(rows).toBeGreaterThan(0);
  expect(await store.executions.endInterrupted(Date.now())).toBe(rows);
  expect(await store.executions.get('begun')).toMatchObject({ status: 'error', errorCode: 'Interrupted' });
  expect(JSON.parse(readFileSync(join(directory, 'gateway.db.holder'), 'utf8'))).toEqual({ pid: process.pid });
});

it.each(['', 'not json', '[]', '{"pid":"1; rm -rf /"}'])(
  'a second process is refused even with a holder note of %j',
  async (note) => {
    const directory = makeDataDirectory();
    await openTestStore(directory);
    writeFileSync(join(directory, 'gateway.db.holder'), note);
    await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({
      code: 'StoreInUse',
      message: expect.stringContaining('Another process has the database') as string,
    });
  },
);
