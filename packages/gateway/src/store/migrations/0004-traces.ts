import type { Kysely } from 'kysely';
import { createIndexes } from './create-indexes.ts';

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
    // This is the last column, because its values may be long and lists can then be read without them.
    .addColumn('events', 'text', (column) => column.notNull())
    .execute();
  await createIndexes(database, 'traces', {
    by_time: ['started_at'],
    by_tenant: ['tenant', 'started_at'],
    by_session: ['session', 'started_at'],
  });
}
