import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInsidePath } from './inside-path.ts';

describe('parseInsidePath', () => {
  it.each([
    ['scripts/run.py', 'scripts/run.py'],
    ['./scripts/run.py', 'scripts/run.py'],
    ['././a//b/./c', 'a/b/c'],
    ['skills/', 'skills'],
    ['a/../b', 'b'],
    ['a/b/../../c', 'c'],
    ['.', '.'],
    ['./', '.'],
    ['a/..', '.'],
    ['scripts\\run.py', 'scripts/run.py'],
    ['.\\scripts\\run.py', 'scripts/run.py'],
    [' scripts/run.py ', 'scripts/run.py'],
    ['.hidden/x', '.hidden/x'],
    ['..x/y..', '..x/y..'],
    ['über/脚本/😀.py', 'über/脚本/😀.py'],
    ['a b/c d.sh', 'a b/c d.sh'],
    ['~x/y', '~x/y'],
    ['$HOME/x', '$HOME/x'],
    ['x/a:b', 'x/a:b'],
  ])('reads %j as %j', (written, path) => {
    expect(parseInsidePath(written)).toEqual({ path });
  });

  it.each([
    ['', 'is empty', false],
    ['   ', 'is empty', false],
    ['a\u0000b', 'contains a control character', false],
    ['a\nb', 'contains a control character', false],
    ['scripts/run.py\n', 'contains a control character', false],
    ['/etc/passwd', 'is absolute', true],
    [' /etc/passwd', 'is absolute', true],
    ['\\etc\\passwd', 'is absolute', true],
    ['\\\\server\\share', 'is absolute', true],
    ['//server/share', 'is absolute', true],
    ['C:\\x', 'is absolute', true],
    ['c:x', 'is absolute', true],
    ['~', 'is absolute', true],
    ['~/x', 'is absolute', true],
    ['~\\x', 'is absolute', true],
    ['./C:/x', 'is absolute', true],
    ['./ C:/x', 'is absolute', true],
    ['a/../~/x', 'is absolute', true],
    ['https://example.com/x.js', 'is a URL', true],
    ['file:///etc/passwd', 'is a URL', true],
    ['..', "leaves the directory with '..'", true],
    ['../x', "leaves the directory with '..'", true],
    ['a/../../x', "leaves the directory with '..'", true],
    ['a/../../a/x', "leaves the directory with '..'", true],
    ['..\\x', "leaves the directory with '..'", true],
    ['a\\..\\..\\x', "leaves the directory with '..'", true],
    ['a/.. /../x', "contains the invalid name '.. '", true],
    ['.../x', "contains the invalid name '...'", true],
  ])('refuses %j: %s', (written, problem, outside) => {
    expect(parseInsidePath(written)).toEqual({ problem, outside });
  });

  it('never returns a path that leaves its directory, on any platform', () => {
    const step = fc.constantFrom(
      '..',
      '.',
      '',
      ' ',
      'a',
      'b c',
      '~',
      'C:',
      '\\',
      '/',
      '...',
      '.. ',
      '\u0000',
      'file:',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.constantFrom('/', '\\', ''), (steps, separator) => {
        const read = parseInsidePath(steps.join(separator));
        if ('problem' in read) return;
        expect(posix.resolve('/skill', read.path)).toMatch(/^\/skill(?:\/|$)/);
        expect(win32.resolve('D:\\skill', read.path)).toMatch(/^D:\\skill(?:\\|$)/);
        expect(parseInsidePath(read.path)).toHaveProperty('path');
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads long paths in linear time', () => {
    // Quadratic time would take minutes.
    expect(parseInsidePath('a/'.repeat(500_000))).toHaveProperty('path');
    expect(parseInsidePath('../'.repeat(300_000))).toHaveProperty('problem');
    expect(parseInsidePath(`${'. '.repeat(500_000)}x`)).toHaveProperty('path');
    expect(parseInsidePath(`${'a'.repeat(1_000_000)}:`)).toHaveProperty('path');
  });
});
