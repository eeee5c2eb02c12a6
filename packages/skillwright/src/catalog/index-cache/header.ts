/** Where a segment lies in the file of an index cache. */
export interface IndexSegment {
  readonly name: string;
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/** What an index of any version begins with. */
const FAMILY = 'skillwright-index ';
export const MAGIC_BYTES: number = FAMILY.length;
/** The number goes up whenever the layout of the file changes. */
const MAGIC = `${FAMILY}1 `;
export const MAX_HEADER_BYTES = 16_384;
/** The total size of the segments in a file. Skills that do not fit are read again at the next discovery. */
export const MAX_CONTENT_BYTES: number = 64 * 2 ** 20;
/** The same for what lies in a file of its own. */
export const MAX_LARGE_BYTES: number = 256 * 2 ** 20;
const NEW_LINE = 10;

/** The first line of the file: the segments in their order. */
export function formatHeader(segments: readonly Omit<IndexSegment, 'offset'>[]): Uint8Array {
  const rows = segments.map(({ name, key, length, checksum }) => [name, key, length, checksum]);
  return Buffer.from(`${MAGIC}${JSON.stringify(rows)}\n`);
}

/** Whether a file that begins with these bytes is an index of some version, or what was left of one. */
export function beginsLikeIndex(bytes: Buffer): boolean {
  return FAMILY.startsWith(bytes.toString('latin1', 0, FAMILY.length));
}

/** The segments of a file that begins with these bytes and has this size; none when it is anything else. */
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
