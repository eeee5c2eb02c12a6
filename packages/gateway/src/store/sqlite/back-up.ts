import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '../../spec/gateway-error.ts';
import { toStoreError } from './sqlite-error.ts';

/** Checks the database and writes a copy of it, whole or not at all. Returns the path of the copy. */
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
