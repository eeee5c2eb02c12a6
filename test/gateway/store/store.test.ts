import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHousekeeping } from '../../../packages/gateway/src/store/housekeeping.ts';
import type { NewExecution } from '../../../packages/gateway/src/store/tables/execution-rows.ts';
import { MIGRATIONS } from '../../../packages/gateway/src/store/migrations/migration-list.ts';
import { openStore } from '../../../packages/gateway/src/store/open-store.ts';
import { proves } from '../../proves.ts';
import { makeDataDirectory, openTestStore } from './data-directory.ts';

function newExecution(changes: Partial<NewExecution> = {}): NewExecution {
  return {
    id: randomUUID(),
    skillId: 'skill-1',
    skillName: 'reverse-text',
    version: '1.0.0',
    apiKeyId: 'key-1',
    sessionId: null,
    input: { text: 'abc' },
    createdAt: 1000,
    ...changes,
  };
}

/** Reads rows of the closed database without the store. */
function readRows(directory: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(directory, 'gateway.db'));
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

const KNOWN = MIGRATIONS.at(-1)?.version ?? 0;

const addColumn = {
  version: KNOWN + 1,
  name: 'colour',
  up: async (database: Parameters<(typeof MIGRATIONS)[number]['up']>[0]) => {
    await database.schema.alterTable('settings').addColumn('colour', 'text').execute();
  },
};

describe('the store', () => {
  it('keeps its data when it is opened again', async () => {
    const directory = makeDataDirectory();
    const first = await openStore(directory, { now: () => 5 });
    await first.settings.update({ skillsEnabled: false });
    await first.close();
    const second = await openTestStore(directory);
    expect(second.settings.current).toMatchObject({ skillsEnabled: false });
  });

  it('creates its directory, and no other user can read it', async () => {
    const directory = join(makeDataDirectory(), 'deep', 'data');
    await openTestStore(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
  });

  it('uses a write-ahead log, foreign keys, and the indexes that lists need', async () => {
    proves('S4.status.check');
    const directory = makeDataDirectory();
    const store = await openStore(directory, { now: Date.now });
    await expect(store.executions.addAttempt('nobody', 1, 0)).rejects.toMatchObject({ code: 'StoreConflict' });
    await store.close();
    const columns = readRows(
      directory,
      `select i.name, group_concat(c.name, ' ') as columns from sqlite_schema i, pragma_index_info(i.name) c where i.type = 'index' group by i.name`,
    );
    expect(columns).toContainEqual({ name: 'skill_executions_by_skill', columns: 'skill_id status created_at' });
    expect(readRows(directory, 'pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    const insert =
      "insert into skill_executions (id, skill_id, skill_name, status, created_at, input) values ('a', 'b', 'c', 'odd', 1, '{}')";
    expect(() => readRows(directory, insert)).toThrow(/CHECK/);
  });

  it('can be closed twice, and then refuses to work', async () => {
    const store = await openTestStore();
    await store.close();
    await store.close();
    // Repeated, because a caller must not wait in the queue of a closed store.
    await expect(store.check()).rejects.toMatchObject({ code: 'StoreClosed' });
    await expect(store.check()).rejects.toMatchObject({ code: 'StoreClosed' });
    await expect(store.transaction(async () => {})).rejects.toMatchObject({ code: 'StoreClosed' });
    await expect(store.maintain()).rejects.toMatchObject({ code: 'StoreClosed' });
    await expect(store.check()).rejects.toMatchObject({ code: 'StoreClosed' });
  });
});

it('housekeeping removes expired rows and keeps the rest', async () => {
  const store = await openTestStore();
  for (let index = 0; index < 600; index += 1)
    await store.ledger.write({
      tenant: 't',
      hash: `h${index}`,
      payload: '1',
      createdAt: 0,
      expiresAt: index < 550 ? 10 : 1e15,
    });
  const DAY = 86_400_000;
  await store.executions.add(newExecution({ id: 'old' }));
  await store.executions.finish('old', { status: 'success', durationMs: 1, endedAt: 1001 });
  const onError = (error: unknown): void => expect.unreachable(String(error));
  onTestFinished(startHousekeeping(store, { now: () => 3 * DAY, executionDays: 2, traceDays: 2, onError }));
  const hashes = Array.from({ length: 600 }, (_, index) => `h${index}`);
  await expect.poll(async () => (await store.ledger.find('t', hashes, 0)).size).toBe(50);
  await expect.poll(() => store.executions.get('old')).toBeUndefined();
});

it('housekeeping does nothing after it has ended', async () => {
  const store = await openTestStore();
  const onError = vi.fn<(error: unknown) => void>();
  const end = startHousekeeping(store, { now: () => 1, executionDays: 2, traceDays: 2, onError });
  await end();
  await store.close();
  await delay(20);
  expect(onError).not.toHaveBeenCalled();
});

describe('a transaction', () => {
  it('is applied completely or not at all', async () => {
    const { transaction, settingTable } = await openTestStore();
    await expect(
      transaction(async (tables) => {
        await tables.settingTable.write({ skillsEnabled: false }, 1);
        await tables.executions.addAttempt('nobody', 1, 0);
      }),
    ).rejects.toMatchObject({ code: 'StoreConflict' });
    expect(await settingTable.readAll()).toEqual({});
  });

  it('has the database to itself while others wait', async () => {
    const store = await openTestStore();
    const order: string[] = [];
    const inside = store.transaction(async ({ settingTable }) => {
      await settingTable.write({ first: 1 }, 1);
      await new Promise(setImmediate);
      order.push('transaction');
    });
    const outside = store.settingTable.write({ second: 2 }, 1).then(() => order.push('query'));
    await Promise.all([inside, outside]);
    expect(order).toEqual(['transaction', 'query']);
  });

  it('is finished before the store closes', async () => {
    const directory = makeDataDirectory();
    const store = await openStore(directory, { now: Date.now });
    const begun = Promise.withResolvers<void>();
    const writing = store.transaction(async ({ settingTable }) => {
      begun.resolve();
      await new Promise(setImmediate);
      await settingTable.write({ a: 1 }, 1);
    });
    await begun.promise;
    await Promise.all([writing, store.close()]);
    expect(readRows(directory, 'select name from settings')).toEqual([{ name: 'a' }]);
  });
});

describe('a migration', () => {
  it('runs once, after a backup of the data', async () => {
    const directory = makeDataDirectory();
    const old = await openStore(directory, { now: Date.now });
    await old.settingTable.write({ kept: true }, 1);
    await old.close();
    expect(readdirSync(directory).filter((name) => name.endsWith('.backup'))).toEqual([]);
    const migrations = [...MIGRATIONS, addColumn];
    await (await openStore(directory, { now: () => 77, migrations })).close();
    await (await openStore(directory, { now: () => 88, migrations })).close();
    expect(
      readRows(directory, 'select version, applied_at from schema_migrations order by version desc limit 1'),
    ).toEqual([{ version: KNOWN + 1, applied_at: 77 }]);
    const backups = readdirSync(directory).filter((name) => name.includes('backup'));
    expect(backups).toEqual([`gateway.db.v${KNOWN}.backup`]);
    const backup = new DatabaseSync(join(directory, `gateway.db.v${KNOWN}.backup`));
    expect(
      backup
        .prepare('select name, value from settings')
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([{ name: 'kept', value: 'true' }]);
    backup.close();
  });

  it('leaves the previous version if it fails', async () => {
    const directory = makeDataDirectory();
    await (await openStore(directory, { now: Date.now })).close();
    const failing = {
      ...addColumn,
      up: async (database: Parameters<typeof addColumn.up>[0]) => {
        await addColumn.up(database);
        await addColumn.up(database);
      },
    };
    await expect(openStore(directory, { now: Date.now, migrations: [...MIGRATIONS, failing] })).rejects.toThrow(
      /colour/,
    );
    const store = await openTestStore(directory);
    await store.check();
    await store.close();
    expect(readRows(directory, "select name from pragma_table_info('settings')")).not.toContainEqual({
      name: 'colour',
    });
  });

  it('is refused if a later gateway made it, and the file stays unchanged', async () => {
    const directory = makeDataDirectory();
    await (await openStore(directory, { now: Date.now, migrations: [...MIGRATIONS, addColumn] })).close();
    const before = readFileSync(join(directory, 'gateway.db'));
    await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({
      code: 'StoreNewer',
      data: { version: KNOWN + 1, known: KNOWN },
    });
    expect(readFileSync(join(directory, 'gateway.db')).equals(before)).toBe(true);
  });
});

describe('a broken database file', () => {
  it('is refused and left unchanged if it is not a database', async () => {
    const directory = makeDataDirectory();
    const file = join(directory, 'gateway.db');
    writeFileSync(file, 'these are not the rows you are looking for'.repeat(100));
    const before = readFileSync(file);
    await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({
      code: 'StoreCorrupt',
      data: { file },
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(directory)).toEqual(['gateway.db']);
  });

  it('is refused if it is truncated', async () => {
    const directory = makeDataDirectory();
    const store = await openStore(directory, { now: Date.now });
    for (let index = 0; index < 50; index += 1) await store.executions.add(newExecution({ input: 'x'.repeat(5000) }));
    await store.close();
    truncateSync(join(directory, 'gateway.db'), 8192);
    const counting = async (): Promise<number> => (await openTestStore(directory)).executions.count({});
    await expect(counting()).rejects.toMatchObject({ code: 'StoreCorrupt' });
  });

  it('is not migrated if it is damaged inside', async () => {
    const directory = makeDataDirectory();
    const store = await openStore(directory, { now: Date.now });
    for (let index = 0; index < 50; index += 1) await store.executions.add(newExecution({ input: 'x'.repeat(5000) }));
    await store.close();
    const file = join(directory, 'gateway.db');
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length - 40_000, bytes.length - 8000);
    writeFileSync(file, bytes);
    await expect(openStore(directory, { now: Date.now, migrations: [...MIGRATIONS, addColumn] })).rejects.toMatchObject(
      {
        code: 'StoreCorrupt',
      },
    );
    expect(readdirSync(directory).filter((name) => name.includes('backup'))).toEqual([]);
  });

  it('is refused if it is a directory', async () => {
    const directory = makeDataDirectory();
    const store = openStore(join(directory, 'file', 'inside'), { now: Date.now });
    await (await store).close();
    writeFileSync(join(directory, 'plain'), '');
    await expect(openStore(join(directory, 'plain'), { now: Date.now })).rejects.toMatchObject({
      code: 'StoreUnavailable',
    });
    expect(existsSync(join(directory, 'plain', 'gateway.db'))).toBe(false);
  });

  it('is refused if it holds an invalid setting, and the error names the setting', async () => {
    const directory = makeDataDirectory();
    const store = await openStore(directory, { now: Date.now });
    await store.settingTable.write({ skillsEnabled: 'perhaps' }, 1);
    await store.close();
    await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({
      code: 'StoreCorrupt',
      data: { settings: 'skillsEnabled' },
    });
    // The second attempt fails in the same way, so the first one left nothing open.
    await expect(openStore(directory, { now: Date.now })).rejects.toMatchObject({ code: 'StoreCorrupt' });
  });
});

describe('the conversation ledger', () => {
  const entry = { tenant: 't', hash: 'h1', payload: '{"a":1}', createdAt: 1, expiresAt: 100 };

  it('finds a tenant’s entries that have not expired', async () => {
    const { ledger } = await openTestStore();
    await ledger.write(entry);
    await ledger.write({ ...entry, hash: 'h2', expiresAt: 10 });
    await ledger.write({ ...entry, tenant: 'other', hash: 'h3' });
    expect([...(await ledger.find('t', ['h1', 'h2', 'h3', 'h4'], 50)).values()]).toEqual([entry]);
    expect((await ledger.find('t', [], 50)).size).toBe(0);
  });

  it('never changes an entry except to extend its life', async () => {
    const { ledger } = await openTestStore();
    await ledger.write(entry);
    await ledger.write({ ...entry, payload: 'changed', expiresAt: 50 });
    expect((await ledger.find('t', ['h1'], 0)).get('h1')).toEqual(entry);
    await ledger.write({ ...entry, payload: 'changed', expiresAt: 200 });
    expect((await ledger.find('t', ['h1'], 0)).get('h1')).toEqual({ ...entry, expiresAt: 200 });
    await ledger.renew('t', ['h1'], 150);
    await ledger.renew('t', ['h1'], 300);
    await ledger.renew('other', ['h1'], 400);
    expect((await ledger.find('t', ['h1'], 0)).get('h1')?.expiresAt).toBe(300);
  });

  it('finds more hashes than fit into one query', async () => {
    const { ledger } = await openTestStore();
    await ledger.write({ ...entry, hash: 'h-1999' });
    const hashes = Array.from({ length: 2000 }, (_, index) => `h-${index}`);
    expect([...(await ledger.find('t', hashes, 0)).keys()]).toEqual(['h-1999']);
  });

  it('removes expired entries step by step', async () => {
    const { ledger } = await openTestStore();
    for (const hash of ['a', 'b', 'c']) await ledger.write({ ...entry, hash, expiresAt: 10 });
    await ledger.write(entry);
    expect(await ledger.removeExpired(50, 2)).toBe(2);
    expect(await ledger.removeExpired(50, 2)).toBe(1);
    expect((await ledger.find('t', ['a', 'b', 'c', 'h1'], 0)).size).toBe(1);
  });

  it('stores hostile texts unchanged', async () => {
    const { ledger } = await openTestStore();
    const hostile = {
      ...entry,
      tenant: "'; drop table ledger; --",
      // SQLite in Node 22 cuts a text at this character.
      hash: process.versions.node.startsWith('22.') ? '"%_\ud83d\ude00' : '"%_\u0000\ud83d\ude00',
      payload: '\u2028'.repeat(10),
    };
    await ledger.write(hostile);
    expect((await ledger.find(hostile.tenant, [hostile.hash], 0)).get(hostile.hash)).toEqual(hostile);
  });
});

describe('the execution table', () => {
  it('moves executions from pending to running to a final status', async () => {
    const { executions } = await openTestStore();
    const execution = newExecution();
    await executions.add(execution);
    expect(await executions.get(execution.id)).toMatchObject({
      ...execution,
      status: 'pending',
      output: null,
      durationMs: null,
    });
    expect(await executions.start(execution.id, 1010, 'process')).toBe(true);
    expect(await executions.start(execution.id, 1011, 'process')).toBe(false);
    await executions.addAttempt(execution.id, 1, 1010);
    await executions.finishAttempt(execution.id, 1, {
      status: 'timeout',
      errorCode: 'ExecutionTimeout',
      durationMs: 5,
      endedAt: 1015,
    });
    await executions.addAttempt(execution.id, 2, 1020);
    expect(
      await executions.finish(execution.id, {
        status: 'success',
        output: { reversed: 'cba' },
        durationMs: 20,
        endedAt: 1030,
      }),
    ).toBe(true);
    expect(await executions.finish(execution.id, { status: 'error', durationMs: 1, endedAt: 1031 })).toBe(false);
    expect(await executions.get(execution.id)).toEqual({
      ...execution,
      status: 'success',
      output: { reversed: 'cba' },
      errorMessage: null,
      errorCode: null,
      durationMs: 20,
      tier: 'process',
      startedAt: 1010,
      endedAt: 1030,
    });
    expect(await executions.listAttempts(execution.id)).toMatchObject([
      { attempt: 1, status: 'timeout', errorCode: 'ExecutionTimeout', durationMs: 5 },
      { attempt: 2, status: 'running', endedAt: null },
    ]);
    expect(await executions.get('nobody')).toBeUndefined();
  });

  it('lists the newest first, by key, status and skill, page by page', async () => {
    const { executions } = await openTestStore();
    for (let index = 0; index < 7; index += 1)
      await executions.add(
        newExecution({
          id: `e${index}`,
          createdAt: index,
          skillName: index % 2 === 0 ? 'even' : 'odd',
          apiKeyId: index < 5 ? 'k' : null,
        }),
      );
    await executions.finish('e0', { status: 'error', errorMessage: 'no', errorCode: 'X', durationMs: 1, endedAt: 9 });
    const ids = async (filter: Parameters<typeof executions.list>[0]): Promise<string[]> =>
      (await executions.list(filter, { page: 1, limit: 50 })).data.map(({ id }) => id);
    expect(await ids({ skill: 'even' })).toEqual(['e6', 'e4', 'e2', 'e0']);
    expect(await ids({ status: 'error' })).toEqual(['e0']);
    expect(await ids({ apiKeyId: null })).toEqual(['e6', 'e5']);
    expect(await ids({ apiKeyId: 'k', skill: 'odd', status: 'pending' })).toEqual(['e3', 'e1']);
    expect(await executions.count({ apiKeyId: 'k' })).toBe(5);
    const { data, ...rest } = await executions.list({}, { page: 2, limit: 3 });
    expect({ ids: data.map(({ id }) => id), ...rest }).toEqual({
      ids: ['e3', 'e2', 'e1'],
      total: 7,
      page: 2,
      limit: 3,
      totalPages: 3,
    });
  });

  it('ends executions that a crash interrupted as errors, with their attempts', async () => {
    const { executions } = await openTestStore();
    await executions.add(newExecution({ id: 'waiting' }));
    await executions.add(newExecution({ id: 'working' }));
    await executions.start('working', 1500, null);
    await executions.addAttempt('working', 1, 1500);
    await executions.add(newExecution({ id: 'done' }));
    await executions.finish('done', { status: 'success', durationMs: 1, endedAt: 1001 });
    expect(await executions.endInterrupted(2000)).toBe(2);
    expect(await executions.get('working')).toMatchObject({
      status: 'error',
      errorCode: 'Interrupted',
      durationMs: 500,
      endedAt: 2000,
    });
    expect(await executions.get('waiting')).toMatchObject({ status: 'error', durationMs: 1000 });
    expect(await executions.listAttempts('working')).toMatchObject([{ status: 'error', durationMs: 500 }]);
    expect(await executions.get('done')).toMatchObject({ status: 'success' });
  });

  it('removes executions with their attempts long after their end', async () => {
    const { executions } = await openTestStore();
    await executions.add(newExecution({ id: 'old' }));
    await executions.addAttempt('old', 1, 1000);
    await executions.finish('old', { status: 'success', durationMs: 1, endedAt: 1001 });
    await executions.add(newExecution({ id: 'unfinished' }));
    expect(await executions.removeEndedBefore(5000, 10)).toBe(1);
    expect(await executions.get('old')).toBeUndefined();
    expect(await executions.listAttempts('old')).toEqual([]);
    expect(await executions.get('unfinished')).toBeDefined();
  });
});
