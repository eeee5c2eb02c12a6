import { CamelCasePlugin, Kysely } from 'kysely';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../migrate.ts';
import { MIGRATIONS } from '../migrations/migration-list.ts';
import { createLedgerTable } from '../tables/ledger-table.ts';
import type { MigrationTables, Tables } from '../schema.ts';
import { createSqliteDialect, SqliteDriver } from './driver.ts';
import { openDatabase } from './open-database.ts';
import { makeDataDirectory } from '../../../../../test/gateway/store/data-directory.ts';

it('a transaction on a full disk is undone, reports the failure, and works again once there is room', async () => {
  const file = join(makeDataDirectory(), 'gateway.db');
  const connection = openDatabase(file);
  const driver = new SqliteDriver(connection, file);
  onTestFinished(() => driver.destroy());
  const database = new Kysely<Tables>({ dialect: createSqliteDialect(driver), plugins: [new CamelCasePlugin()] });
  await migrate(database.withoutPlugins() as unknown as Kysely<MigrationTables>, {
    file,
    migrations: MIGRATIONS,
    now: () => 0,
    backUp: () => {},
  });
  const entry = { tenant: 't', payload: 'x'.repeat(50_000), createdAt: 0, expiresAt: 10 };
  const writeMany = async (): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      const ledger = createLedgerTable(transaction);
      for (let index = 0; index < 20; index += 1) await ledger.write({ ...entry, hash: `h${index}` });
    });

  const [pages] = Object.values(connection.prepare('pragma page_count').get() ?? {});
  connection.exec(`pragma max_page_count = ${Number(pages) + 50}`);
  await expect(writeMany()).rejects.toMatchObject({ code: 'StoreFull', data: { file } });
  const ledger = createLedgerTable(database);
  expect((await ledger.find('t', ['h0', 'h1'], 0)).size).toBe(0);

  connection.exec('pragma max_page_count = 100000');
  await writeMany();
  expect((await ledger.find('t', ['h0', 'h19'], 0)).size).toBe(2);
});
