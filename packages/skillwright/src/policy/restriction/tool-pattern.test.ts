import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandGlobs, hostOf, matchesDomain, matchesGlob, matchesPath, mayMatchGlob } from './tool-pattern.ts';

describe('a pattern', () => {
  it.each<[string, string, boolean]>([
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'a\nb', true],
    ['a*', 'a', true],
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*c', 'abcd', false],
    ['a*a', 'a', false],
    ['*ab*ab*', 'abab', true],
    ['*ab*ab*', 'aba', false],
    ['a*b*c', 'axxbxxbxxc', true],
    ['a.c', 'abc', false],
    ['(a|b)', 'a', false],
    ['mcp__github__*', 'mcp__github__search', true],
    ['mcp__github__*', 'mcp__gitlab__search', false],
  ])('%j matches %j: %s', (pattern, text, isMatch) => {
    expect(matchesGlob(pattern, text)).toBe(isMatch);
  });

  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ') });
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*') });

  it('matches exactly what the equivalent regular expression matches', () => {
    fc.assert(
      fc.property(glob, text, (pattern, value) => {
        expect(matchesGlob(pattern, value)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is reported as a possible match for every prefix of a text that it matches', () => {
    fc.assert(
      fc.property(glob, text, fc.nat(), (pattern, value, length) => {
        if (matchesGlob(pattern, value)) expect(mayMatchGlob(pattern, value.slice(0, length))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, string, boolean]>([
    ['rm *', 'ls', false],
    ['rm *', 'r', true],
    ['rm', 'rm x', false],
    ['git push', 'git', true],
  ])('%j may match a text that starts with %j: %s', (pattern, start, isPossible) => {
    expect(mayMatchGlob(pattern, start)).toBe(isPossible);
  });

  it('with half a million stars is matched in linear time', () => {
    // Trying every position for every star would take minutes.
    expect(matchesGlob('*a'.repeat(500_000), 'a'.repeat(1_000_000))).toBe(true);
    expect(matchesGlob(`${'*a'.repeat(500_000)}b`, 'a'.repeat(1_000_000))).toBe(false);
  });
});

describe('a pattern for commands', () => {
  const matches = (pattern: string, command: string): boolean =>
    commandGlobs(pattern).some((glob) => matchesGlob(glob, command));

  it.each<[string, readonly string[], readonly string[]]>([
    ['ls *', ['ls', 'ls -la', 'ls -la x'], ['lsof', 'ls-x', 'xls']],
    ['ls:*', ['ls', 'ls -la'], ['lsof', 'ls:x']],
    ['ls*', ['ls', 'lsof', 'ls -la'], ['xls']],
    ['git diff:*', ['git diff', 'git diff --stat'], ['git', 'git difftool']],
    ['npm run *', ['npm run', 'npm run build'], ['npm runx', 'npm install']],
    ['npm run test:*', ['npm run test', 'npm run test x'], ['npm run test:unit']],
    ['npm run test:* --ci', ['npm run test:unit --ci'], ['npm run test --ci']],
    ['git * main', ['git push main', 'git a b main'], ['git main', 'git push mainx']],
    ['* --version', ['node --version', 'a b --version'], ['--version']],
    ['git  status', ['git status'], ['git  status']],
    ['git status', ['git status'], ['git status -s', 'git']],
  ])('%j matches the expected commands and no others', (pattern, fitting, others) => {
    expect(fitting.filter((command) => !matches(pattern, command))).toEqual([]);
    expect(others.filter((command) => matches(pattern, command))).toEqual([]);
  });
});

describe('a pattern for paths', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'src/*',
      ['src/a.ts', './src/a.ts', 'src//a/../b.ts', 'src/a/b.ts', String.raw`src\a.ts`],
      ['src', 'src/../a', 'src/../../src/a', '../src/a', '/src/a', 'xsrc/a', '', 'src/a\0b'],
    ],
    ['./docs/*.md', ['docs/a.md', 'docs/x/a.md'], ['docs/a.mdx', 'a.md', 'docs/../a.md']],
    ['/tmp/**', ['/tmp/a', '/tmp/a/b', '//tmp/a'], ['/tmp/../etc/passwd', '/tmpx', 'tmp/a', '/../etc']],
    ['**/*.ts', ['a.ts', 'x/a.ts', '/x/y/a.ts'], ['a.tsx']],
    ['src/**/a.ts', ['src/a.ts', 'src/x/y/a.ts'], ['src/xa.ts', 'a.ts']],
    ['notes.md', ['notes.md', './notes.md', 'a/../notes.md'], ['x/notes.md', 'notes.md/x']],
  ])('%j matches the expected paths and no others', (pattern, fitting, others) => {
    expect(fitting.filter((path) => !matchesPath(pattern, path))).toEqual([]);
    expect(others.filter((path) => matchesPath(pattern, path))).toEqual([]);
  });
});

describe('a pattern for domains', () => {
  const matches = (pattern: string, url: string): boolean => {
    const host = hostOf(url);
    return host !== undefined && matchesDomain(pattern, host);
  };
  const below = ['https://api.example.com', 'https://a.b.example.com/'];
  const itself = [
    'https://example.com',
    'http://EXAMPLE.com:8080/x?y#z',
    'https://user@example.com/',
    'https://example.com./',
  ];
  const foreign = [
    'https://example.com.evil.org',
    'https://example.com@evil.org/',
    'https://evil.org/example.com',
    'https://evil.org#example.com',
    'https://notexample.com',
    String.raw`https://evil.org\@example.com`,
    'https://evil.org\\.example.com',
    'ftp://example.com',
    'file:///example.com',
    '//example.com',
    ' https://example.com',
    'https://exam\tple.com',
    'example.com',
    'https://',
    '',
  ];

  it.each<[string, readonly string[], readonly string[]]>([
    ['domain:example.com', itself, [...below, ...foreign]],
    ['domain:*.example.com', below, [...itself, ...foreign, 'https://xexample.com']],
    ['domain:EXAMPLE.com', itself, foreign],
    ['domain:*', [...itself, ...below], ['ftp://example.com', '']],
    ['domain:bücher.example', ['https://bücher.example/', 'https://xn--bcher-kva.example/'], []],
    ['domain:example.com/x', [], [...itself, ...below]],
    ['domain:example.com:80', [], itself],
    ['domain:ex*.com', [], itself],
    ['domain:', [], itself],
    ['https://example.com/*', [], itself],
    ['example.com', [], itself],
  ])('%j matches the expected hosts and no others', (pattern, fitting, others) => {
    expect(fitting.filter((url) => !matches(pattern, url))).toEqual([]);
    expect(others.filter((url) => matches(pattern, url))).toEqual([]);
  });
});
