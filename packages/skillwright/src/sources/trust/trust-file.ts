import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute } from 'node:path';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { isMissing, systemReason } from '../file-errors.ts';
import { EFFECT, unsafeFile, unsafePlace } from './unsafe-place.ts';
import { isJsonObject, jsonValue } from '../../parse/json/json-source.ts';

/** The decision for a directory and everything below it. */
export interface TrustEntry {
  /** The path with links resolved. */
  readonly path: string;
  readonly level: Exclude<TrustLevel, 'untrusted'>;
  /** The time in ISO 8601. */
  readonly at: string;
}

export type TrustFileContent =
  | { readonly ok: true; readonly entries: readonly TrustEntry[] }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

const VERSION = 1;
const MAX_BYTES = 4_194_304;
const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a trust file of the user with this home directory; a missing file is empty. Anything unusual makes the whole
 * file invalid.
 */
export function readTrustFile(file: string, home: string): TrustFileContent {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, OPEN_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return invalid(file, 'it is not a regular file');
    const unsafe = unsafeFile(file, stats) ?? unsafePlace(file, home);
    if (unsafe !== undefined) return { ok: false, diagnostic: unsafe };
    if (stats.size > MAX_BYTES) return invalid(file, `it has ${stats.size} bytes, the limit is ${MAX_BYTES}`);
    return parseTrustFile(file, readFileSync(descriptor, 'utf8'));
  } catch (error) {
    if (!isMissing(error)) return invalid(file, systemReason(error));
    const isLink = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    return isLink ? invalid(file, 'it is a link to a file that does not exist') : { ok: true, entries: [] };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Replaces the file atomically. Throws system errors. */
export function writeTrustFile(file: string, entries: readonly TrustEntry[]): void {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, `${JSON.stringify({ version: VERSION, entries }, undefined, 2)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function parseTrustFile(file: string, text: string): TrustFileContent {
  const value = jsonValue(text);
  if (value === undefined) return invalid(file, 'it is not JSON');
  if (!isJsonObject(value)) return invalid(file, 'it is not a JSON object');
  if (value['version'] !== VERSION) return invalid(file, `its version is not ${VERSION}`);
  const entries: unknown = value['entries'];
  if (!Array.isArray(entries)) return invalid(file, "its 'entries' are not a list");
  const odd = entries.findIndex((entry) => !isEntry(entry));
  if (odd !== -1) return invalid(file, `entry ${odd + 1} lacks an absolute 'path', a known 'level' or a time 'at'`);
  return { ok: true, entries: entries as TrustEntry[] };
}

function isEntry(value: unknown): value is TrustEntry {
  if (!isJsonObject(value)) return false;
  const { path, level, at } = value;
  const isPath = typeof path === 'string' && isAbsolute(path) && !path.includes('\0');
  return isPath && (level === 'trusted' || level === 'blocked') && typeof at === 'string';
}

function invalid(file: string, reason: string): TrustFileContent {
  const message = `The trust file ${file} cannot be used: ${reason}. It is ignored: ${EFFECT}`;
  return { ok: false, diagnostic: createDiagnostic('trust-file-invalid', { path: file, message }) };
}
