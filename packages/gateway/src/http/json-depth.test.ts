import { expect, it } from 'vitest';
import { jsonDepth } from './json-depth.ts';

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
])('%s nests %i deep', (text, depth) => {
  expect(jsonDepth(Buffer.from(text), 100)).toBe(depth);
});

it('stops counting beyond its limit', () => {
  expect(jsonDepth(Buffer.from('['.repeat(1_000_000)), 10)).toBe(11);
});
