import { describe, expect, it, afterAll, beforeAll } from 'vitest';
import { directoriesBetween, findMisplaced, followLinks, isWithin } from './places.ts';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('directoriesBetween', () => {
  it.each([
    ['/w', '/w/.claude/skills/pdf', ['/w/.claude', '/w/.claude/skills']],
    ['/w', '/w/pdf', []],
    ['/w', '/w', []],
    ['/w', '/elsewhere/skills/pdf', []],
    ['/w', '/workspace/skills/pdf', []],
    ['/w/skills/pdf/scripts', '/w/skills/pdf', []],
  ])('lists the directories between %s and %s: %j', (workspace, skill, between) => {
    expect(directoriesBetween(workspace, skill)).toEqual(between);
  });
});

describe.runIf(process.platform === 'linux')('a mounted path', () => {
  it('is in place if it is a mount point and the same directory as outside the sandbox', () => {
    expect(findMisplaced(process.pid, ['/proc'])).toBeUndefined();
    expect(findMisplaced(process.pid, [])).toBeUndefined();
    expect(findMisplaced(process.pid, ['/proc', '/proc/self'])).toBe('/proc/self');
  });

  it('is not in place if nothing can be read about it', () => {
    expect(findMisplaced(4_194_305, ['/proc'])).toBe('/proc');
  });
});

describe.skipIf(process.platform === 'win32')('the links on a path', () => {
  let root: string;
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-links-')));
    mkdirSync(join(root, 'real/deep'), { recursive: true });
    writeFileSync(join(root, 'real/deep/file'), '');
    symlinkSync('real', join(root, 'relative'));
    symlinkSync(join(root, 'relative/deep'), join(root, 'absolute'));
    symlinkSync('../absolute/file', join(root, 'real/up'));
    symlinkSync('circle', join(root, 'circle'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('are an empty list if the path has no links', () => {
    expect(followLinks(join(root, 'real/deep'))).toEqual({ real: join(root, 'real/deep'), links: [] });
    expect(followLinks('/')).toEqual({ real: '/', links: [] });
  });

  it('are listed in the order in which they are followed', () => {
    const { real, links } = followLinks(join(root, 'relative/up'));
    expect(real).toBe(join(root, 'real/deep/file'));
    expect(links).toEqual([
      { path: join(root, 'relative'), target: 'real' },
      { path: join(root, 'real/up'), target: '../absolute/file' },
      { path: join(root, 'absolute'), target: join(root, 'relative/deep') },
      { path: join(root, 'relative'), target: 'real' },
    ]);
  });

  it("cannot be followed if one is dangling or circular, and the system's error says why", () => {
    expect(() => followLinks(join(root, 'nothing/here'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => followLinks(join(root, 'circle'))).toThrow(expect.objectContaining({ code: 'ELOOP' }));
    expect(() => followLinks(join(root, 'real/deep/file/x'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it('isWithin distinguishes a path inside a directory from one with the same prefix', () => {
    expect([isWithin('/a/b', '/a'), isWithin('/a', '/a'), isWithin('/a', '/'), isWithin('/', '/')]).toEqual(
      Array(4).fill(true),
    );
    expect([isWithin('/ab', '/a'), isWithin('/', '/a'), isWithin('/a', '/a/b')]).toEqual(Array(3).fill(false));
  });
});
