import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { GatewayError, messageOf } from '../../spec/gateway-error.ts';
import { toStoreError } from './sqlite-error.ts';

type Sqlite = typeof sqlite;

let loaded: Sqlite | undefined;

/** How long to wait for another process to release the file, such as one that is just ending. */
const BUSY_MS = 500;

/**
 * Exclusive locking keeps the system's file lock until the file is closed or the process ends in any way. A write-ahead
 * log with NORMAL survives every crash of the process; a power cut may undo the last moments, but never half a
 * transaction. Syncing the disk at every commit would block the event loop for milliseconds.
 */
const SETTINGS = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = NORMAL',
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  'BEGIN EXCLUSIVE',
  'COMMIT',
];

/** Opens or creates the file for this process alone. Throws coded errors, and then leaves nothing open. */
export function openDatabase(file: string): DatabaseSync {
  createPrivately(file);
  const database = connect(file);
  try {
    for (const setting of SETTINGS) database.exec(setting);
  } catch (error) {
    database.close();
    throw refusal(toStoreError(error, file), file);
  }
  writeHolderNote(file);
  return database;
}

/** Closes the file. */
export function closeDatabase(database: DatabaseSync, file: string): void {
  if (!database.isOpen) return;
  rmSync(noteOf(file), { force: true });
  database.close();
}

/** Checks the database and copies it, completely or not at all. Returns the path of the copy. */
export function backUpDatabase(database: DatabaseSync, file: string, label: string): string {
  const copy = `${file}.${label}.backup`;
  const unfinished = `${copy}.part`;
  try {
    assertSound(database, file);
    rmSync(unfinished, { force: true });
    database.prepare('VACUUM INTO ?').run(unfinished);
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, copy);
    return copy;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw toStoreError(error, file);
  }
}

function assertSound(database: DatabaseSync, file: string): void {
  const [finding] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (finding === 'ok') return;
  throw new GatewayError('StoreCorrupt', `The database ${file} is damaged: ${String(finding)}.`, { data: { file } });
}

function connect(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  try {
    return new DatabaseSync(file, { timeout: BUSY_MS });
  } catch (error) {
    throw toStoreError(error, file);
  }
}

/**
 * Creates the file so that no other user can read it and git ignores it: it holds people's conversations with models.
 */
function createPrivately(file: string): void {
  try {
    const directory = dirname(file);
    const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
    if (isNew) writeFileSync(join(directory, '.gitignore'), '*\n', { mode: 0o600 });
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const text = messageOf(error);
    throw new GatewayError('StoreUnavailable', `The database ${file} cannot be written: ${text}.`, {
      data: { file },
      cause: error,
    });
  }
}

function refusal(error: unknown, file: string): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'StoreInUse') return error;
  const pid = readHolder(file);
  const holder = pid === undefined ? 'Another process' : `Process ${pid}`;
  const message = `${holder} has the database ${file} open, and only one gateway can use it. Stop that process, or give this gateway another data directory.`;
  return new GatewayError('StoreInUse', message, {
    data: { file, ...(pid === undefined ? {} : { pid }) },
    cause: error.cause,
  });
}

/**
 * Writes the holder's process id beside the database. The system's lock does the locking and ends with the process; the
 * note only names the holder in an error.
 */
function writeHolderNote(file: string): void {
  try {
    writeFileSync(noteOf(file), `${JSON.stringify({ pid: process.pid })}\n`, { mode: 0o600 });
  } catch {
    // The note is optional: without it, the error does not name the holder.
  }
}

/** The process id in the note; `undefined` if it cannot be read. */
function readHolder(file: string): number | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(file), 'utf8'));
    const pid = typeof note === 'object' && note !== null && 'pid' in note ? note.pid : undefined;
    return typeof pid === 'number' && Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function noteOf(file: string): string {
  return `${file}.holder`;
}

/**
 * `node:sqlite`, without Node 22's warning that it is experimental: the parts that the gateway uses did not change
 * later. Not a static import, because on a Node version without this module the gateway must still be able to report
 * that Node is too old.
 */
function loadSqlite(): Sqlite {
  loaded ??= withoutItsWarning(() => process.getBuiltinModule('node:sqlite') as Sqlite | undefined);
  if (loaded !== undefined) return loaded;
  throw new GatewayError(
    'StoreUnavailable',
    `${process.execPath} does not have node:sqlite. Run the gateway with Node.js.`,
  );
}

/**
 * Hides this one warning from all listeners, including Node's own, which prints warnings. All other warnings reach the
 * listeners.
 */
function withoutItsWarning<T>(load: () => T): T {
  const listeners = process.rawListeners('warning') as ((warning: Error) => void)[];
  const passOn = (warning: Error): void => {
    // The warning has no code to match.
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return;
    for (const listener of listeners) listener.call(process, warning);
  };
  for (const listener of listeners) process.off('warning', listener);
  process.on('warning', passOn);
  // Node emits warnings in the next tick.
  setImmediate(() => {
    process.off('warning', passOn);
    for (const listener of listeners) process.on('warning', listener);
  });
  return load();
}
