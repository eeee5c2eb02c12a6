import { sql, type Kysely } from 'kysely';
import { createIndexes } from './create-indexes.ts';

/** The skill registry, and indexes for listing many executions. */
export async function createRegistryTables(database: Kysely<unknown>): Promise<void> {
  await createSkills(database);
  await indexExecutions(database);
}

async function createSkills(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('skills')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('handler', 'text')
    .addColumn('schema', 'text', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('policy', 'text', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('install_count', 'integer', (column) => column.notNull())
    .addColumn('source_provider', 'text', (column) => column.notNull())
    .addColumn('source_url', 'text')
    .addColumn('digest', 'text')
    .addColumn('timeout_ms', 'bigint')
    .addColumn('retries', 'integer')
    .addColumn('operator_set', 'text', (column) => column.notNull())
    .addColumn('missing_since', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addCheckConstraint('skills_mode', sql`mode in ('on', 'off', 'auto')`)
    .addCheckConstraint('skills_policy', sql`policy in ('auto', 'manual', 'hybrid')`)
    .addCheckConstraint('skills_kind', sql`kind in ('package', 'handler', 'builtin')`)
    .execute();
  await createIndexes(database, 'skills', { by_key: ['api_key_id', 'name'] });
  // Shared skills have a null key. They need their own index, because SQL treats nulls as different.
  await database.schema
    .createIndex('skills_of_key')
    .on('skills')
    .columns(['api_key_id', 'name', 'version'])
    .unique()
    .execute();
  await database.schema
    .createIndex('skills_shared')
    .on('skills')
    .columns(['name', 'version'])
    .unique()
    .where(sql.ref('api_key_id'), 'is', null)
    .execute();
}

/**
 * The indexes of the first step lack the id at the end, so SQLite sorts rows of the same time and reads whole rows to
 * skip them.
 */
const OUTDATED = ['by_name', 'by_key', 'by_status', 'by_time'];

/** One index for every combination of filters, so that pages and counts are read from an index alone. */
const INDEXES = {
  by_time: ['created_at', 'id'],
  by_status: ['status', 'created_at', 'id'],
  by_name: ['skill_name', 'created_at', 'id'],
  by_key: ['api_key_id', 'created_at', 'id'],
  by_name_status: ['skill_name', 'status', 'created_at', 'id'],
  by_key_status: ['api_key_id', 'status', 'created_at', 'id'],
  by_key_name: ['api_key_id', 'skill_name', 'created_at', 'id', 'status'],
};

async function indexExecutions(database: Kysely<unknown>): Promise<void> {
  for (const name of OUTDATED) await database.schema.dropIndex(`skill_executions_${name}`).execute();
  await createIndexes(database, 'skill_executions', INDEXES);
}
