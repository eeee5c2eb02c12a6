import { describe, expect, it } from 'vitest';
import { createMemorySource } from '../../sources/memory-source.ts';
import { DEFAULT_LIMITS } from '../../spec/limits.ts';
import { silentLogger } from '../../spec/events/logger.ts';
import { createCatalog } from '../catalog.ts';
import { isEmptyDiff, snapshotDiff, type SnapshotDiff } from './snapshot-diff.ts';
import type { Snapshot } from './snapshot.ts';

/** A snapshot of skills by directory, each with the given frontmatter. */
function snapshotOf(skills: Readonly<Record<string, string>>): Snapshot {
  const list = Object.entries(skills).map(([directory, fields]) => ({
    directory,
    files: { 'SKILL.md': `---\n${fields}\n---\nDo it.\n` },
  }));
  const sources = [createMemorySource(list)];
  const emit = (): void => {};
  const options = { sources, limits: DEFAULT_LIMITS, strict: false, thorough: false, logger: silentLogger, emit };
  return createCatalog(options).refreshSync();
}

function shown({ added, removed, changed }: SnapshotDiff): Record<string, string[]> {
  return {
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    changed: changed.map(({ before, after }) => `${before.directoryName} → ${after.directoryName}`),
  };
}

describe('the difference of two snapshots', () => {
  const BEFORE = { a: 'name: a\ndescription: A.', b: 'name: b\ndescription: B.\ntags: [x]' };

  it('is empty when both snapshots say the same', () => {
    const diff = snapshotDiff(snapshotOf(BEFORE), snapshotOf(BEFORE));
    expect(isEmptyDiff(diff)).toBe(true);
  });

  it('lists added, removed and changed skills by name', () => {
    const after = { b: 'name: b\ndescription: B.\ntags: [y]', c: 'name: c\ndescription: C.' };
    const diff = snapshotDiff(snapshotOf(BEFORE), snapshotOf(after));
    expect(shown(diff)).toEqual({ added: ['c'], removed: ['a'], changed: ['b → b'] });
    expect(isEmptyDiff(diff)).toBe(false);
  });

  it('lists a moved skill as changed, and a renamed skill as removed and added', () => {
    const after = { elsewhere: 'name: a\ndescription: A.', b: 'name: other\ndescription: B.\ntags: [x]' };
    const diff = snapshotDiff(snapshotOf(BEFORE), snapshotOf(after));
    expect(shown(diff)).toEqual({ added: ['other'], removed: ['b'], changed: ['a → elsewhere'] });
  });

  it('notices added and removed fields', () => {
    const after = { ...BEFORE, a: 'name: a\ndescription: A.\nlicense: MIT' };
    expect(shown(snapshotDiff(snapshotOf(BEFORE), snapshotOf(after))).changed).toEqual(['a → a']);
  });
});
