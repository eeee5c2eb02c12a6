import type { YamlEntry, YamlValue } from './yaml-value.ts';

const SPACE = 32;
const HASH = 35;
const DASH = 45;
const COLON = 58;

/**
 * Reads the plain YAML that nearly all frontmatter is written in, many times faster than a full parser: keys with
 * one-line scalars, simple block scalars, lists of scalars and one level of nested scalars. Whatever might mean
 * something else to YAML makes it give up (`undefined`); what it does return is what the full parser returns.
 *
 * One mistake is so common that it is read here too: a text with `: ` in it that should be in quotes. The full parser
 * refuses it and the repair quotes it; here its key is added to `quoted` and the text is taken as it is.
 */
export function parsePlainYaml(source: string, quoted: string[]): YamlEntry[] | undefined {
  const text = source.includes('\r') ? source.replaceAll('\r\n', '\n') : source;
  if (UNUSUAL.test(text)) return undefined;
  const reader: LineReader = { text, next: 0, start: 0, end: 0, indent: 0, skipped: false };
  const entries: YamlEntry[] = [];
  let more = readLine(reader);
  while (more) {
    if (reader.indent !== 0) return undefined;
    const keyEnd = keyEndAt(text, reader.start, reader.end);
    if (keyEnd === -1) return undefined;
    const key = text.slice(reader.start, keyEnd);
    if (key === '__proto__' || hasKey(entries, key)) return undefined;
    const parsed = valueAfter(reader, keyEnd + 1);
    if (parsed === undefined) return undefined;
    if (parsed.needsQuotes) quoted.push(key);
    entries.push([key, parsed.value]);
    more = parsed.more;
  }
  return entries;
}

/** Characters that full YAML treats specially or refuses: tabs, lone returns, controls, byte order marks. */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const UNUSUAL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff]/;

interface LineReader {
  readonly text: string;
  /** Where the next line begins. */
  next: number;
  /** The current line without indentation, trailing spaces and line end. */
  start: number;
  end: number;
  indent: number;
  /** Whether blank or comment lines were passed over to get here. */
  skipped: boolean;
}

interface Parsed {
  readonly value: YamlValue;
  /** Whether the reader stands on a further line. */
  readonly more: boolean;
  /** A text that YAML refuses unless it is in quotes. */
  readonly needsQuotes?: boolean;
}

/** Moves to the next line that is neither blank nor a comment. */
function readLine(reader: LineReader): boolean {
  reader.skipped = false;
  while (readAnyLine(reader)) {
    if (reader.start < reader.end && reader.text.charCodeAt(reader.start) !== HASH) return true;
    reader.skipped = true;
  }
  return false;
}

function readAnyLine(reader: LineReader): boolean {
  const { text, next } = reader;
  if (next >= text.length) return false;
  const newline = text.indexOf('\n', next);
  let end = newline === -1 ? text.length : newline;
  reader.next = newline === -1 ? text.length : newline + 1;
  while (end > next && text.charCodeAt(end - 1) === SPACE) end -= 1;
  let start = next;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  reader.start = start;
  reader.end = end;
  reader.indent = start - next;
  return true;
}

/** The colon that ends a plain key, followed by a space or the end of the line; -1 where there is none. */
function keyEndAt(text: string, start: number, end: number): number {
  let offset = start;
  while (offset < end && isKeyChar(text.charCodeAt(offset), offset === start)) offset += 1;
  if (offset === start || text.charCodeAt(offset) !== COLON || offset >= end) return -1;
  return offset + 1 === end || text.charCodeAt(offset + 1) === SPACE ? offset : -1;
}

function isKeyChar(code: number, first: boolean): boolean {
  const letter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
  return letter || (!first && ((code >= 48 && code <= 57) || code === DASH));
}

function hasKey(entries: readonly YamlEntry[], key: string): boolean {
  for (const entry of entries) if (entry[0] === key) return true;
  return false;
}

function valueAfter(reader: LineReader, from: number): Parsed | undefined {
  const { text, end } = reader;
  let start = from;
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  if (start >= end) return blockValue(reader);
  const first = text.charCodeAt(start);
  if (first === 62 || first === 124) return blockScalar(reader, text.slice(start, end));
  const written = text.slice(start, end);
  const value = first === 91 ? flowList(written) : scalar(written);
  if (value === undefined) return colonText(reader, written, first);
  const more = readLine(reader);
  if (!more || reader.indent === 0) return { value, more };
  return typeof value === 'string' && first !== 34 && first !== 39 ? foldedPlain(reader, value) : undefined;
}

/** `key: Use when: asked` on one line. */
function colonText(reader: LineReader, written: string, first: number): Parsed | undefined {
  const isText = isKeyChar(first, true) && !written.includes(' #') && written.includes(':');
  if (!isText) return undefined;
  const more = readLine(reader);
  return more && reader.indent > 0 ? undefined : { value: written, more, needsQuotes: true };
}

/** A plain text that goes on over indented lines: each is joined by a space. */
function foldedPlain(reader: LineReader, firstLine: string): Parsed | undefined {
  const { text } = reader;
  let value = firstLine;
  let more = true;
  while (more && reader.indent > 0) {
    // A blank or comment line in between means more than a space.
    if (reader.skipped) return undefined;
    const line = text.slice(reader.start, reader.end);
    if (line.includes(': ') || line.includes(' #') || line.charCodeAt(line.length - 1) === COLON) return undefined;
    value += ` ${line}`;
    more = readLine(reader);
  }
  return { value, more };
}

/** What follows `key:` on its own: nested scalars, a list, or nothing. */
function blockValue(reader: LineReader): Parsed | undefined {
  if (!readLine(reader)) return { value: null, more: false };
  const isItem = reader.text.charCodeAt(reader.start) === DASH;
  if (reader.indent === 0 && !isItem) return { value: null, more: true };
  return isItem ? blockList(reader) : blockMap(reader);
}

function blockList(reader: LineReader): Parsed | undefined {
  const { text, indent } = reader;
  const items: YamlValue[] = [];
  let more = true;
  while (more && reader.indent === indent && text.charCodeAt(reader.start) === DASH) {
    if (text.charCodeAt(reader.start + 1) !== SPACE) return undefined;
    const item = scalar(text.slice(reader.start + 2, reader.end).trimStart());
    if (item === undefined) return undefined;
    items.push(item);
    more = readLine(reader);
  }
  return more && reader.indent > 0 ? undefined : { value: items, more };
}

function blockMap(reader: LineReader): Parsed | undefined {
  const { text, indent } = reader;
  const map: Record<string, YamlValue> = {};
  let more = true;
  while (more && reader.indent === indent) {
    const keyEnd = keyEndAt(text, reader.start, reader.end);
    if (keyEnd === -1) return undefined;
    const key = text.slice(reader.start, keyEnd);
    if (key === '__proto__' || Object.hasOwn(map, key)) return undefined;
    const rest = text.slice(keyEnd + 1, reader.end).trimStart();
    const value = rest === '' ? undefined : scalar(rest);
    if (value === undefined) return undefined;
    map[key] = value;
    more = readLine(reader);
  }
  return more && reader.indent > 0 ? undefined : { value: map, more };
}

/** `>`, `>-`, `|` and `|-` whose lines are all indented alike. */
function blockScalar(reader: LineReader, header: string): Parsed | undefined {
  if (header !== '>' && header !== '>-' && header !== '|' && header !== '|-') return undefined;
  const joint = header.startsWith('>') ? ' ' : '\n';
  let value = '';
  let blanks = 0;
  let indent = 0;
  let more = readAnyLine(reader);
  for (; more; more = readAnyLine(reader)) {
    if (reader.start === reader.end) {
      if (value === '' || reader.indent > indent) return undefined;
      blanks += 1;
      continue;
    }
    if (reader.indent === 0) break;
    if (indent === 0) indent = reader.indent;
    if (reader.indent !== indent || trailsSpace(reader)) return undefined;
    if (value !== '') value += blanks === 0 ? joint : '\n'.repeat(joint === ' ' ? blanks : blanks + 1);
    value += reader.text.slice(reader.start, reader.end);
    blanks = 0;
  }
  if (value === '') return undefined;
  if (more && reader.text.charCodeAt(reader.start) === HASH) more = readLine(reader);
  if (more && reader.indent > 0) return undefined;
  return { value: header.length === 1 ? `${value}\n` : value, more };
}

function trailsSpace(reader: LineReader): boolean {
  const after = reader.text.charCodeAt(reader.end);
  return after === SPACE;
}

const FLOW_ITEM = /^[A-Za-z][\w ./*-]*$/;

/** `[a, b]` of plain or simply quoted words; anything richer is left to the full parser. */
function flowList(source: string): YamlValue[] | undefined {
  if (!source.endsWith(']')) return undefined;
  const inner = source.slice(1, -1).trim();
  if (inner === '') return [];
  const items: YamlValue[] = [];
  for (const part of inner.split(',')) {
    const item = part.trim();
    const first = item.charCodeAt(0);
    if (first !== 34 && first !== 39 && !FLOW_ITEM.test(item)) return undefined;
    const value = scalar(item);
    if (value === undefined) return undefined;
    items.push(value);
  }
  return items;
}

/** One scalar on one line, already trimmed and not empty. */
function scalar(source: string): YamlValue | undefined {
  const first = source.charCodeAt(0);
  if (first === 34) return doubleQuoted(source);
  if (first === 39) return singleQuoted(source);
  if (NOT_PLAIN_START.has(first)) return undefined;
  if (source.includes(': ') || source.includes(' #') || source.charCodeAt(source.length - 1) === COLON) return undefined;
  if (first >= 48 && first <= 57) return numeric(source);
  return source.length <= 5 && WORDS.has(source) ? (WORDS.get(source) ?? null) : source;
}

const NOT_PLAIN_START: ReadonlySet<number> = new Set([...'!&*?|>@%`{}[],#:-~+.'].map((char) => char.charCodeAt(0)));

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['null', null],
  ['Null', null],
  ['NULL', null],
]);

const SIMPLE_NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;
const OTHER_NUMBER = /^(?:0o[0-7]+|0x[\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)$/;

function numeric(source: string): YamlValue | undefined {
  if (SIMPLE_NUMBER.test(source)) return Number(source);
  return OTHER_NUMBER.test(source) ? undefined : source;
}

function singleQuoted(source: string): string | undefined {
  const last = source.length - 1;
  if (last < 1 || source.charCodeAt(last) !== 39) return undefined;
  const inner = source.slice(1, last);
  if (!inner.includes("'")) return inner;
  const unescaped = inner.replaceAll("''", '\0');
  return unescaped.includes("'") ? undefined : unescaped.replaceAll('\0', "'");
}

/** With no escapes but `\"` and `\\`. */
function doubleQuoted(source: string): string | undefined {
  const last = source.length - 1;
  if (last < 1 || source.charCodeAt(last) !== 34) return undefined;
  const inner = source.slice(1, last);
  if (!inner.includes('"') && !inner.includes('\\')) return inner;
  const rest = inner.replaceAll(/\\["\\]/g, '');
  return rest.includes('"') || rest.includes('\\') ? undefined : inner.replaceAll(/\\(["\\])/g, '$1');
}
