import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { numberIn, parseExact } from './exact-json.ts';
import { addRawUsage, tokenCount } from '../usage.ts';

describe('numbers that JavaScript would write in another way', () => {
  it.each([
    '{"a":1234567890123456789}',
    '{"a":-1234567890123456789,"b":[1.0,2.50]}',
    '{"a":1e5,"b":1E-7}',
    '{"a":123456789.1234567891}',
    '[-0]',
    '[0.0000001,-0.0000001]',
    '1.0',
    '{"a": {"b": [ 0.10 ]}}',
  ])('are written as they came: %s', (text) => {
    expect(JSON.stringify(parseExact(text))).toBe(text.replaceAll(' ', ''));
  });

  it('are written as they came, whatever they are', () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?$/);
    fc.assert(
      fc.property(fc.array(digits), fc.string(), (numbers, word) => {
        const text = `{"word":${JSON.stringify(word)},"numbers":[${numbers.join(',')}]}`;
        expect(JSON.stringify(parseExact(text))).toBe(text);
      }),
    );
  });

  it('are numbers for whoever counts or compares', () => {
    const { a, b } = parseExact('{"a":1.0,"b":2e3}') as Record<string, unknown>;
    expect([numberIn(a), numberIn(b), numberIn('1')]).toEqual([1, 2_000, undefined]);
    expect(tokenCount(b)).toBe(2_000);
    expect(addRawUsage({ cost: a }, { cost: b })).toEqual({ cost: 2_001 });
    expect(canonicalJson(parseExact('[1.0,1e1]'))).toBe(canonicalJson([1, 10]));
  });
});

it('what has no such number is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(JSON.stringify(parseExact(text)))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
    }),
  );
});

it('what is no JSON is thrown, and what is nested deeply is read', () => {
  expect(() => parseExact('{"a":1.0')).toThrow(SyntaxError);
  const deep = `${'['.repeat(5_000)}1.0${']'.repeat(5_000)}`;
  expect(Array.isArray(parseExact(deep))).toBe(true);
});

it('a long text of digits or spaces is read in linear time', () => {
  // A pattern that looks back over all of it at every character would take minutes.
  expect(() => parseExact(`["${'1'.repeat(1_000_000)}", ${' '.repeat(1_000_000)}x`)).toThrow(SyntaxError);
});
