import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { GatewayError } from '../../spec/gateway-error.ts';
import { DatabaseHealth, type HealthListener } from './database-health.ts';
import { closeDatabase } from './open-database.ts';
import { toStoreError } from './sqlite-error.ts';

/**
 * The most statements to cache. Lists of different lengths make different statements, so the least recently used
 * statement is dropped.
 */
const MAX_STATEMENTS = 200;

interface PreparedStatement {
  readonly statement: StatementSync;
  /** Whether the statement returns rows. */
  readonly returnsRows: boolean;
}

/** Kysely's SQLite dialect on top of the driver below. */
export function createSqliteDialect(driver: SqliteDriver): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Prepared statements by their text. */
class StatementCache {
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

/** Gives the single connection to one caller at a time, in order. */
class TurnTaking {
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Passes the connection to the next in line. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}

/**
 * Runs Kysely's queries on a single connection. Queries and transactions take turns, so that no query joins another
 * caller's transaction. Therefore a transaction must not wait for a query outside of it: it would wait forever.
 */
export class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #connection: SqliteConnection;
  readonly #health: DatabaseHealth;
  readonly #turns = new TurnTaking();

  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
    this.#health = new DatabaseHealth(file);
    this.#connection = new SqliteConnection(database, file, this.#health);
  }

  /** Calls back when the database begins to fail and when it works again. */
  watchHealth(listener: HealthListener): void {
    this.#health.watch(listener);
  }

  /** Throws a coded error if the database cannot be written. */
  async check(): Promise<void> {
    await this.#inTurn(() => this.#connection.check());
  }

  async init(): Promise<void> {}

  /** Never rejects, because Kysely would then never hand out the connection again. Queries report a closed database. */
  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#turns.give();
  }

  async beginTransaction(): Promise<void> {
    this.#connection.assertWritable();
    this.#connection.execute('BEGIN IMMEDIATE');
  }

  async commitTransaction(): Promise<void> {
    this.#connection.execute('COMMIT');
  }

  /** Rolls a transaction back, unless SQLite has already done so because the disk is full or failed. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isOpen && this.#database.isTransaction) this.#connection.execute('ROLLBACK');
  }

  /** Lets SQLite update its statistics after large changes, so that it picks better indexes. Usually does nothing. */
  async refreshStatistics(): Promise<void> {
    await this.#inTurn(() => this.#connection.execute('PRAGMA optimize'));
  }

  /** Waits for all earlier callers, and closes the file. Safe to call again. */
  async destroy(): Promise<void> {
    await this.#inTurn(() => closeDatabase(this.#database, this.#file));
  }

  async #inTurn(work: () => void): Promise<void> {
    await this.#turns.take();
    try {
      work();
    } finally {
      this.#turns.give();
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements: StatementCache;
  readonly #file: string;
  readonly #health: DatabaseHealth;

  constructor(database: DatabaseSync, file: string, health: DatabaseHealth) {
    this.#database = database;
    this.#statements = new StatementCache(database);
    this.#file = file;
    this.#health = health;
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    if (query.kind === 'SelectQueryNode') this.#assertOpen();
    else this.assertWritable();
    try {
      const { statement, returnsRows } = this.#statements.prepare(sql);
      const values = parameters.map(toSqlValue);
      if (returnsRows) return { rows: statement.all(...values) as R[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    } catch (error) {
      throw this.#health.note(toStoreError(error, this.#file));
    }
  }

  /** Yields one batch, because the results here are small. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  execute(sql: string): void {
    this.#assertOpen();
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw this.#health.note(toStoreError(error, this.#file));
    }
  }

  /** Throws if a write would fail or be lost, as far as that can be known without writing. */
  assertWritable(): void {
    this.#assertOpen();
    this.#health.assertInPlace();
  }

  /** Rewrites the database's version number, which makes SQLite write a page to its log. */
  check(): void {
    this.assertWritable();
    this.#health.assertRoom();
    this.execute('PRAGMA user_version = 0');
    this.#health.noteWorking();
  }

  #assertOpen(): void {
    if (this.#database.isOpen) return;
    throw new GatewayError('StoreClosed', 'The store of the gateway was closed. Create another gateway.');
  }
}

/** Converts a value to a type that SQLite accepts. */
function toSqlValue(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
}
