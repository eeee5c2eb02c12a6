import { Kysely } from 'kysely';
import { join } from 'node:path';
import type { Clock } from '../spec/clock.ts';
import { createApiKeyTable, type ApiKeyTable } from './tables/api-key-table.ts';
import { createApprovalTable, type ApprovalTable } from './tables/approval-table.ts';
import { createAuditTable, type AuditTable } from './tables/audit-table.ts';
import { createExecutionTable, type ExecutionTable } from './tables/execution-table.ts';
import { createLedgerTable, type LedgerTable } from './tables/ledger-table.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS, type Migration } from './migrations/migration-list.ts';
import type { MigrationTables, Tables } from './schema.ts';
import { createSettingTable, type SettingTable } from './tables/setting-table.ts';
import { loadSettings, type Settings } from './settings.ts';
import { backUpDatabase } from './sqlite/back-up.ts';
import type { HealthListener } from './sqlite/database-health.ts';
import { createSqliteDialect } from './sqlite/dialect.ts';
import { SqliteDriver } from './sqlite/driver.ts';
import { openDatabase } from './sqlite/open-database.ts';
import { assertUntracked } from './tracked-directory.ts';
import { createSkillTable, type SkillTable } from './tables/skill-table.ts';
import { checkWriters } from './writers.ts';
import { createTraceTable, type TraceTable } from './tables/trace-table.ts';

/** The name of the database in the data directory. */
const DATABASE_NAME = 'gateway.db';

export interface StoreTables {
  readonly keys: ApiKeyTable;
  readonly ledger: LedgerTable;
  readonly skills: SkillTable;
  readonly executions: ExecutionTable;
  readonly settingTable: SettingTable;
  readonly traces: TraceTable;
  readonly approvals: ApprovalTable;
  readonly audit: AuditTable;
}

/** Everything the gateway keeps. */
export interface Store extends StoreTables {
  readonly settings: Settings;
  /** Warnings about who else can write to the data directory. */
  readonly warnings: readonly string[];
  /** Throws a coded error if the database cannot be written, or its file is not where it was. */
  check(): Promise<void>;
  /** Tells when the database begins to fail, once, and when it passes its check again. */
  watchHealth(listener: HealthListener): void;
  /** Keeps the database quick. Cheap enough to be called every minute. */
  maintain(): Promise<void>;
  /**
   * Runs the function with tables whose writes all happen or none. Inside it only these may be used: the others wait for
   * it to end.
   */
  transaction<T>(work: (tables: StoreTables) => Promise<T>): Promise<T>;
  /** Finishes what was begun and closes the database. May be called again. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  readonly now: Clock;
  /** Where programs are looked for. Default: the usual places. */
  readonly path?: string | undefined;
  /** Default: all there are. */
  readonly migrations?: readonly Migration[];
}

/** Opens the store in a directory, or creates it. Only one process at a time can; what fails leaves nothing open. */
export async function openStore(directory: string, options: OpenStoreOptions): Promise<Store> {
  const { now, migrations = MIGRATIONS } = options;
  await assertUntracked(directory, options.path);
  const file = join(directory, DATABASE_NAME);
  const warnings = checkWriters([directory, file]);
  const connection = openDatabase(file);
  const driver = new SqliteDriver(connection, file);
  const database = new Kysely<Tables>({ dialect: createSqliteDialect(driver) });
  try {
    await migrate(database as unknown as Kysely<MigrationTables>, {
      file,
      migrations,
      now,
      backUp: (version) => void backUpDatabase(connection, file, `v${version}`),
    });
    const tables = tablesOf(database);
    return {
      ...tables,
      settings: await loadSettings(tables.settingTable, now),
      warnings,
      check: () => driver.check(),
      watchHealth: (listener) => driver.watchHealth(listener),
      maintain: () => driver.refreshStatistics(),
      transaction: (work) => database.transaction().execute((transaction) => work(tablesOf(transaction))),
      close: () => driver.destroy(),
    };
  } catch (error) {
    await driver.destroy();
    throw error;
  }
}

function tablesOf(database: Kysely<Tables>): StoreTables {
  return {
    keys: createApiKeyTable(database),
    ledger: createLedgerTable(database),
    skills: createSkillTable(database),
    executions: createExecutionTable(database),
    settingTable: createSettingTable(database),
    traces: createTraceTable(database),
    approvals: createApprovalTable(database),
    audit: createAuditTable(database),
  };
}
