import type { Kysely } from 'kysely';

/** Creates indexes of a table. The name of each is the name of the table, an underscore and the key. */
export async function createIndexes(
  database: Kysely<unknown>,
  table: string,
  indexes: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (const [name, columns] of Object.entries(indexes))
    await database.schema
      .createIndex(`${table}_${name}`)
      .on(table)
      .columns([...columns])
      .execute();
}
