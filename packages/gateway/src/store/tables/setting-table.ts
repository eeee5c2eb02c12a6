import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

/** Settings by name; what they may hold is for those who use them. */
export interface SettingTable {
  /** Every setting that was ever written. */
  readAll(): Promise<Readonly<Record<string, unknown>>>;
  /** Writes these and leaves the others, all or none. */
  write(values: Readonly<Record<string, unknown>>, now: number): Promise<void>;
}

export function createSettingTable(database: Kysely<Tables>): SettingTable {
  return {
    readAll: async () => {
      const rows = await database.selectFrom('settings').select(['name', 'value']).execute();
      return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]));
    },

    write: async (values, now) => {
      const rows = Object.entries(values).map(([name, value]) => ({
        name,
        value: JSON.stringify(value),
        updated_at: now,
      }));
      if (rows.length === 0) return;
      await database
        .insertInto('settings')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((set) => ({
            value: set.ref('excluded.value'),
            updated_at: set.ref('excluded.updated_at'),
          })),
        )
        .execute();
    },
  };
}
