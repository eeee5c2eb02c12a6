import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

/** A row of the registry as the database has it. */
export interface SkillRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Null for a skill that every key shares. */
  readonly apiKeyId: string | null;
  readonly kind: string;
  readonly handler: string | null;
  /** JSON: the schemas of what goes in and what comes out. */
  readonly schema: string;
  readonly mode: string;
  readonly policy: string;
  /** A JSON array. */
  readonly tags: string;
  readonly installCount: number;
  readonly sourceProvider: string;
  readonly sourceUrl: string | null;
  readonly digest: string | null;
  readonly timeoutMs: number | null;
  readonly retries: number | null;
  /** A JSON array of the columns that an operator set: what comes from the skill itself leaves them alone. */
  readonly operatorSet: string;
  /** When its source had it no more; null while it has. */
  readonly missingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The registry's rows. The registry gives them their meaning. */
export interface SkillTable {
  /** Throws `StoreConflict` when the id, or the key with this name and version, is taken. */
  add(row: SkillRow): Promise<void>;
  /** False when there is none. */
  update(id: string, values: Partial<SkillRow>): Promise<boolean>;
  /** False when there is none. */
  remove(id: string): Promise<boolean>;
  /** By name, then by when they came. */
  readAll(): Promise<readonly SkillRow[]>;
}

export function createSkillTable(database: Kysely<Tables>): SkillTable {
  return {
    add: async (row) => {
      await database.insertInto('skills').values(row).execute();
    },

    update: async (id, values) => {
      const { numUpdatedRows } = await database
        .updateTable('skills')
        .set(values)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    remove: async (id) => {
      const { numDeletedRows } = await database.deleteFrom('skills').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    readAll: () =>
      database.selectFrom('skills').selectAll().orderBy('name').orderBy('createdAt').orderBy('id').execute(),
  };
}
