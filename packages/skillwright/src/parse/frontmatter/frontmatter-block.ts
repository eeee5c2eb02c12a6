const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const TAB = 9;
const DASH = 45;

/**
 * Where the frontmatter is in the first bytes of a file. Offsets are in bytes; `bodyStart` is the start of the line
 * after the closing `---`. `firstLine` is the 1-based line number of the first line of YAML.
 */
export type FrontmatterBlock =
  | {
      readonly kind: 'found';
      start: number;
      end: number;
      bodyStart: number;
      firstLine: number;
      leadingBlank: boolean;
      /** Whether the text has only printable ASCII and newlines. */
      isPrintable: boolean;
    }
  /** The block is opened, but not closed within the given bytes. */
  | { readonly kind: 'open'; start: number; firstLine: number; leadingBlank: boolean }
  /** `---js` and similar openings ask for a code engine. `end` and `bodyStart` are -1 while the block is not closed. */
  | { readonly kind: 'engine'; engine: string; end: number; bodyStart: number; line: number }
  | { readonly kind: 'none'; bodyStart: number };

/**
 * Finds the block in the first `length` bytes, without decoding the body. `complete` means that these are the whole
 * file; otherwise a delimiter at their very end does not count.
 */
export function locateFrontmatter(bytes: Uint8Array, length: number = bytes.length, complete = true): FrontmatterBlock {
  const textStart = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let offset = textStart;
  let line = 1;
  while (offset < length && bytes[offset] !== DASH) {
    const end = blankRest(bytes, offset, length, true);
    if (end === -1) break;
    offset = end;
    line += 1;
  }
  if (offset + 3 > length || bytes[offset] !== DASH || bytes[offset + 1] !== DASH || bytes[offset + 2] !== DASH) {
    return { kind: 'none', bodyStart: textStart };
  }
  const start = blankRest(bytes, offset + 3, length, complete);
  if (start === -1) {
    const engine = engineOf(bytes, offset + 3, length);
    if (engine === undefined) return { kind: 'none', bodyStart: textStart };
    const close = findClose(bytes, offset + 3, length, complete);
    return { kind: 'engine', engine, end: close?.end ?? -1, bodyStart: close?.bodyStart ?? -1, line };
  }
  const close = findClose(bytes, start - 1, length, complete);
  const leadingBlank = line > 1;
  if (close === undefined) return { kind: 'open', start, firstLine: line + 1, leadingBlank };
  const { end, bodyStart, isPrintable } = close;
  return { kind: 'found', start, end, bodyStart, firstLine: line + 1, leadingBlank, isPrintable };
}

interface Close {
  readonly end: number;
  readonly bodyStart: number;
  readonly isPrintable: boolean;
}

/** Starting at a newline at or after `from`, finds the next line that has only `---` and trailing space. */
function findClose(bytes: Uint8Array, from: number, length: number, complete: boolean): Close | undefined {
  let isPrintable = true;
  for (let offset = from; offset < length; offset += 1) {
    const byte = bytes[offset] as number;
    if (byte >= SPACE && byte < 127) continue;
    if (byte !== NEWLINE) {
      isPrintable = false;
      continue;
    }
    if (bytes[offset + 1] !== DASH || bytes[offset + 2] !== DASH || bytes[offset + 3] !== DASH || offset + 4 > length)
      continue;
    const bodyStart = blankRest(bytes, offset + 4, length, complete);
    if (bodyStart !== -1) return { end: offset + 1, bodyStart, isPrintable };
  }
  return undefined;
}

/** The offset after the end of the line, if the rest of the line is white space; otherwise -1. */
function blankRest(bytes: Uint8Array, from: number, length: number, endCounts: boolean): number {
  for (let offset = from; offset < length; offset += 1) {
    const byte = bytes[offset];
    if (byte === NEWLINE) return offset + 1;
    if (byte !== SPACE && byte !== TAB && byte !== RETURN) return -1;
  }
  return endCounts ? length : -1;
}

function engineOf(bytes: Uint8Array, from: number, length: number): string | undefined {
  let text = '';
  for (let offset = from; offset < length && bytes[offset] !== NEWLINE && text.length < 40; offset += 1) {
    text += String.fromCharCode(bytes[offset] ?? 0);
  }
  const word = text.trim();
  return /^[A-Za-z][\w+.-]*$/.test(word) ? word : undefined;
}
