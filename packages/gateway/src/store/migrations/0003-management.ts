import { sql, type Kysely } from 'kysely';
import { createIndexes } from './create-indexes.ts';

/** Approvals and the audit trail. */
export async function createManagement(database: Kysely<unknown>): Promise<void> {
  await createApprovals(database);
  await createAudit(database);
}

async function createApprovals(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('approvals')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('skill_name', 'text', (column) => column.notNull())
    .addColumn('version', 'text')
    .addColumn('digest', 'text')
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text')
    .addColumn('session_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('scope', 'text')
    .addColumn('decided_by', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('decided_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('used_at', 'bigint')
    .addColumn('input_hash', 'text', (column) => column.notNull())
    .addColumn('input', 'text', (column) => column.notNull())
    .addCheckConstraint('approvals_status', sql`status in ('pending', 'allowed', 'denied')`)
    .execute();
  await createIndexes(database, 'approvals', {
    by_subject: ['skill_name', 'target', 'created_at'],
    by_status: ['status', 'created_at'],
    by_expiry: ['expires_at'],
  });
}

async function createAudit(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('audit_entries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text')
    .addColumn('api_key_id', 'text')
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute();
  await createIndexes(database, 'audit_entries', { by_time: ['created_at'], by_target: ['target_id', 'created_at'] });
}
