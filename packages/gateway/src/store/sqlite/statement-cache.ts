import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** Lists of different lengths make different statements: what has not been used for longest makes room. */
const MAX_STATEMENTS = 200;

export interface PreparedStatement {
  readonly statement: StatementSync;
  /** Whether it answers with rows. */
  readonly returnsRows: boolean;
}

/** Statements that were prepared before, by their text. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): PreparedStatement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MAX_STATEMENTS && oldest !== undefined) this.#prepared.delete(oldest);
    return prepared;
  }
}

/** A value as SQLite takes it. */
export function toSqlValue(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
}
