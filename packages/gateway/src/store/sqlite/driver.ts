import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '../../spec/gateway-error.ts';
import { DatabaseHealth, type HealthListener } from './database-health.ts';
import { closeDatabase } from './open-database.ts';
import { toStoreError } from './sqlite-error.ts';
import { StatementCache, toSqlValue } from './statement-cache.ts';
import { TurnTaking } from './turn-taking.ts';

/**
 * Runs Kysely's queries on the one connection there is. Queries and transactions take turns, so that nothing slips into
 * a transaction of somebody else. A transaction that waits for a query outside of it would therefore wait for ever.
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

  /** Tells when the database begins to fail and when it works again. */
  watchHealth(listener: HealthListener): void {
    this.#health.watch(listener);
  }

  /** Throws a coded error if something could not be written. */
  async check(): Promise<void> {
    await this.acquireConnection();
    try {
      this.#connection.check();
    } finally {
      this.#turns.give();
    }
  }

  async init(): Promise<void> {}

  /** Never rejects: Kysely would then let nobody have the connection again. What is closed is told by what uses it. */
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

  /** SQLite undoes a transaction by itself when the disk is full or fails. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isOpen && this.#database.isTransaction) this.#connection.execute('ROLLBACK');
  }

  /** Lets SQLite count what it holds, where that has changed much: it then picks better indexes. Mostly does nothing. */
  async refreshStatistics(): Promise<void> {
    await this.acquireConnection();
    try {
      this.#connection.execute('PRAGMA optimize');
    } finally {
      this.#turns.give();
    }
  }

  /** Waits until everybody before has finished, and closes the file. May be called again. */
  async destroy(): Promise<void> {
    await this.#turns.take();
    try {
      closeDatabase(this.#database, this.#file);
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

  /** In one piece: what is read here is small enough to be counted. */
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

  /** Throws where a write would fail or be lost, as far as that can be known without writing. */
  assertWritable(): void {
    this.#assertOpen();
    this.#health.assertInPlace();
  }

  /** Writes the number that the database has already: SQLite puts a page of it into its log. */
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
