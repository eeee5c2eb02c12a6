import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CamelCasePlugin, Kysely } from 'kysely';
import { followPath } from 'skillwright/host';
import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { migrate } from './migrate.ts';
import { type Migration, MIGRATIONS } from './migrations/migration-list.ts';
import type { MigrationTables, Tables } from './schema.ts';
import { createSettingTable, loadSettings, type Settings, type SettingTable } from './settings.ts';
import type { HealthListener } from './sqlite/database-health.ts';
import { createSqliteDialect, SqliteDriver } from './sqlite/driver.ts';
import { backUpDatabase, openDatabase } from './sqlite/open-database.ts';
import { type ApiKeyTable, createApiKeyTable } from './tables/api-key-table.ts';
import { type ApprovalTable, createApprovalTable } from './tables/approval-table.ts';
import { type AuditTable, createAuditTable } from './tables/audit-table.ts';
import { createExecutionTable, type ExecutionTable } from './tables/execution-table.ts';
import { createLedgerTable, type LedgerTable } from './tables/ledger-table.ts';
import { createSkillTable, type SkillTable } from './tables/skill-table.ts';
import { createTraceTable, type TraceTable } from './tables/trace-table.ts';
import { assertUntracked } from './tracked-directory.ts';

const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
/** In a sticky directory, everyone can add names but only owners can replace them. */
const STICKY = 0o1000;

/** The file name of the database in the data directory. */
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

/** All persistent data of a gateway. */
export interface Store extends StoreTables {
  readonly settings: Settings;
  /** Warnings about who else can write to the data directory. */
  readonly warnings: readonly string[];
  /** Throws a coded error if the database cannot be written or its file was moved. */
  check(): Promise<void>;
  /** Calls back once when the database begins to fail, and again when it passes its check. */
  watchHealth(listener: HealthListener): void;
  /** Keeps the database fast. Cheap enough to call every minute. */
  maintain(): Promise<void>;
  /** Runs a function in a transaction. It may only use the tables that it is given: all others wait until it ends. */
  transaction<T>(work: (tables: StoreTables) => Promise<T>): Promise<T>;
  /** Finishes pending work and closes the database. Safe to call again. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  readonly now: Clock;
  /** Where to search for programs. Default: the usual places. */
  readonly path?: string | undefined;
  /** The migrations to apply. Default: all. */
  readonly migrations?: readonly Migration[];
}

/** Opens or creates the store in a directory, for one process at a time. A failure leaves nothing open. */
export async function openStore(directory: string, options: OpenStoreOptions): Promise<Store> {
  const { now, migrations = MIGRATIONS } = options;
  await assertUntracked(directory, options.path);
  const file = join(directory, DATABASE_NAME);
  const warnings = [...checkWriters([directory, file]), ...warnAboutParents(directory)];
  const connection = openDatabase(file);
  const driver = new SqliteDriver(connection, file);
  const database = new Kysely<Tables>({
    dialect: createSqliteDialect(driver),
    plugins: [new CamelCasePlugin()],
  });
  try {
    await migrate(database.withoutPlugins() as unknown as Kysely<MigrationTables>, {
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

/**
 * Checks who else can write to the paths of a store. Throws if every user can. Returns a warning for each path that a
 * group can write to, or that belongs to a user other than root and this process's. A missing path is fine.
 */
function checkWriters(paths: readonly string[]): readonly string[] {
  const own = process.getuid?.();
  if (own === undefined) return [];
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if ((found.mode & ALL_WRITE) !== 0) throw openToAll(path);
    if (found.uid !== own && found.uid !== 0)
      return [`${path} belongs to user ${found.uid}, who can replace the gateway's keys, settings and skills.`];
    if ((found.mode & GROUP_WRITES) === 0) return [];
    return [
      `Group ${found.gid} can write to ${path} and replace the gateway's keys, settings and skills. To prevent that, run: chmod g-w ${path}`,
    ];
  });
}

/**
 * Returns a warning for each directory above the data directory, or above a link to it, that every user can write to.
 * Not an error, because some development containers open their working directory to everyone.
 */
function warnAboutParents(directory: string): readonly string[] {
  if (process.getuid === undefined) return [];
  const { links, real } = followPath(directory);
  const parents = new Set([...links, real].flatMap(parentsOf));
  return [...parents].flatMap((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & ALL_WRITE) === 0 || (mode & STICKY) !== 0) return [];
    return [
      `Every user of this machine can write to ${path}, and could put another data directory, with other keys, in the place of ${directory}. If that is not wanted, run: chmod o-w ${path}`,
    ];
  });
}

function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

function openToAll(path: string): GatewayError {
  const message = `Every user of this machine can write to ${path}, and could add keys, settings and skills. Run \`chmod o-w ${path}\`, or use another directory with --data.`;
  return new GatewayError('DataDirectoryShared', message, { data: { path } });
}
