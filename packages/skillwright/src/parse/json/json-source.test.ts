import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, parseJson, type JsonPath } from './json-source.ts';

function faultOf(text: string): { line: number; column: number; reason: string } {
  const parsed = parseJson(text);
  if (parsed.ok) throw new Error(`Read as JSON: ${text}`);
  const { line, column, reason } = parsed;
  return { line, column, reason };
}

function lineIn(text: string, ...path: JsonPath): number | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.reason}`);
  return parsed.lineOf(path);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('parseJson: values', () => {
  it.each(['null', 'true', '0', '-1.5e+3', '""', '[]', '{}', ' \t\r\n[1, {"a": []}] '])(
    'reads %j as JSON.parse does',
    (text) => {
      expect(parseJson(text)).toMatchObject({ ok: true, value: JSON.parse(text) as unknown });
    },
  );

  it('strips one byte order mark, and only at the start', () => {
    expect(parseJson('\uFEFF{"a": 1}')).toMatchObject({ ok: true, value: { a: 1 } });
    expect(faultOf('\uFEFF\uFEFF{}')).toEqual({
      line: 1,
      column: 1,
      reason: 'U+FEFF found where a value is expected',
    });
  });

  it('keeps prototype keys as own properties', () => {
    const parsed = parseJson('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('parseJson: lines', () => {
  const text = '{\n  "name": "x",\n  "skills": [\n    "a",\n    {\n      "deep":\n        true\n    }\n  ]\n}\n';

  it('returns the line of a key, of an array element, and of the whole value', () => {
    expect(lineIn(text)).toBe(1);
    expect(lineIn(text, 'name')).toBe(2);
    expect(lineIn(text, 'skills')).toBe(3);
    expect(lineIn(text, 'skills', 0)).toBe(4);
    expect(lineIn(text, 'skills', 1)).toBe(5);
  });

  it("returns the key's line if its value is on another line", () => {
    expect(lineIn(text, 'skills', 1, 'deep')).toBe(6);
  });

  it.each([
    ['an unknown key', ['none']],
    ['an index out of range', ['skills', 2]],
    ['a step into a scalar', ['name', 'length']],
    ['a key where an index belongs', ['skills', '0']],
    ['an inherited name', ['constructor']],
    ['an inherited name of an array', ['skills', 'length']],
  ])('returns no line for %s', (_what, path) => {
    expect(lineIn(text, ...path)).toBeUndefined();
  });

  it('counts CRLF, LF and a lone CR as one line end each', () => {
    expect(lineIn('{\r\n"a": 1,\n"b": 2,\r"c": 3,\r\n\r\n"d": 4}', 'a')).toBe(2);
    expect(lineIn('{\r\n"a": 1,\n"b": 2,\r"c": 3,\r\n\r\n"d": 4}', 'd')).toBe(6);
  });

  it('does not count escaped line ends inside strings', () => {
    expect(lineIn('{"a": "1\\n2\\r\\n3",\n"b": 0}', 'b')).toBe(2);
  });

  it('uses the last of a repeated key, like JSON.parse', () => {
    expect(lineIn('{"a": 1,\n"a": {"b":\n2}}', 'a')).toBe(2);
    expect(lineIn('{"a": 1,\n"a": {"b":\n2}}', 'a', 'b')).toBe(2);
  });

  it('finds keys by their value, not by how they are escaped', () => {
    expect(lineIn('{\n"\\u0061\\"b": 1,\n"😀": 2,\n"__proto__": 3}', 'a"b')).toBe(2);
    expect(lineIn('{\n"\\u0061\\"b": 1,\n"😀": 2,\n"__proto__": 3}', '😀')).toBe(3);
    expect(lineIn('{\n"\\u0061\\"b": 1,\n"😀": 2,\n"__proto__": 3}', '__proto__')).toBe(4);
  });

  it('is not affected by a byte order mark', () => {
    expect(lineIn('\uFEFF{\n"a": 1}', 'a')).toBe(2);
  });
});

describe('parseJson: faults', () => {
  it.each([
    ['', 1, 1, 'the text is empty'],
    ['  \n ', 2, 2, 'the text ends where a value is expected'],
    ['{\n  "a": 1,\n}', 2, 9, "JSON allows no trailing comma before '}'"],
    ['[1, 2,]', 1, 6, "JSON allows no trailing comma before ']'"],
    ['{"a" 1}', 1, 6, "a key is not followed by ':'"],
    ['{a: 1}', 1, 2, "'a' found where a key in double quotes is expected"],
    ["{'a': 1}", 1, 2, "''' found where a key in double quotes is expected"],
    ["['a']", 1, 2, 'strings are written in double quotes'],
    ['// note\n{}', 1, 1, 'JSON has no comments'],
    ['{\n  // note\n  "a": 1}', 2, 3, 'JSON has no comments'],
    ['{"a": 1 /* one */}', 1, 9, 'JSON has no comments'],
    ['{"a": 1 "b": 2}', 1, 9, "'\"' found where ',' or '}' is expected"],
    ['[1 2]', 1, 4, "'2' found where ',' or ']' is expected"],
    ['[1}', 1, 3, "'}' found where ',' or ']' is expected"],
    ['\n{"a": [1, 2', 2, 7, "an array is never closed with ']'"],
    ['{"a": 1', 1, 1, "an object is never closed with '}'"],
    ['{"a":', 1, 6, 'the text ends where a value is expected'],
    ['{', 1, 2, 'the text ends where a key in double quotes is expected'],
    ['{"a": 1,', 1, 9, 'the text ends where a key in double quotes is expected'],
    ['[,1]', 1, 2, "',' found where a value is expected"],
    ['{"a": }', 1, 7, "'}' found where a value is expected"],
    ['{} {}', 1, 4, "'{' follows the end of the value"],
    ['{}\u0000', 1, 3, 'U+0000 follows the end of the value'],
    ['"abc', 1, 1, 'a string is never closed'],
    ['"ab\nc"', 1, 4, 'a string is not closed before its line ends'],
    ['"a\u0001"', 1, 3, 'a string holds U+0001 unescaped'],
    ['"a\\x41"', 1, 3, "'\\x' is not an escape that JSON knows"],
    ['"a\\u12G4"', 1, 3, "'\\u' is not an escape that JSON knows"],
    ['[01]', 1, 2, "'01' is not a JSON number"],
    ['[.5]', 1, 2, "'.5' is not a JSON number"],
    ['[1.]', 1, 2, "'1.' is not a JSON number"],
    ['[+1]', 1, 2, "'+1' is not a JSON number"],
    ['[0x1F]', 1, 2, "'0x1F' is not a JSON number"],
    ['[-]', 1, 2, "'-' is not a JSON number"],
    ['[NaN]', 1, 2, "'NaN' is not a JSON value"],
    ['{"a": undefined}', 1, 7, "'undefined' is not a JSON value"],
    ['[True]', 1, 2, "'True' is not a JSON value"],
    ['[truely]', 1, 2, "'truely' is not a JSON value"],
    ['[“a”]', 1, 2, "'“' found where a value is expected"],
    ['[\u00A01]', 1, 2, 'U+00A0 found where a value is expected'],
    ['\r\n\r\n<html>', 3, 1, "'<' found where a value is expected"],
  ])('reports the position of the fault in %j', (text, line, column, reason) => {
    expect(faultOf(text)).toEqual({ line, column, reason });
  });

  it('counts columns in UTF-16 units', () => {
    expect(faultOf('["😀" x]').column).toBe(7);
  });

  it('keeps reasons short for long invalid text', () => {
    expect(faultOf(`[${'1'.repeat(100_000)}x]`).reason.length).toBeLessThan(80);
    expect(faultOf(`[${'a'.repeat(100_000)}]`).reason.length).toBeLessThan(80);
  });
});

describe('parseJson: hostile sizes', () => {
  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('survives a hundred thousand nested %s', (_what, open, close) => {
    const nested = open.repeat(100_000) + '1' + close.repeat(100_000);
    const whole = parseJson(nested);
    expect(whole.ok && whole.lineOf([open === '[' ? 0 : 'a'])).toBe(1);
    expect(faultOf(open.repeat(100_000)).line).toBe(1);
  });

  it('is linear on long strings, numbers and lines', () => {
    // Quadratic time would take minutes.
    const million = 1_000_000;
    expect(parseJson(`"${'\\n'.repeat(million)}"`).ok).toBe(true);
    expect(lineIn(`{${'\n'.repeat(million)}"a": "${'x'.repeat(million)}"}`, 'a')).toBe(million + 1);
    expect(faultOf(`[${'1'.repeat(million)}`).reason).toBe("an array is never closed with ']'");
    expect(faultOf(`"${'\\"'.repeat(million)}`).reason).toBe('a string is never closed');
    expect(faultOf(' '.repeat(million)).column).toBe(million + 1);
  });
});

describe('parseJson agrees with JSON.parse', () => {
  it('on every value, and finds a line for every path', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (compact, indent) => {
        const text = JSON.stringify(JSON.parse(compact), null, indent);
        const parsed = parseJson(text);
        if (!parsed.ok) throw new Error(parsed.reason);
        expect(parsed.value).toEqual(JSON.parse(text));
        const lines = text.split('\n');
        for (const path of pathsOf(parsed.value)) {
          const line = parsed.lineOf(path);
          const last = path.at(-1);
          if (line === undefined) throw new Error(`No line for ${JSON.stringify(path)}`);
          if (indent !== 0 && typeof last === 'string')
            expect(lines[line - 1]?.trim().startsWith(`${JSON.stringify(last)}:`)).toBe(true);
          if (indent === 0) expect(line).toBe(1);
        }
      }),
    );
  });

  it('on which texts are JSON', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      'a',
      '\\',
      '\\u00e9',
      '1',
      '0',
      '-',
      '.',
      'e',
      'true',
      'null',
      ' ',
      '\n',
      '\u0000',
      '/',
      "'",
      '"k"',
      '"k":',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const parsed = parseJson(text);
        expect(parsed.ok).toBe(isJson(text));
        if (parsed.ok) expect(parsed.lineOf([])).toBeGreaterThan(0);
        else expect(parsed.reason).not.toBe('it is too large to be read');
      }),
      { numRuns: 2_000 },
    );
  });

  it('on valid texts with one character changed, and puts faults inside the text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2, unit: 'binary' }), (json, at, put) => {
        const position = at % (json.length + 1);
        const text = json.slice(0, position) + put + json.slice(position + 1);
        const stripped = text.startsWith('\uFEFF') ? text.slice(1) : text;
        const parsed = parseJson(text);
        expect(parsed.ok).toBe(isJson(stripped));
        if (!parsed.ok) {
          const lines = stripped.split(/\r\n?|\n/);
          expect(parsed.line).toBeLessThanOrEqual(lines.length);
          expect(parsed.column).toBeLessThanOrEqual((lines[parsed.line - 1]?.length ?? 0) + 2);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('isJsonObject', () => {
  it('accepts only objects', () => {
    expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
    expect([[], null, undefined, 'x', 1, true].some(isJsonObject)).toBe(false);
  });
});

function pathsOf(value: unknown, at: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [at];
  const children: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...children.flatMap(([key, item]) => pathsOf(item, [...at, key]))];
}
