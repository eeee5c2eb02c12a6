import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';

/** A regular file that is open for reading. The opener closes it. */
interface OpenFile {
  readonly descriptor: number;
  readonly stats: Stats;
}

/** Bytes to read or write before the next chance to pause. */
const SLICE_BYTES = 2 ** 20;

/**
 * Opens a regular file, also through links; `undefined` for anything else. Never opens a device, because opening one
 * may have effects, and never waits for a pipe.
 */
export function openRegularFile(path: string): OpenFile | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return { descriptor, stats };
  closeSync(descriptor);
  return undefined;
}

/**
 * Whether only this user could have written the file. Otherwise the index is not trusted, because it says which tools a
 * skill may use.
 */
export function isOwn(stats: Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || (stats.uid === user && (stats.mode & 0o022) === 0);
}

/** The bytes from an offset on; fewer if the file ends first. */
export function* readSlices(descriptor: number, offset: number, length: number): Generator<void, Buffer, void> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < length; filled += count) {
    count = readSync(descriptor, bytes, filled, Math.min(SLICE_BYTES, length - filled), offset + filled);
    if (filled > 0) yield;
  }
  return bytes.subarray(0, filled);
}

/**
 * Why an index must not replace the file at a path; `undefined` if there is no file, an empty file, or an index of any
 * version, complete or cut off. A mistyped path must not cost anybody a file.
 */
export function reasonToKeep(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const file = openRegularFile(path);
  if (file === undefined) return 'its path is not a regular file';
  try {
    const start = Buffer.alloc(MAGIC_BYTES);
    const length = readSync(file.descriptor, start, 0, MAGIC_BYTES, 0);
    return beginsLikeIndex(start.subarray(0, length)) ? undefined : 'the existing file is not an index cache';
  } finally {
    closeSync(file.descriptor);
  }
}

/** Writes a temporary file and then renames it to `file`, so that a reader always sees a complete file. */
export function* replaceFile(file: string, parts: Iterable<Uint8Array>): Generator<void, void, void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  let isDone = false;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      for (const bytes of parts) yield* writeSlices(descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
    isDone = true;
  } finally {
    // This also runs when the caller stops the generator early.
    if (!isDone) rmSync(temporary, { force: true });
  }
}

function* writeSlices(descriptor: number, bytes: Uint8Array): Generator<void, void, void> {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(descriptor, bytes, written, Math.min(SLICE_BYTES, bytes.length - written));
    if (written < bytes.length) yield;
  }
}

/** The place of a segment in the file of an index cache. */
export interface IndexSegment {
  readonly name: string;
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/** The first bytes of an index of any version. */
const FAMILY = 'skillwright-index ';
const MAGIC_BYTES: number = FAMILY.length;
/** The first bytes of an index of this version. The number increases with every change to the file's layout. */
const MAGIC = `${FAMILY}1 `;
export const MAX_HEADER_BYTES = 16_384;
/** The total size of the segments in a file. Skills that do not fit are read again at the next discovery. */
export const MAX_CONTENT_BYTES: number = 64 * 2 ** 20;
/** The maximum size of a segment that is stored in a separate file. */
export const MAX_LARGE_BYTES: number = 256 * 2 ** 20;
const NEW_LINE = 10;

/** The first line of the file: its segments in order. */
export function formatHeader(segments: readonly Omit<IndexSegment, 'offset'>[]): Uint8Array {
  const rows = segments.map(({ name, key, length, checksum }) => [name, key, length, checksum]);
  return Buffer.from(`${MAGIC}${JSON.stringify(rows)}\n`);
}

/** Whether a file with these first bytes is an index of some version, complete or cut off. */
function beginsLikeIndex(bytes: Buffer): boolean {
  return FAMILY.startsWith(bytes.toString('latin1', 0, FAMILY.length));
}

/** The segments of a file with these first bytes and this size; empty if the file is anything else. */
export function parseHeader(bytes: Buffer, size: number): IndexSegment[] {
  const end = bytes.indexOf(NEW_LINE);
  if (end === -1 || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return [];
  const rows: unknown = JSON.parse(bytes.toString('utf8', MAGIC.length, end));
  if (!Array.isArray(rows) || !rows.every(isRow)) return [];
  let offset = end + 1;
  const segments = rows.map(([name, key, length, checksum]) => {
    const segment = { name, key, offset, length, checksum };
    offset += length;
    return segment;
  });
  return offset === size ? segments : [];
}

type Row = [name: string, key: string, length: number, checksum: number];

function isRow(row: unknown): row is Row {
  if (!Array.isArray(row) || row.length !== 4) return false;
  const [name, key, length, checksum] = row as unknown[];
  return typeof name === 'string' && typeof key === 'string' && isCount(length) && isCount(checksum);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
