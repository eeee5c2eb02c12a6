import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

/** A registry row in the database. */
export interface SkillRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The id of the key that owns the skill; null for a skill that every key shares. */
  readonly apiKeyId: string | null;
  readonly kind: string;
  readonly handler: string | null;
  /** The schemas of input and output, as JSON. */
  readonly schema: string;
  readonly mode: string;
  readonly policy: string;
  /** The tags, as a JSON array. */
  readonly tags: string;
  readonly installCount: number;
  readonly sourceProvider: string;
  readonly sourceUrl: string | null;
  readonly digest: string | null;
  readonly timeoutMs: number | null;
  readonly retries: number | null;
  /** A JSON array of the columns that an operator set. The skill's source does not change them. */
  readonly operatorSet: string;
  /** When the skill disappeared from its source; null while it is there. */
  readonly missingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The rows of the registry, without interpretation. */
export interface SkillTable {
  /** Adds a row. Throws `StoreConflict` if the id is taken, or if the key already has this name and version. */
  add(row: SkillRow): Promise<void>;
  /** Changes a row. Returns false if it does not exist. */
  update(id: string, values: Partial<SkillRow>): Promise<boolean>;
  /** Removes a row. Returns false if it does not exist. */
  remove(id: string): Promise<boolean>;
  /** Reads all rows, ordered by name, then by creation. */
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
