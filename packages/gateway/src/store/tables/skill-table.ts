import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { SkillColumns, Tables } from '../schema.ts';

/** A row of the registry as the database has it. */
export type SkillRow = Selectable<SkillColumns>;

/** The registry's rows. What they mean is for the registry to say. */
export interface SkillTable {
  /** Throws `StoreConflict` when the id, or the key with this name and version, is taken. */
  add(row: Insertable<SkillColumns>): Promise<void>;
  /** False when there is none. */
  update(id: string, values: Updateable<SkillColumns>): Promise<boolean>;
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
      database.selectFrom('skills').selectAll().orderBy('name').orderBy('created_at').orderBy('id').execute(),
  };
}
