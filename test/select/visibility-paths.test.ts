import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGlobMatcher, isGlob } from '../../packages/skillwright/src/policy/visibility-glob.ts';
import { FUZZ_RUNS } from '../property/fuzz-runs.ts';

describe('a glob', () => {
  it.each([
    ['src/**/*.ts', 'src/a.ts'],
    ['src/**/*.ts', 'src/deep/er/a.ts'],
    ['**/*.ts', 'a.ts'],
    ['**', 'any/thing'],
    ['**/test/**', 'a/test/b'],
    ['*.md', 'docs/deep/readme.md'],
    ['Dockerfile', 'services/api/Dockerfile'],
    ['src/', 'src/deep/a.ts'],
    ['./src/*.ts', 'src/a.ts'],
    ['/src/*.ts', 'src/a.ts'],
    ['src/*.ts', './src/a.ts'],
    ['src/*.ts', 'src\\a.ts'],
    ['src/?.ts', 'src/a.ts'],
    ['src/?.ts', 'src/é.ts'],
    ['*.{ts,tsx}', 'a.tsx'],
    ['{src,test}/**/*.{js,ts}', 'test/x/y.js'],
    ['a{b,{c,d}e}f', 'adef'],
    ['a{,b}c', 'ac'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[^a-c]x', 'dx'],
    ['[]x]y', ']y'],
    ['[a-]y', '-y'],
    ['\\*.ts', '*.ts'],
    ['a{b', 'a{b'],
    ['a{b}', 'a{b}'],
    ['a[b', 'a[b'],
    ['a.b', 'a.b'],
    ['(a|b)+', '(a|b)+'],
    ['*a*a*a*', 'xaxaxax'],
    ['**/a/**/b', 'x/a/y/a/z/b'],
  ])('%j fits %j', (pattern, path) => {
    expect(createGlobMatcher(pattern)(path)).toBe(true);
  });

  it.each([
    ['src/*.ts', 'src/deep/a.ts'],
    ['src/*.ts', 'other/src/a.ts'],
    ['*.ts', 'a.tsx'],
    ['src/**/*.ts', 'test/a.ts'],
    ['?', 'ab'],
    ['[a-c]x', 'dx'],
    ['a.b', 'axb'],
    ['*.{ts,tsx}', 'a.js'],
    ['\\*.ts', 'a.ts'],
    ['src/', 'src2/a'],
    ['A.ts', 'a.ts'],
    ['', 'a'],
    ['**/a/**/b', 'a/c'],
  ])('%j does not fit %j', (pattern, path) => {
    expect(createGlobMatcher(pattern)(path)).toBe(false);
  });

  it('fits nothing when it is too long or stands for too many texts, however deep its braces', () => {
    expect(createGlobMatcher('*'.repeat(2_000))('a')).toBe(false);
    expect(createGlobMatcher('{a,b}'.repeat(30))('a'.repeat(30))).toBe(false);
    expect(createGlobMatcher('{'.repeat(900))('a')).toBe(false);
    expect(createGlobMatcher('{a,'.repeat(300) + '}'.repeat(300))('a')).toBe(false);
  });

  it('answers at once about patterns that make others try every way', () => {
    const path = `${'a/'.repeat(150)}${'a'.repeat(5_000)}`;
    expect(createGlobMatcher(`${'**/'.repeat(100)}${'*a'.repeat(100)}*b`)(path)).toBe(false);
  });

  it('that has no marks fits itself and no other single name', () => {
    const plain = fc.stringMatching(/^[a-z0-9_.-]{1,12}$/).filter((text) => text !== '.');
    fc.assert(
      fc.property(plain, plain, (pattern, name) => {
        expect(isGlob(pattern)).toBe(false);
        expect(createGlobMatcher(pattern)(name)).toBe(pattern === name);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('never throws, whatever the pattern and the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (pattern, path) => {
        expect(typeof createGlobMatcher(pattern)(path)).toBe('boolean');
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
