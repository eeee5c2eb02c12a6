import type { Kysely } from 'kysely';

/** Traces of turns with skills. */
export async function createTraces(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('traces')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('session', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('rounds', 'integer', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint')
    .addColumn('output_tokens', 'bigint')
    .addColumn('skills', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    // The last column, because it may be long: lists are read without it.
    .addColumn('events', 'text', (column) => column.notNull())
    .execute();
  const createIndex = (name: string, columns: readonly string[]): Promise<void> =>
    database.schema
      .createIndex(name)
      .on('traces')
      .columns([...columns])
      .execute();
  await createIndex('traces_by_time', ['started_at']);
  await createIndex('traces_by_tenant', ['tenant', 'started_at']);
  await createIndex('traces_by_session', ['session', 'started_at']);
}
