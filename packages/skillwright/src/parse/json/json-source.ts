/** The path from a JSON value to a value inside it: keys of objects and indexes of arrays. */
export type JsonPath = readonly (string | number)[];

export interface ParsedJson {
  readonly ok: true;
  readonly value: unknown;
  /** The 1-based line of the key (in an object) or value (elsewhere) at `path`; `undefined` if there is nothing. */
  lineOf(path: JsonPath): number | undefined;
}

export interface BrokenJson {
  readonly ok: false;
  /** The 1-based line. */
  readonly line: number;
  /** The 1-based column, in UTF-16 code units, as editors count. */
  readonly column: number;
  /** What is wrong, as a phrase without a full stop. */
  readonly reason: string;
}

/** The value of a JSON text; `undefined` for text that is not JSON. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object in a JSON text; `undefined` for anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonValue(text);
  return isJsonObject(value) ? value : undefined;
}

/** An object, as opposed to an array, a scalar or null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object that are not `undefined`. */
export function withoutAbsent<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}

/**
 * `JSON.parse` with positions. A byte order mark is stripped. Never throws: text that is not JSON returns the position
 * of its first fault. Line numbers are computed on first use.
 */
export function parseJson(text: string): ParsedJson | BrokenJson {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return locateFault(source);
  }
  let lookup: ((path: JsonPath) => number | undefined) | undefined;
  return {
    ok: true,
    value,
    lineOf(path) {
      lookup ??= createLineLookup(source);
      return lookup(path);
    },
  };
}

function locateFault(source: string): BrokenJson {
  const scan = scanJson(source);
  // The engine may run out of memory on valid JSON.
  if (!('fault' in scan)) return { ok: false, line: 1, column: 1, reason: 'it is too large to be read' };
  const starts = lineStarts(source);
  const line = lineAt(starts, scan.fault.offset);
  return { ok: false, line, column: scan.fault.offset - (starts[line - 1] ?? 0) + 1, reason: scan.fault.reason };
}

function createLineLookup(source: string): (path: JsonPath) => number | undefined {
  const scan = scanJson(source);
  if ('fault' in scan) return () => undefined;
  const starts = lineStarts(source);
  return (path) => {
    let place: JsonPlace | undefined = scan.root;
    for (const step of path) place = place?.children?.get(step);
    return place === undefined ? undefined : lineAt(starts, place.offset);
  };
}

/** The offsets at which lines begin; LF, CRLF and a lone CR end a line. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const ending of text.matchAll(/\r\n?|\n/g)) starts.push(ending.index + ending[0].length);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** The position of a value in a JSON text, and the positions of its children. */
interface JsonPlace {
  /** The offset of the key for a member of an object, otherwise of the value. */
  readonly offset: number;
  /**
   * The children by key or index. If a key is repeated, its last value counts, as in `JSON.parse`. Absent for a scalar.
   */
  readonly children?: ReadonlyMap<string | number, JsonPlace>;
}

/** The first place where a text is not JSON. */
interface JsonFault {
  readonly offset: number;
  /** A phrase without a full stop. */
  readonly reason: string;
}

interface Container {
  readonly closer: '}' | ']';
  readonly offset: number;
  readonly children: Map<string | number, JsonPlace>;
  length: number;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const NUMBER_LIKE = /[-+.\d][\w.+-]*/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]{0,30}/uy;
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);
const SPACES = ' \n\r\t';

/**
 * Scans a JSON text (RFC 8259, no byte order mark) for its positions or its first fault. It accepts exactly what
 * `JSON.parse` accepts, and keeps its own stack, so nesting costs memory but never overflows.
 */
function scanJson(text: string): { readonly root: JsonPlace } | { readonly fault: JsonFault } {
  const open: Container[] = [];
  let root: JsonPlace | undefined;
  let position = skipSpace(text, 0);
  for (;;) {
    const container = open.at(-1);
    const offset = position;
    let key: string | number = 0;
    if (container?.closer === '}') {
      const read = scanKey(text, position);
      if ('fault' in read) return read;
      key = read.key;
      position = read.end;
    } else if (container !== undefined) {
      key = container.length;
    }

    const opener = text[position];
    const nests = opener === '{' || opener === '[';
    const children = nests ? new Map<string | number, JsonPlace>() : undefined;
    const place: JsonPlace = children === undefined ? { offset } : { offset, children };
    if (container === undefined) root = place;
    else {
      container.children.set(key, place);
      container.length += 1;
    }
    if (children === undefined) {
      const end = scalarEnd(text, position);
      if (typeof end !== 'number') return { fault: end };
      position = end;
    } else {
      const closer = opener === '{' ? '}' : ']';
      open.push({ closer, offset: position, children, length: 0 });
      position = skipSpace(text, position + 1);
      if (text[position] !== closer) continue;
    }

    // A value has ended: close every array and object that ends here, then skip one comma.
    for (;;) {
      position = skipSpace(text, position);
      const around = open.at(-1);
      if (around === undefined) {
        if (position === text.length && root !== undefined) return { root };
        return fault(position, `${characterAt(text, position)} follows the end of the value`);
      }
      if (text[position] === around.closer) {
        open.pop();
        position += 1;
        continue;
      }
      if (text[position] !== ',') return { fault: missingComma(text, position, around) };
      const comma = position;
      position = skipSpace(text, position + 1);
      if (text[position] === around.closer) {
        return fault(comma, `JSON allows no trailing comma before '${around.closer}'`);
      }
      break;
    }
  }
}

function scanKey(
  text: string,
  start: number,
): { readonly key: string; readonly end: number } | { readonly fault: JsonFault } {
  if (text[start] !== '"') {
    const found = start === text.length ? 'the text ends' : `${characterAt(text, start)} found`;
    return text[start] === '/'
      ? fault(start, NO_COMMENTS)
      : fault(start, `${found} where a key in double quotes is expected`);
  }
  const end = stringEnd(text, start);
  if (typeof end !== 'number') return { fault: end };
  const colon = skipSpace(text, end);
  if (text[colon] !== ':') return fault(colon, "a key is not followed by ':'");
  const written = text.slice(start, end);
  const key = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
  return { key, end: skipSpace(text, colon + 1) };
}

function scalarEnd(text: string, start: number): number | JsonFault {
  const first = text[start];
  if (first === undefined)
    return { offset: start, reason: start === 0 ? 'the text is empty' : 'the text ends where a value is expected' };
  if (first === '"') return stringEnd(text, start);
  if (first === "'") return { offset: start, reason: 'strings are written in double quotes' };
  if (first === '/') return { offset: start, reason: NO_COMMENTS };
  const number = matchAt(NUMBER, text, start);
  if (number !== undefined) return start + number.length;
  const numeric = matchAt(NUMBER_LIKE, text, start);
  if (numeric !== undefined) return { offset: start, reason: `'${numeric.slice(0, 30)}' is not a JSON number` };
  const word = matchAt(WORD, text, start);
  if (word !== undefined)
    return LITERALS.has(word) ? start + word.length : { offset: start, reason: `'${word}' is not a JSON value` };
  return { offset: start, reason: `${characterAt(text, start)} found where a value is expected` };
}

/** The offset after the closing quote. */
function stringEnd(text: string, start: number): number | JsonFault {
  for (let position = start + 1; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 0x22) return position + 1;
    if (code < 0x20) {
      const reason =
        code === 0x0a || code === 0x0d
          ? 'a string is not closed before its line ends'
          : `a string holds ${characterAt(text, position)} unescaped`;
      return { offset: position, reason };
    }
    if (code !== 0x5c) continue;
    const length = escapeLength(text, position);
    if (length === 0)
      return { offset: position, reason: `'${text.slice(position, position + 2)}' is not an escape that JSON knows` };
    position += length - 1;
  }
  return { offset: start, reason: 'a string is never closed' };
}

function escapeLength(text: string, position: number): number {
  const escaped = text[position + 1] ?? '';
  if (escaped === 'u') return /^[\da-fA-F]{4}$/.test(text.slice(position + 2, position + 6)) ? 6 : 0;
  return escaped !== '' && '"\\/bfnrt'.includes(escaped) ? 2 : 0;
}

function missingComma(text: string, position: number, around: Container): JsonFault {
  const what = around.closer === '}' ? 'an object' : 'an array';
  if (position === text.length)
    return { offset: around.offset, reason: `${what} is never closed with '${around.closer}'` };
  if (text[position] === '/') return { offset: position, reason: NO_COMMENTS };
  return {
    offset: position,
    reason: `${characterAt(text, position)} found where ',' or '${around.closer}' is expected`,
  };
}

const NO_COMMENTS = 'JSON has no comments';

function fault(offset: number, reason: string): { readonly fault: JsonFault } {
  return { fault: { offset, reason } };
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && SPACES.includes(text.charAt(position))) position += 1;
  return position;
}

function matchAt(pattern: RegExp, text: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0];
}

/** Returns a visible character unchanged, and the code point of any other. */
function characterAt(text: string, position: number): string {
  const code = text.codePointAt(position) ?? 0;
  const character = String.fromCodePoint(code);
  return /[\p{C}\p{Z}]/u.test(character) ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}` : `'${character}'`;
}
