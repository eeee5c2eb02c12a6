import { scanJson, type JsonPlace } from './json-scan.ts';

/** The way from a JSON value to one inside it: keys of objects and indexes of arrays. */
export type JsonPath = readonly (string | number)[];

export interface ParsedJson {
  readonly ok: true;
  readonly value: unknown;
  /** The 1-based line of the key (in an object) or value (elsewhere) at `path`; undefined when nothing is there. */
  lineOf(path: JsonPath): number | undefined;
}

export interface BrokenJson {
  readonly ok: false;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units, as editors count. */
  readonly column: number;
  /** What is wrong there, a phrase without a full stop. */
  readonly reason: string;
}

/** An object, as opposed to an array, a scalar or null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `JSON.parse` with positions. A byte order mark is stripped. Never throws: text that is not JSON gives the
 * position of its first fault. Line numbers are computed on first use.
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

/** Offsets at which lines begin; LF, CRLF and a lone CR end one. */
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
