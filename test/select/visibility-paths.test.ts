import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createGlobMatcher,
  isGlob,
  createPathPatterns,
} from '../../packages/skillwright/src/policy/visibility/glob.ts';
import { explainVisibility, visible } from '../../packages/skillwright/src/policy/visibility/visibility.ts';
import { FUZZ_RUNS } from '../property/fuzz-runs.ts';
import { sampleSkill } from '../support/sample-metadata.ts';

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
    ['src/*.ts', 'src/deep/../a.ts'],
    ['**', '../above'],
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
  ])('%j matches %j', (pattern, path) => {
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
  ])('%j does not match %j', (pattern, path) => {
    expect(createGlobMatcher(pattern)(path)).toBe(false);
  });

  it('matches nothing if it is too long or expands to too many texts, however deep its braces', () => {
    expect(createGlobMatcher('*'.repeat(2_000))('a')).toBe(false);
    expect(createGlobMatcher('{a,b}'.repeat(30))('a'.repeat(30))).toBe(false);
    expect(createGlobMatcher('{'.repeat(900))('a')).toBe(false);
    expect(createGlobMatcher('{a,'.repeat(300) + '}'.repeat(300))('a')).toBe(false);
  });

  it('quickly evaluates patterns that make other matchers try every combination', () => {
    const path = `${'a/'.repeat(150)}${'a'.repeat(5_000)}`;
    expect(createGlobMatcher(`${'**/'.repeat(100)}${'*a'.repeat(100)}*b`)(path)).toBe(false);
  });

  it('without wildcards matches itself and no other single name', () => {
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

describe('the paths of a skill', () => {
  it('are parsed once, however often the skill is checked', () => {
    let reads = 0;
    const paths = new Proxy(['src/**', '*.{md,txt}'], {
      get: (target, key, receiver): unknown => {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const skill = sampleSkill('scoped', { paths });
    expect(visible(skill, { files: ['src/a.ts'] })).toBe(true);
    expect(reads).toBeGreaterThan(0);
    reads = 0;
    expect(visible(skill, { files: ['docs/b.txt'] })).toBe(true);
    expect(reads).toBe(0);
  });

  it('are limited to a number that can be compared quickly; the last ones are ignored, and the reason says so', () => {
    const alternatives = `{${Array.from({ length: 60 }, (_, at) => `a${at}`).join(',')}}`;
    const paths = ['src/*.ts', ...Array.from({ length: 255 }, () => `${'*a'.repeat(300)}${alternatives}`), 'last.md'];
    const { fits, ignored } = createPathPatterns(paths);
    expect(ignored).toBe(256);
    expect(fits('src/a.ts')).toBe(true);
    expect(fits('last.md')).toBe(false);
    const { reasons } = explainVisibility(sampleSkill('greedy', { paths }), { files: ['last.md'] });
    expect(reasons[0]?.sentence).toMatch(/It has too many paths: the last 256 of 257 are ignored\.$/);
    expect(createPathPatterns(Array.from({ length: 101 }, (_, at) => `${at}.md`))).toMatchObject({ ignored: 1 });
    expect(createPathPatterns(Array.from({ length: 100 }, (_, at) => `src/part-${at}/**/*.{ts,tsx}`)).ignored).toBe(0);
  });

  it('match no path that exceeds the length limit', () => {
    expect(createPathPatterns(['**']).fits('a/'.repeat(2_000))).toBe(true);
    expect(createPathPatterns(['**']).fits('a/'.repeat(3_000))).toBe(false);
  });
});

describe('paths that lead elsewhere, or are not files', () => {
  const skill = sampleSkill('sources', { paths: ['src/**', '/etc/hosts'] });

  it.each([
    [['src/../etc/passwd'], false],
    [['src/a/../../etc/passwd'], false],
    [['../src/a.ts'], false],
    [['src/../src/a.ts'], true],
    [['other/../src/a.ts'], true],
  ])('are resolved before they are matched: %j', (files, fits) => {
    expect(visible(skill, { files })).toBe(fits);
  });

  it('are ignored', () => {
    const files = [null, undefined, 5, {}, 'src/a.ts'] as unknown as string[];
    expect(visible(skill, { files })).toBe(true);
    expect(visible(skill, { files: files.slice(0, 4) })).toBe(false);
    expect(visible(skill, { files: 'src/a.ts' as unknown as string[] })).toBe(false);
    const { proxy, revoke } = Proxy.revocable<string[]>([], {});
    revoke();
    expect(visible(skill, { files: proxy })).toBe(false);
  });
});
