import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLength, parseArguments, parseJson, numberIn, parseExact } from './json-text.ts';
import { canonicalJson } from './canonical-json.ts';
import { addRawUsage, tokenCount } from '../usage.ts';

describe('the arguments of a call', () => {
  it.each(['{}', ' {"a":1}\n', '{"__proto__":1}'])('are an object: %j', (text) => {
    expect(parseArguments(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  });

  it.each(['', ' \n'])('are empty if the text is %j', (text) => {
    expect(parseArguments(text)).toEqual({ ok: true, value: {} });
  });

  it.each(['{', '{"a":', '{"a":1}{"b":2}', "{'a':1}", 'undefined', '{"a":1,}', '```json\n{}\n```'])(
    'are rejected if they are not JSON: %j',
    (text) => {
      expect(parseArguments(text)).toEqual({
        ok: false,
        message: expect.stringMatching(
          /^The arguments are not valid JSON \(.+\)\. Call again with a JSON object\.$/s,
        ) as string,
      });
    },
  );

  it.each([
    ['null', 'null'],
    ['[1]', 'an array'],
    ['7', 'a number'],
    ['"{}"', 'a string'],
    ['true', 'a boolean'],
  ])('such as %s are reported as %s', (text, kind) => {
    expect(parseArguments(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining(`not ${kind}.`) as string,
    });
  });
});

describe('JSON', () => {
  it('is read without throwing', () => {
    expect(parseJson('1')).toEqual({ ok: true, value: 1 });
    expect(parseJson('x').ok).toBe(false);
    expect(parseJson('['.repeat(100_000)).ok).toBe(false);
  });

  it('has a length, which is infinite if the value cannot be written', () => {
    expect(jsonLength({ a: 'ü' })).toBe(9);
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    expect([jsonLength(loop), jsonLength(1n), jsonLength(undefined)]).toEqual([Infinity, Infinity, Infinity]);
  });
});

describe('numbers that JavaScript would write differently', () => {
  it.each([
    '{"a":1234567890123456789}',
    '{"a":-1234567890123456789,"b":[1.0,2.50]}',
    '{"a":1e5,"b":1E-7}',
    '{"a":123456789.1234567891}',
    '[-0]',
    '[0.0000001,-0.0000001]',
    '1.0',
    '{"a": {"b": [ 0.10 ]}}',
  ])('keep their spelling: %s', (text) => {
    expect(JSON.stringify(parseExact(text))).toBe(text.replaceAll(' ', ''));
  });

  it('keep their spelling, whatever they are', () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?$/);
    fc.assert(
      fc.property(fc.array(digits), fc.string(), (numbers, word) => {
        const text = `{"word":${JSON.stringify(word)},"numbers":[${numbers.join(',')}]}`;
        expect(JSON.stringify(parseExact(text))).toBe(text);
      }),
    );
  });

  it('behave as numbers in arithmetic and comparisons', () => {
    const { a, b } = parseExact('{"a":1.0,"b":2e3}') as Record<string, unknown>;
    expect([numberIn(a), numberIn(b), numberIn('1')]).toEqual([1, 2_000, undefined]);
    expect(tokenCount(b)).toBe(2_000);
    expect(addRawUsage({ cost: a }, { cost: b })).toEqual({ cost: 2_001 });
    expect(canonicalJson(parseExact('[1.0,1e1]'))).toBe(canonicalJson([1, 10]));
  });
});

it('parses text without such a number as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(JSON.stringify(parseExact(text)))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
    }),
  );
});

it('throws for invalid JSON, and reads deeply nested JSON', () => {
  expect(() => parseExact('{"a":1.0')).toThrow(SyntaxError);
  const deep = `${'['.repeat(5_000)}1.0${']'.repeat(5_000)}`;
  expect(Array.isArray(parseExact(deep))).toBe(true);
});

it('reads a long text of digits or spaces in linear time', () => {
  // A pattern that backtracks over the whole text at every character would take minutes.
  expect(() => parseExact(`["${'1'.repeat(1_000_000)}", ${' '.repeat(1_000_000)}x`)).toThrow(SyntaxError);
});
