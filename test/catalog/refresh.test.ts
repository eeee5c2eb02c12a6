import { describe, expect, it } from 'vitest';
import {
  createDirectorySource,
  createMemorySource,
  type MemorySkill,
  SkillDiscoveryError,
  type SkillSource,
} from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

const memorySkill = (name: string): MemorySkill => ({ directory: name, files: { 'SKILL.md': goodSkill(name) } });

describe('a snapshot', () => {
  it('does not change when files change or the catalog is refreshed', async () => {
    const tree = createSkillTree({ 'a/SKILL.md': goodSkill('a', 'Before.'), 'b/SKILL.md': goodSkill('b') });
    const { catalog } = createRuntime({ sources: [createDirectorySource({ path: tree.root })] });
    const old = catalog.refreshSync();
    const before = structuredClone({ skills: old.skills, diagnostics: old.diagnostics, refused: old.refused });
    tree.write({ 'a/SKILL.md': goodSkill('a', 'After.'), 'c/SKILL.md': goodSkill('c'), 'd/SKILL.md': '' });
    tree.remove('b');
    const next = await catalog.refresh();

    expect(catalog.snapshot).toBe(next);
    expect(next.skills.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(next.find('a')?.metadata.description).toBe('After.');
    expect({ skills: old.skills, diagnostics: old.diagnostics, refused: old.refused }).toEqual(before);
    expect(old.find('a')?.metadata.description).toBe('Before.');
    expect(old.find('b')?.metadata.name).toBe('b');
    expect(old.find('c')).toBeUndefined();
  });

  it('is immutable', () => {
    const { catalog } = createRuntime({ sources: [createMemorySource([memorySkill('a')])] });
    const snapshot = catalog.refreshSync();
    for (const list of [snapshot.skills, snapshot.diagnostics, snapshot.refused, snapshot.shadowed])
      expect(Object.isFrozen(list)).toBe(true);
    expect(() => (snapshot.skills as unknown[]).pop()).toThrow(TypeError);
  });

  it('is kept when a later refresh is cancelled', async () => {
    const { catalog } = createRuntime({ sources: [createMemorySource([memorySkill('a')])] });
    const kept = catalog.refreshSync();
    await expect(catalog.refresh(AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
    expect(catalog.snapshot).toBe(kept);
  });
});

describe('refreshes', () => {
  it('end with the snapshot of the refresh that started last, if several overlap', async () => {
    let scans = 0;
    const busy: SkillSource = {
      ...createMemorySource([]),
      *scan(context) {
        scans += 1;
        const mine = scans;
        // The first scan takes many turns, so that the second overtakes it.
        for (let turn = 0; mine === 1 && turn < 40; turn += 1) {
          const until = performance.now() + 2;
          while (performance.now() < until) yield { type: 'pause' };
        }
        yield* createMemorySource([memorySkill(`scan-${mine}`)]).scan(context);
      },
    };
    const { catalog } = createRuntime({ sources: [busy] });
    const ended: string[] = [];
    const refresh = async (): Promise<void> => {
      ended.push((await catalog.refresh()).skills[0]?.name ?? '');
    };
    await Promise.all([refresh(), refresh()]);
    expect(ended).toEqual(['scan-2', 'scan-1']);
    expect(catalog.snapshot?.skills[0]?.name).toBe('scan-2');
  });

  it('all see the same skills if many run at once', async () => {
    const tree = createSkillTree(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}/SKILL.md`, goodSkill(`s${index}`)])),
    );
    const { catalog } = createRuntime({ sources: [createDirectorySource({ path: tree.root })] });
    const snapshots = await Promise.all(Array.from({ length: 8 }, () => catalog.refresh()));
    for (const { skills } of snapshots) expect(skills).toEqual(snapshots[0]?.skills);
    expect(catalog.snapshot).toBe(snapshots.at(-1));
  });

  it('report the failure of a custom source, with its cause', async () => {
    const cause = new TypeError('defect in the source');
    const broken: SkillSource = {
      ...createMemorySource([]),
      // oxlint-disable-next-line require-yield -- it fails before it finds anything
      *scan() {
        throw cause;
      },
    };
    const { catalog } = createRuntime({ sources: [broken] });
    expect(() => catalog.refreshSync()).toThrow(SkillDiscoveryError);
    await expect(catalog.refresh()).rejects.toMatchObject({
      name: 'SkillDiscoveryError',
      code: 'DiscoveryFailed',
      cause,
    });
    expect(catalog.snapshot).toBeUndefined();
  });

  it('require sources with different ids', () => {
    const sources = [createMemorySource([]), createMemorySource([])];
    expect(() => createRuntime({ sources })).toThrow(expect.objectContaining({ code: 'InvalidOptions' }) as Error);
    expect(() =>
      createRuntime({ sources: [createMemorySource([]), createMemorySource([], { id: 'other' })] }),
    ).not.toThrow();
  });

  it('share nothing between two runtimes', () => {
    const files = [memorySkill('a')];
    const [one, two] = [
      createRuntime({ sources: [createMemorySource(files)] }),
      createRuntime({ sources: [createMemorySource(files)] }),
    ];
    one.catalog.refreshSync();
    expect(two.catalog.snapshot).toBeUndefined();
  });
});
