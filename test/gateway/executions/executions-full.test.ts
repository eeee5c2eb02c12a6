import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createGateway } from '../../../packages/gateway/src/app.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

const HOOKS = new URL('../../package/resolve-source.ts', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('executions-full-child.ts', import.meta.url));

interface Told {
  readonly code: string;
  readonly ids: readonly string[];
  readonly total: number;
}

/** Runs a process whose files cannot grow beyond a few megabytes. */
function runWithoutRoom(data: string): Promise<Told> {
  const args = ['-c', 'ulimit -f 6000 && exec "$@"', 'bash', process.execPath, '--import', HOOKS, PROGRAM, data];
  return new Promise((resolve) => {
    execFile('bash', args, { env: { PATH: process.env['PATH'] } }, (_error, stdout) =>
      resolve(JSON.parse(stdout) as Told),
    );
  });
}

it('reports a full disk with a coded error, and leaves every row whole and ended', async () => {
  const data = makeDataDirectory();
  const { code, ids, total } = await runWithoutRoom(data);
  expect(['StoreFull', 'StoreUnavailable']).toContain(code);
  expect(ids.length).toBeGreaterThan(5);
  expect(total).toBeGreaterThanOrEqual(ids.length);
  await (await createGateway({ data, skills: [], logLevel: 'silent' })).close();
  const database = new DatabaseSync(join(data, 'gateway.db'));
  expect(database.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
  const rows = database.prepare('select id, status, output from skill_executions').all();
  database.close();
  expect(rows.filter(({ status }) => status === 'pending' || status === 'running')).toEqual([]);
  for (const { status, output } of rows) if (status === 'success') expect(String(output)).toHaveLength(100_011);
  expect(ids.filter((id) => !rows.some((row) => row['id'] === id))).toEqual([]);
});
