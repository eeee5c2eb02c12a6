import { sql, type Kysely } from 'kysely';
import { createIndexes } from './create-indexes.ts';

/** Keys, settings, the ledger of hidden turns, and executions with their attempts. */
export async function createGround(database: Kysely<unknown>): Promise<void> {
  await createKeys(database);
  await createSettings(database);
  await createLedger(database);
  await createExecutions(database);
  await createAttempts(database);
}

async function createKeys(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('requests_per_minute', 'integer')
    .addColumn('concurrent_requests', 'integer')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute();
}

async function createSettings(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createLedger(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('ledger')
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_key', ['tenant', 'hash'])
    .execute();
  await createIndexes(database, 'ledger', { by_expiry: ['expires_at'] });
}

async function createExecutions(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('skill_executions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('skill_id', 'text', (column) => column.notNull())
    .addColumn('skill_name', 'text', (column) => column.notNull())
    .addColumn('version', 'text')
    .addColumn('api_key_id', 'text')
    .addColumn('session_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error_message', 'text')
    .addColumn('error_code', 'text')
    .addColumn('duration_ms', 'bigint')
    .addColumn('tier', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    // This is the last column, because its values may be long and filters can then be read without them.
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('output', 'text')
    .addCheckConstraint(
      'skill_executions_status',
      sql`status in ('pending', 'running', 'success', 'error', 'timeout', 'cancelled')`,
    )
    .execute();
  await createIndexes(database, 'skill_executions', {
    by_skill: ['skill_id', 'status', 'created_at'],
    by_name: ['skill_name', 'created_at'],
    by_key: ['api_key_id', 'created_at'],
    by_status: ['status', 'created_at'],
    by_time: ['created_at'],
  });
}

async function createAttempts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('skill_execution_attempts')
    .addColumn('execution_id', 'text', (column) =>
      column.notNull().references('skill_executions.id').onDelete('cascade'),
    )
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error_message', 'text')
    .addColumn('error_code', 'text')
    .addColumn('duration_ms', 'bigint')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('skill_execution_attempts_key', ['execution_id', 'attempt'])
    .addCheckConstraint(
      'skill_execution_attempts_status',
      sql`status in ('running', 'success', 'error', 'timeout', 'cancelled')`,
    )
    .execute();
}
