import { sql, type Kysely } from 'kysely';

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
  const index = database.schema.createIndex('approvals_by_subject').on('approvals');
  await index.columns(['skill_name', 'target', 'created_at']).execute();
  const listed = database.schema.createIndex('approvals_by_status').on('approvals');
  await listed.columns(['status', 'created_at']).execute();
  await database.schema.createIndex('approvals_by_expiry').on('approvals').column('expires_at').execute();
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
  await database.schema.createIndex('audit_entries_by_time').on('audit_entries').column('created_at').execute();
  const byTarget = database.schema.createIndex('audit_entries_by_target').on('audit_entries');
  await byTarget.columns(['target_id', 'created_at']).execute();
}
