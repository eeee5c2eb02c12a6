import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool } from 'kysely';
import { toPage, type Page, type PageRequest } from '../page.ts';
import type { AuditColumns, Tables } from '../schema.ts';

/** Something that somebody changed. Holds no secrets. */
export interface AuditEntry {
  readonly id: string;
  /** What was done, such as `skill.update`. */
  readonly action: string;
  /** What it was done to; null where there is only one. */
  readonly targetId: string | null;
  /** Who did it; null for the operator at the data directory itself. */
  readonly apiKeyId: string | null;
  readonly requestId: string;
  readonly createdAt: number;
  /** Null for what was not there before. */
  readonly before: unknown;
  /** Null for what is not there any more. */
  readonly after: unknown;
}

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly targetId?: string | undefined;
  readonly apiKeyId?: string | undefined;
}

export interface AuditTable {
  add(entry: AuditEntry): Promise<void>;
  /** The newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Removes at most `limit` entries of before a time. Returns how many it were. */
  removeBefore(time: number, limit: number): Promise<number>;
}

export function createAuditTable(database: Kysely<Tables>): AuditTable {
  return {
    add: async ({ id, action, targetId, apiKeyId, requestId, createdAt, before, after }) => {
      await database
        .insertInto('audit_entries')
        .values({
          id,
          action,
          target_id: targetId,
          api_key_id: apiKeyId,
          request_id: requestId,
          created_at: createdAt,
          before: toJson(before),
          after: toJson(after),
        })
        .execute();
    },

    list: async (filter, page) => {
      const rows = await database
        .selectFrom('audit_entries')
        .selectAll()
        .where((where) => matches(where, filter))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(page.limit)
        .offset((page.page - 1) * page.limit)
        .execute();
      const counted = await database
        .selectFrom('audit_entries')
        .select((expression) => expression.fn.countAll().as('count'))
        .where((where) => matches(where, filter))
        .executeTakeFirst();
      return toPage(rows.map(toEntry), Number(counted?.count ?? 0), page);
    },

    removeBefore: async (time, limit) => {
      const old = database.selectFrom('audit_entries').select('id').where('created_at', '<', time).limit(limit);
      const { numDeletedRows } = await database.deleteFrom('audit_entries').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function matches(
  where: ExpressionBuilder<Tables, 'audit_entries'>,
  { action, targetId, apiKeyId }: AuditFilter,
): Expression<SqlBool> {
  return where.and([
    ...(action === undefined ? [] : [where('action', '=', action)]),
    ...(targetId === undefined ? [] : [where('target_id', '=', targetId)]),
    ...(apiKeyId === undefined ? [] : [where('api_key_id', '=', apiKeyId)]),
  ]);
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

function toEntry(row: Selectable<AuditColumns>): AuditEntry {
  return {
    id: row.id,
    action: row.action,
    targetId: row.target_id,
    apiKeyId: row.api_key_id,
    requestId: row.request_id,
    createdAt: row.created_at,
    before: row.before === null ? null : (JSON.parse(row.before) as unknown),
    after: row.after === null ? null : (JSON.parse(row.after) as unknown),
  };
}
