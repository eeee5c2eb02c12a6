import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { GatewayError, messageOf } from '../../spec/gateway-error.ts';

/** SQLite's primary result codes, which never change. */
const CODES: Readonly<Record<number, readonly [code: GatewayErrorCode, what: string]>> = {
  3: ['StoreUnavailable', 'cannot be accessed'],
  5: ['StoreInUse', 'is in use by another process'],
  6: ['StoreInUse', 'is in use by another process'],
  8: ['StoreUnavailable', 'is read-only'],
  10: ['StoreUnavailable', 'cannot be read or written'],
  11: ['StoreCorrupt', 'is damaged'],
  13: ['StoreFull', 'cannot grow: the disk is full'],
  14: ['StoreUnavailable', 'cannot be opened'],
  19: ['StoreConflict', 'has data that conflicts with the write'],
  23: ['StoreUnavailable', 'cannot be accessed'],
  26: ['StoreCorrupt', 'is not a SQLite database'],
};

/** Turns an SQLite error into a coded error. Any other error is a defect and stays unchanged. */
export function toStoreError(error: unknown, file: string): unknown {
  const [code, what] = CODES[primaryCode(error)] ?? [];
  if (code === undefined) return error;
  const text = messageOf(error);
  return new GatewayError(code, `The database ${file} ${what}: ${text}.`, { data: { file }, cause: error });
}

/** Whether an SQLite error means that a statement does not match the tables. */
export function isSchemaError(error: unknown): boolean {
  return primaryCode(error) === 1;
}

/** The low byte of SQLite's code; 0 for other errors. */
function primaryCode(error: unknown): number {
  const isOurs = typeof error === 'object' && error !== null && 'errcode' in error;
  return isOurs && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
}
