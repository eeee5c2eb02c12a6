import type { Kysely } from 'kysely';
import { withoutAbsent } from '../../spec/json-object.ts';
import { readPage, type Page, type PageRequest } from '../page.ts';
import type { Tables } from '../schema.ts';

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
