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
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { isMissing, systemReason } from '../file-errors.ts';
import { isJsonObject } from '../../parse/json/json-source.ts';

/** What was decided of a directory and everything below it. */
export interface TrustEntry {
  /** Links resolved. */
  readonly path: string;
  readonly level: Exclude<TrustLevel, 'untrusted'>;
  /** When, in ISO 8601. */
  readonly at: string;
}

export type TrustFileContent =
  | { readonly ok: true; readonly entries: readonly TrustEntry[] }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

const VERSION = 1;
const MAX_BYTES = 4_194_304;
/** What comes of a file that does not count. */
const EFFECT = 'nothing is trusted, and what it blocks is not known.';
const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a trust file; one that is not there is empty. Anything odd makes the whole file count for nothing. */
export function readTrustFile(file: string): TrustFileContent {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, OPEN_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return invalid(file, 'it is not a regular file');
    const unsafe = unsafeFile(file, stats) ?? unsafeDirectory(file);
    if (unsafe !== undefined) return { ok: false, diagnostic: unsafe };
    if (stats.size > MAX_BYTES) return invalid(file, `it has ${stats.size} bytes, the limit is ${MAX_BYTES}`);
    return parseTrustFile(file, readFileSync(descriptor, 'utf8'));
  } catch (error) {
    if (!isMissing(error)) return invalid(file, systemReason(error));
    const isLink = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    return isLink ? invalid(file, 'it is a link to a file that is not there') : { ok: true, entries: [] };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Puts a new file in place of the old one, whole or not at all. Throws system errors. */
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

/** What is wrong with the directory of a trust file: whoever may write there could put another file in its place. */
export function unsafeDirectory(file: string): Diagnostic | undefined {
  const directory = dirname(file);
  const stats = statSync(directory, { throwIfNoEntry: false });
  const user = process.getuid?.();
  if (stats !== undefined && user !== undefined && stats.uid !== user && stats.uid !== 0) {
    const message = `The directory ${directory} of the trust file belongs to another user, so it does not count: ${EFFECT}`;
    return createDiagnostic('trust-file-unsafe', { path: file, message, hint: `chown it, or use another directory.` });
  }
  const isSticky = stats !== undefined && (stats.mode & 0o1000) !== 0;
  if (stats === undefined || isSticky || !isWritableByOthers(stats)) return undefined;
  const message = `The directory ${directory} of the trust file can be changed by others (mode ${modeOf(stats)}), so it does not count: ${EFFECT}`;
  return createDiagnostic('trust-file-unsafe', { path: file, message, hint: `chmod 700 '${directory}'` });
}

function unsafeFile(file: string, stats: Stats): Diagnostic | undefined {
  const unsafe = (what: string, hint: string): Diagnostic =>
    createDiagnostic('trust-file-unsafe', { path: file, message: `${what}, so it does not count: ${EFFECT}`, hint });
  if (isWritableByOthers(stats))
    return unsafe(`The trust file ${file} can be changed by others (mode ${modeOf(stats)})`, `chmod 600 '${file}'`);
  const user = process.getuid?.();
  if (user === undefined || stats.uid === user || stats.uid === 0) return undefined;
  return unsafe(
    `The trust file ${file} belongs to another user (uid ${stats.uid})`,
    'Move it away, and record again what you trust.',
  );
}

/** Windows says nothing of use in the mode. */
function isWritableByOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & 0o022) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function parseTrustFile(file: string, text: string): TrustFileContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid(file, 'it is not JSON');
  }
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
  const message = `The trust file ${file} cannot be used: ${reason}. It does not count: ${EFFECT}`;
  return { ok: false, diagnostic: createDiagnostic('trust-file-invalid', { path: file, message }) };
}
