import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExact } from 'skillwright/wire';
import { countValues, surveyJson } from './json-survey.ts';

const LIMITS = { depth: 100, values: 1_000 };

it.each([
  ['', 0],
  ['1', 0],
  ['[]', 1],
  ['{"a":[{}]}', 3],
  ['[[],[[]]]', 3],
  ['"[[[["', 0],
  [String.raw`["\"[[[", "\\", ["\\\""]]`, 2],
  [String.raw`{"a\\":"}{][","b":[1]}`, 2],
  ['"never ends [[[', 0],
  [String.raw`"ends in a backslash \\`, 0],
  [']]]][', 0],
  ['[-1.5e3,[2]]', 2],
])('surveyJson measures the nesting of %s as %i levels', (text, depth) => {
  expect(surveyJson(Buffer.from(text), LIMITS).depth).toBe(depth);
});

it.each([
  ['', 0],
  ['null', 1],
  ['[]', 1],
  ['[true,false,null,-1.5e3,"a"]', 6],
  ['{"a":1,"b":[{}]}', 6],
  ['[[],[[]]]', 4],
  ['"[[[["', 1],
  [String.raw`["\"[[[", "\\", ["\\\""]]`, 5],
])('surveyJson counts the values of %s: %i', (text, values) => {
  expect(surveyJson(Buffer.from(text), LIMITS).values).toBe(values);
});

it.each([
  ['{"arguments":"{\\"a\\":[1,null]}"}', 8],
  ['{"arguments" : " [[],[]]"}', 6],
  ['{"args":"[[],[]]"}', 6],
  ['{"input":"[[],[]]"}', 6],
  ['{"input":"\\u005b[],[]]"}', 6],
  ['{"argument\\u0073":"[[],[]]"}', 6],
  ['{"arguments":"never ends [[], []]"}', 3],
  ['{"arguments":"[[],[]"}', 6],
  ['{"arguments":["[[],[]]"]}', 4],
  ['{"content":"[[],[]]"}', 3],
  ['{"arguments":"{\\"arguments\\":\\"[[]]\\"}"}', 6],
])('surveyJson also counts the values of JSON arguments inside a string: %s has %i', (text, values) => {
  expect(surveyJson(Buffer.from(text), LIMITS).values).toBe(values);
});

it('surveyJson counts the same values as JSON.parse returns, for any input', () => {
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const inner = Object.values(value).reduce<number>((sum, one) => sum + count(one), 1);
    return Array.isArray(value) ? inner : inner + Object.keys(value).length;
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(surveyJson(Buffer.from(JSON.stringify(value)), LIMITS, false).values).toBe(count(value));
    }),
  );
});

it('ownValues equals the number of values in the parsed JSON, and is higher only if a key is repeated', () => {
  const texts = fc
    .jsonValue()
    .map((value) => JSON.stringify({ arguments: JSON.stringify(value), value, more: -1.5e300 }));
  fc.assert(
    fc.property(texts, (text) => {
      for (const parse of [JSON.parse, parseExact])
        expect(countValues(parse(text))).toBe(surveyJson(Buffer.from(text), LIMITS).ownValues);
    }),
  );
  for (const text of ['{"a":1,"a":2}', String.raw`[{"a":[{"b":1,"\u0062":null}]}]`, '{"a":[1,2],"b":{},"a":1.0}']) {
    const { ownValues } = surveyJson(Buffer.from(text), LIMITS);
    expect([text, countValues(parseExact(text)) < ownValues]).toEqual([text, true]);
  }
});

it('surveyJson stops counting beyond its limits', () => {
  expect(surveyJson(Buffer.from('[],'.repeat(1_000_000)), { depth: 100, values: 10 }).values).toBe(11);

  expect(surveyJson(Buffer.from('['.repeat(1_000_000)), { ...LIMITS, depth: 10 }).depth).toBe(11);
});

it.each([
  '0',
  '7',
  '-1',
  '0.7',
  '-0.25',
  '10',
  '100000',
  '123456789012345',
  '[1,2.5,true,false,null]',
  '{"a 1.0":"1e5"}',
])('%s has no number that JavaScript would write differently', (text) => {
  expect(surveyJson(Buffer.from(text), LIMITS).hasUnusualNumbers).toBe(false);
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
});

it.each([
  '1.0',
  '-0',
  '-0.0',
  '1e5',
  '1E5',
  '1e-05',
  '0.0000001',
  '-0.0000001',
  '12345678901234567890',
  '0.1234567890123456789',
  '[1,{"a":2.50}]',
])('%s has a number that JavaScript would write differently', (text) => {
  expect(surveyJson(Buffer.from(text), LIMITS).hasUnusualNumbers).toBe(true);
  expect(JSON.stringify(JSON.parse(text))).not.toBe(text);
});

/** JSON numbers in every spelling. */
const NUMBER_TEXT = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.nat(9_999_999).map(String),
    fc.stringMatching(/^(?:\.\d{1,9})?$/),
    fc.stringMatching(/^(?:[eE][-+]?\d)?$/),
  )
  .map((parts) => parts.join(''));

it('reports every number that JavaScript would write differently, for any numbers', () => {
  fc.assert(
    fc.property(fc.array(NUMBER_TEXT, { maxLength: 5 }), (numbers) => {
      const text = `[${numbers.join(',')}]`;
      const { hasUnusualNumbers } = surveyJson(Buffer.from(text), LIMITS);
      expect(hasUnusualNumbers || JSON.stringify(JSON.parse(text)) === text).toBe(true);
    }),
  );
});
