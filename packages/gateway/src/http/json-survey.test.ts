import fc from 'fast-check';
import { expect, it } from 'vitest';
import { surveyJson } from './json-survey.ts';

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
])('%s nests %i deep', (text, depth) => {
  expect(surveyJson(Buffer.from(text), 100).depth).toBe(depth);
});

it('stops counting beyond its limit', () => {
  expect(surveyJson(Buffer.from('['.repeat(1_000_000)), 10).depth).toBe(11);
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
])('%s has no number that JavaScript writes otherwise', (text) => {
  expect(surveyJson(Buffer.from(text), 100).hasUnusualNumbers).toBe(false);
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
])('%s has a number that JavaScript writes otherwise', (text) => {
  expect(surveyJson(Buffer.from(text), 100).hasUnusualNumbers).toBe(true);
  expect(JSON.stringify(JSON.parse(text))).not.toBe(text);
});

/** Numbers of JSON in all their spellings. */
const NUMBER_TEXT = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.nat(9_999_999).map(String),
    fc.stringMatching(/^(?:\.\d{1,9})?$/),
    fc.stringMatching(/^(?:[eE][-+]?\d)?$/),
  )
  .map((parts) => parts.join(''));

it('never takes an unusual number for a usual one', () => {
  fc.assert(
    fc.property(fc.array(NUMBER_TEXT, { maxLength: 5 }), (numbers) => {
      const text = `[${numbers.join(',')}]`;
      const { hasUnusualNumbers } = surveyJson(Buffer.from(text), 100);
      expect(hasUnusualNumbers || JSON.stringify(JSON.parse(text)) === text).toBe(true);
    }),
  );
});
