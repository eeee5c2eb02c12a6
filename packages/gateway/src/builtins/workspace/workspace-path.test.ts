import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { parseWorkspacePath } from './workspace-path.ts';

const REFUSED = expect.objectContaining({ code: 'WorkspacePathRefused' }) as Error;

describe('parseWorkspacePath', () => {
  it.each([
    ['notes.txt', ['notes.txt']],
    ['./a/./b.txt', ['a', 'b.txt']],
    ['a b/ünï/日本.md', ['a b', 'ünï', '日本.md']],
    ['environment/.envrc', ['environment', '.envrc']],
    ['.github/gitignore', ['.github', 'gitignore']],
    ['secretsanta/my.secrets', ['secretsanta', 'my.secrets']],
    ['...a', ['...a']],
  ])('accepts %j', (path, segments) => {
    expect(parseWorkspacePath(path)).toEqual(segments);
  });

  it.each([
    '..',
    '../a',
    'a/../../b',
    'a/..',
    '/etc/passwd',
    '~/x',
    '~root/x',
    'C:/x',
    'a\\..\\b',
    '\\\\host\\x',
    'a\0b',
  ])('refuses %j, which leads out of the workspace', (path) => {
    proves('S4.files.reject');
    expect(() => parseWorkspacePath(path)).toThrow(REFUSED);
  });

  it.each(['.env', '.git', '.ssh', '.skillwright', '.omniroute', '.codex', 'secrets', '.env.local', '.env.production'])(
    'refuses %s in any spelling and at any place in the path',
    (name) => {
      proves('S4.files.reject');
      const spellings = [
        name,
        name.toUpperCase(),
        `${name}.`,
        `${name} `,
        `${name}. .`,
        `\u200d${name}`,
        `${name}\ufeff`,
      ];
      for (const spelling of spellings)
        for (const path of [spelling, `a/${spelling}`, `${spelling}/b`, `./${spelling}/b`])
          expect(() => parseWorkspacePath(path), path).toThrow(REFUSED);
    },
  );

  it.each([
    '.g\u0131t',
    '.G\u0130T',
    '\u017fecrets',
    '.\u1d49nv',
    '．env',
    '.\uff47it',
    '.ss\u200bh',
    'GIT~1',
    '.git::$DATA',
  ])('refuses %j, which a file system may treat as a forbidden name', (path) => {
    expect(() => parseWorkspacePath(path)).toThrow(REFUSED);
  });

  it.each([
    '',
    '.',
    './',
    'a//b',
    'a/',
    'a\nb',
    '\ud800',
    'x'.repeat(256),
    'a/'.repeat(32) + 'b',
    '. ',
    '. ./x',
    '.\u200d.',
  ])('refuses %j, which is not a valid path', (path) => {
    expect(() => parseWorkspacePath(path)).toThrow(REFUSED);
  });

  it('either returns path names or refuses the path, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (path) => {
        let segments: readonly string[] = [];
        try {
          segments = parseWorkspacePath(path);
        } catch (error) {
          expect(error).toEqual(REFUSED);
        }
        for (const segment of segments) expect(segment).not.toMatch(/[/\\\0]|^\.{0,2}$/);
      }),
    );
  });
});
