import { isPlainKeyChar, plainScalar, textNeedsQuotes } from './yaml-plain-scalar.ts';
import type { YamlEntry, YamlValue } from './yaml-full.ts';

const SPACE = 32;
const HASH = 35;
const DASH = 45;
const COLON = 58;
const FLOW_LIST = 91;
const FOLDED = 62;
const LITERAL = 124;

/**
 * Reads the plain YAML of nearly all frontmatter, many times faster than a full parser: keys with one-line scalars,
 * simple block scalars, lists of scalars and one level of nested scalars. It gives up (`undefined`) on any text that a
 * full parser might read differently, so that a result is always the full parser's result.
 *
 * This parser also accepts one very common mistake: a text with `: ` in it and without the quotes that it needs. The
 * full parser would refuse the text, and the repair would quote it; this parser takes it literally and adds its key to
 * `quoted`.
 *
 * `isPrintable` means that the caller knows the text to have only printable ASCII and newlines.
 */
export function parsePlainYaml(source: string, quoted: string[], isPrintable = false): YamlEntry[] | undefined {
  const text = !isPrintable && source.includes('\r') ? source.replaceAll('\r\n', '\n') : source;
  if (!isPrintable && UNUSUAL.test(text)) return undefined;
  const reader: Reader = {
    text,
    next: 0,
    start: 0,
    end: 0,
    indent: 0,
    skipped: false,
    value: null,
    needsQuotes: false,
  };
  const entries: YamlEntry[] = [];
  let more = readLine(reader);
  while (more) {
    const keyEnd = reader.indent === 0 ? keyEndAt(text, reader.start, reader.end) : -1;
    if (keyEnd === -1) return undefined;
    const key = keyAt(text, reader.start, keyEnd);
    if (entries.length >= MAX_KEYS || hasKey(entries, key)) return undefined;
    const outcome = readValue(reader, keyEnd + 1);
    if (outcome === FAILED) return undefined;
    if (reader.needsQuotes) quoted.push(key);
    entries.push([key, reader.value]);
    more = outcome === MORE;
  }
  return entries;
}

/** The most keys; beyond this, looking for repeated keys would take too long. */
const MAX_KEYS = 200;

/**
 * Characters that full YAML refuses or treats specially (tabs, lone carriage returns, control characters), and white
 * space that full YAML treats as text.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const UNUSUAL = /[\x00-\x09\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\ufffe\uffff]/;

/** A position at a line. Functions that read a value store it in `value` and move to the line after it. */
interface Reader {
  readonly text: string;
  /** The offset of the next line. */
  next: number;
  /** The current line without indentation and trailing spaces. */
  start: number;
  end: number;
  indent: number;
  /** Whether blank or comment lines were skipped to get here. */
  skipped: boolean;
  value: YamlValue;
  needsQuotes: boolean;
}

/** The result of reading a value: 0 if the reader gave up, 1 at the end of the text, 2 if another line follows. */
type Outcome = 0 | 1 | 2;
const FAILED = 0;
const LAST = 1;
const MORE = 2;

/** Moves to the next line that is neither blank nor a comment. */
function readLine(reader: Reader): boolean {
  reader.skipped = false;
  while (readAnyLine(reader)) {
    if (reader.start < reader.end && reader.text.charCodeAt(reader.start) !== HASH) return true;
    reader.skipped = true;
  }
  return false;
}

function readAnyLine(reader: Reader): boolean {
  const { text, next } = reader;
  if (next >= text.length) return false;
  const newline = text.indexOf('\n', next);
  let end = newline === -1 ? text.length : newline;
  reader.next = end + 1;
  while (end > next && text.charCodeAt(end - 1) === SPACE) end -= 1;
  let start = next;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  reader.start = start;
  reader.end = end;
  reader.indent = start - next;
  return true;
}

/** The offset of the colon that ends a plain key, followed by a space or the end of the line; -1 if there is none. */
function keyEndAt(text: string, start: number, end: number): number {
  let offset = start;
  while (offset < end && isPlainKeyChar(text.charCodeAt(offset), offset === start)) offset += 1;
  if (offset === start || offset >= end || text.charCodeAt(offset) !== COLON) return -1;
  return offset + 1 === end || text.charCodeAt(offset + 1) === SPACE ? offset : -1;
}

/** Reuses strings for the two keys that every skill has. */
function keyAt(text: string, start: number, end: number): string {
  if (end - start === 4 && text.startsWith('name', start)) return 'name';
  if (end - start === 11 && text.startsWith('description', start)) return 'description';
  return text.slice(start, end);
}

function hasKey(entries: readonly YamlEntry[], key: string): boolean {
  for (const entry of entries) if (entry[0] === key) return true;
  return key === '__proto__';
}

function readValue(reader: Reader, from: number): Outcome {
  const { text, end } = reader;
  let start = from;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  reader.needsQuotes = false;
  if (start >= end) return readBlock(reader);
  const first = text.charCodeAt(start);
  const written = text.slice(start, end);
  if (first === FOLDED || first === LITERAL) return readBlockScalar(reader, written);
  const value = first === FLOW_LIST ? flowList(written) : plainScalar(written);
  if (value === undefined) {
    if (!textNeedsQuotes(written)) return FAILED;
    reader.needsQuotes = true;
    reader.value = written;
    return endEntry(reader);
  }
  reader.value = value;
  if (!readLine(reader)) return LAST;
  if (reader.indent === 0) return MORE;
  const isPlainText = typeof value === 'string' && first !== 34 && first !== 39;
  return isPlainText ? readFoldedLines(reader, value) : FAILED;
}

/** Moves to the next line. Gives up if that line is indented, because it would change the entry's meaning. */
function endEntry(reader: Reader): Outcome {
  if (!readLine(reader)) return LAST;
  return reader.indent > 0 ? FAILED : MORE;
}

/** Reads a plain text that continues over indented lines; each line is joined with a space. */
function readFoldedLines(reader: Reader, firstLine: string): Outcome {
  const { text } = reader;
  let value = firstLine;
  let more = true;
  while (more && reader.indent > 0) {
    // Give up after a blank or comment line: inside a folded text, it stands for more than a space.
    if (reader.skipped) return FAILED;
    const line = text.slice(reader.start, reader.end);
    if (line.includes(': ') || line.includes(' #') || line.charCodeAt(line.length - 1) === COLON) return FAILED;
    value += ` ${line}`;
    more = readLine(reader);
  }
  reader.value = value;
  return more ? MORE : LAST;
}

/** Reads what follows `key:` on its own line: nested scalars, a list, or nothing. */
function readBlock(reader: Reader): Outcome {
  reader.value = null;
  if (!readLine(reader)) return LAST;
  if (reader.text.charCodeAt(reader.start) === DASH) return readList(reader);
  return reader.indent === 0 ? MORE : readMap(reader);
}

function readList(reader: Reader): Outcome {
  const { text, indent } = reader;
  const items: YamlValue[] = [];
  let more = true;
  while (more && reader.indent === indent && text.charCodeAt(reader.start) === DASH) {
    if (text.charCodeAt(reader.start + 1) !== SPACE) return FAILED;
    const written = text.slice(reader.start + 2, reader.end).trimStart();
    const item = written === '' ? undefined : plainScalar(written);
    if (item === undefined) return FAILED;
    items.push(item);
    more = readLine(reader);
  }
  return endBlock(reader, items, more);
}

function readMap(reader: Reader): Outcome {
  const { text, indent } = reader;
  const map: Record<string, YamlValue> = {};
  let more = true;
  while (more && reader.indent === indent) {
    const keyEnd = keyEndAt(text, reader.start, reader.end);
    if (keyEnd === -1) return FAILED;
    const key = text.slice(reader.start, keyEnd);
    const rest = text.slice(keyEnd + 1, reader.end).trimStart();
    const value = rest === '' ? undefined : plainScalar(rest);
    if (value === undefined || key === '__proto__' || Object.hasOwn(map, key)) return FAILED;
    map[key] = value;
    more = readLine(reader);
  }
  return endBlock(reader, map, more);
}

function endBlock(reader: Reader, value: YamlValue, more: boolean): Outcome {
  reader.value = value;
  if (!more) return LAST;
  return reader.indent > 0 ? FAILED : MORE;
}

/** Reads `>`, `>-`, `|` and `|-` blocks whose lines have the same indentation. */
function readBlockScalar(reader: Reader, header: string): Outcome {
  if (header !== '>' && header !== '>-' && header !== '|' && header !== '|-') return FAILED;
  const isFolded = header.charCodeAt(0) === FOLDED;
  let value = '';
  let blanks = 0;
  let indent = 0;
  let more = readAnyLine(reader);
  for (; more; more = readAnyLine(reader)) {
    if (reader.start === reader.end) {
      // Spaces on a blank line may belong to the text.
      if (value === '' || reader.next - 1 > reader.end) return FAILED;
      blanks += 1;
      continue;
    }
    if (reader.indent === 0) break;
    if (indent === 0) indent = reader.indent;
    if (reader.indent !== indent || reader.text.charCodeAt(reader.end) === SPACE) return FAILED;
    if (value !== '') value += isFolded && blanks === 0 ? ' ' : '\n'.repeat(isFolded ? blanks : blanks + 1);
    value += reader.text.slice(reader.start, reader.end);
    blanks = 0;
  }
  if (value === '') return FAILED;
  if (more && reader.text.charCodeAt(reader.start) === HASH) more = readLine(reader);
  return endBlock(reader, header.length === 1 ? `${value}\n` : value, more);
}

const FLOW_ITEM = /^[A-Za-z][\w ./*-]*$/;

/** Reads `[a, b]` with plain or simply quoted words; leaves anything else to the full parser. */
function flowList(source: string): YamlValue[] | undefined {
  if (!source.endsWith(']')) return undefined;
  const inner = source.slice(1, -1).trim();
  if (inner === '') return [];
  const items: YamlValue[] = [];
  for (const part of inner.split(',')) {
    const item = part.trim();
    const first = item.charCodeAt(0);
    if (first !== 34 && first !== 39 && !FLOW_ITEM.test(item)) return undefined;
    const value = plainScalar(item);
    if (value === undefined) return undefined;
    items.push(value);
  }
  return items;
}
