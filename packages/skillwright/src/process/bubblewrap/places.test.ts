import { describe, expect, it } from 'vitest';
import { directoriesBetween, findMisplaced } from './places.ts';

describe('the directories between a workspace and a skill', () => {
  it.each([
    ['/w', '/w/.claude/skills/pdf', ['/w/.claude', '/w/.claude/skills']],
    ['/w', '/w/pdf', []],
    ['/w', '/w', []],
    ['/w', '/elsewhere/skills/pdf', []],
    ['/w', '/workspace/skills/pdf', []],
    ['/w/skills/pdf/scripts', '/w/skills/pdf', []],
  ])('%s, %s: %j', (workspace, skill, between) => {
    expect(directoriesBetween(workspace, skill)).toEqual(between);
  });
});

describe.runIf(process.platform === 'linux')('what was mounted', () => {
  it('is in its place when it is a mount, and the same as outside', () => {
    expect(findMisplaced(process.pid, ['/proc'])).toBeUndefined();
    expect(findMisplaced(process.pid, [])).toBeUndefined();
    expect(findMisplaced(process.pid, ['/proc', '/proc/self'])).toBe('/proc/self');
  });

  it('is not in its place when there is nothing to be read about it', () => {
    expect(findMisplaced(4_194_305, ['/proc'])).toBe('/proc');
  });
});
