import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KnownFileList } from './known-files.ts';

const PATHS = [join('r', 'a', 'SKILL.md'), join('r', 'group', 'b', 'SKILL.md'), join('r', 'z', 'SKILL.md')];

describe('a list of known files', () => {
  it('finds each file, whatever the order of the lookups, and also a second time', () => {
    const list = new KnownFileList(PATHS, [1, 2, 3]);
    for (const order of [PATHS, PATHS.toReversed(), PATHS])
      expect(order.map((path) => list.get(path))).toEqual(order === PATHS ? [1, 2, 3] : [3, 2, 1]);
  });

  it('finds neither parent directories nor missing files', () => {
    const list = new KnownFileList(PATHS, [1, 2, 3]);
    expect(list.get(PATHS[0] ?? '')).toBe(1);
    expect(list.get(join('r', 'group', 'SKILL.md'))).toBeUndefined();
    expect(list.get(join('r', 'new', 'SKILL.md'))).toBeUndefined();
    expect(list.get(PATHS[1] ?? '')).toBe(2);
  });

  it('equals another list only if it has the same values for the same paths in the same order', () => {
    const list = new KnownFileList(PATHS, [1, 2, 3]);
    expect(list.isSame(new KnownFileList([...PATHS], [1, 2, 3]))).toBe(true);
    expect(list.isSame(new KnownFileList(PATHS, [1, 2, 4]))).toBe(false);
    expect(list.isSame(new KnownFileList(PATHS.toReversed(), [1, 2, 3]))).toBe(false);
    expect(list.isSame(new KnownFileList())).toBe(false);
  });
});
