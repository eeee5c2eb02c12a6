import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '../../spec/gateway-error.ts';
import { loadSqlite } from './load-sqlite.ts';
import { readHolder, removeHolderNote, writeHolderNote } from './holder-note.ts';
import { toStoreError } from './sqlite-error.ts';

/** How long another process may take to let go, such as one that is just ending. */
const BUSY_MS = 500;

/**
 * Exclusive locking keeps the operating system's lock from the first access until the file is closed or the process is
 * gone, however it ends. A write-ahead log with NORMAL survives every crash of the process; a power cut may undo the last
 * moments, but never half of a transaction. Waiting for the disk at every commit would stop the event loop for milliseconds.
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

/** Opens the file, or creates it, for this process alone. Throws coded errors and leaves nothing open then. */
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

/** Lets go of the file. */
export function closeDatabase(database: DatabaseSync, file: string): void {
  if (!database.isOpen) return;
  removeHolderNote(file);
  database.close();
}

function connect(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  try {
    return new DatabaseSync(file, { timeout: BUSY_MS });
  } catch (error) {
    throw toStoreError(error, file);
  }
}

/** It holds what people asked models: nobody else on the machine reads it, and it is not for version control. */
function createPrivately(file: string): void {
  try {
    const directory = dirname(file);
    const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
    if (isNew) writeFileSync(join(directory, '.gitignore'), '*\n', { mode: 0o600 });
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
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
  const message = `${holder} has the database ${file} open, and only one gateway may. End it, or give this one another data directory.`;
  return new GatewayError('StoreInUse', message, {
    data: { file, ...(pid === undefined ? {} : { pid }) },
    cause: error.cause,
  });
}
