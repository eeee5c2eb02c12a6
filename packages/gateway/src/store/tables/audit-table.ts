import type { Kysely } from 'kysely';
import { withoutAbsent } from '../../spec/json-object.ts';
import { readPage, type Page, type PageRequest } from '../page.ts';
import type { Tables } from '../schema.ts';

/** A recorded change. Holds no secrets. */
export interface AuditEntry {
  readonly id: string;
  /** The action, such as `skill.update`. */
  readonly action: string;
  /** The id of the changed object; null if there is only one object of its kind, such as the settings. */
  readonly targetId: string | null;
  /** The key that made the change; null for the operator with direct access to the data directory. */
  readonly apiKeyId: string | null;
  readonly requestId: string;
  readonly createdAt: number;
  /** The object before the change; null for a new object. */
  readonly before: unknown;
  /** The object after the change; null for a removed object. */
  readonly after: unknown;
}

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly targetId?: string | undefined;
  readonly apiKeyId?: string | undefined;
}

export interface AuditTable {
  add(entry: AuditEntry): Promise<void>;
  /** Lists entries, newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Removes at most `limit` entries older than a time. Returns how many. */
  removeBefore(time: number, limit: number): Promise<number>;
}

export function createAuditTable(database: Kysely<Tables>): AuditTable {
  return {
    add: async (entry) => {
      await database
        .insertInto('auditEntries')
        .values({ ...entry, before: toJson(entry.before), after: toJson(entry.after) })
        .execute();
    },

    list: ({ action, targetId, apiKeyId }, page) => {
      const matching = database
        .selectFrom('auditEntries')
        .selectAll()
        .where((where) => where.and(withoutAbsent({ action, targetId, apiKeyId })));
      return readPage(matching.orderBy('createdAt', 'desc').orderBy('id'), page, toEntry);
    },

    removeBefore: async (time, limit) => {
      const old = database.selectFrom('auditEntries').select('id').where('createdAt', '<', time).limit(limit);
      const { numDeletedRows } = await database.deleteFrom('auditEntries').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

function toEntry({ before, after, ...row }: Tables['auditEntries']): AuditEntry {
  return {
    ...row,
    before: before === null ? null : (JSON.parse(before) as unknown),
    after: after === null ? null : (JSON.parse(after) as unknown),
  };
}
