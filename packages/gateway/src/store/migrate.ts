import type { Kysely } from 'kysely';
import type { Clock } from '../spec/clock.ts';
import { GatewayError, messageOf } from '../spec/gateway-error.ts';
import type { Migration } from './migrations/migration-list.ts';
import type { MigrationTables } from './schema.ts';
import { isSchemaError } from './sqlite/sqlite-error.ts';

export interface MigrateOptions {
  /** The path of the database, for messages. */
  readonly file: string;
  /** The migrations, in ascending order of their versions. */
  readonly migrations: readonly Migration[];
  /** Called with the current version before a database that holds data is changed. */
  readonly backUp: (version: number) => void;
  readonly now: Clock;
}

/**
 * Migrates the database to the latest version, one transaction per step: a failure leaves the previous version. Refuses
 * a database of a later version, or one that does not match its list of migrations, and leaves it unchanged.
 */
export async function migrate(database: Kysely<MigrationTables>, options: MigrateOptions): Promise<void> {
  const { file, migrations, backUp, now } = options;
  await database.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  const applied = await versionsOf(database);
  const version = Math.max(0, ...applied);
  const known = migrations.at(-1)?.version ?? 0;
  if (version > known) throw tooNew(version, known);
  const lost = migrations.find((migration) => migration.version < version && !applied.has(migration.version));
  if (lost !== undefined) throw damaged(file, `it has version ${version}, but migration ${lost.version} is missing`);
  const missing = migrations.filter((migration) => migration.version > version);
  if (missing.length > 0 && version > 0) backUp(version);
  for (const migration of missing) {
    await apply(database, migration, now()).catch((error: unknown) => {
      if (!isSchemaError(error)) throw error;
      const reason = messageOf(error);
      throw damaged(file, `migration ${migration.version} failed: ${reason}`, error);
    });
  }
}

async function versionsOf(database: Kysely<MigrationTables>): Promise<ReadonlySet<number>> {
  const rows = await database.selectFrom('schema_migrations').select('version').execute();
  return new Set(rows.map(({ version }) => version));
}

async function apply(database: Kysely<MigrationTables>, { version, name, up }: Migration, now: number): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await up(transaction as unknown as Kysely<unknown>);
    await transaction.insertInto('schema_migrations').values({ version, name, applied_at: now }).execute();
  });
}

function tooNew(version: number, known: number): GatewayError {
  const message = `The database has version ${version}, written by a newer gateway; this one supports versions up to ${known}. Update this gateway, or restore the backup from before the update.`;
  return new GatewayError('StoreNewer', message, { data: { version, known } });
}

function damaged(file: string, reason: string, cause?: unknown): GatewayError {
  const message = `The database ${file} is damaged: ${reason}. Restore a backup, or move the file away to start with an empty one.`;
  return new GatewayError('StoreCorrupt', message, { data: { file }, cause });
}
