import { mkdirSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { discoverHostile, othersIn } from '../support/hostile-discovery.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

const MEGABYTE = 1_048_576;

describe('a directory of 100,000 entries', () => {
  it('may contain only files', async () => {
    const tree = createSkillTree({ 'skills/heap/inner/SKILL.md': goodSkill('inner') });
    for (let index = 0; index < 100_000; index += 1) writeFileSync(tree.path('skills/heap', `file-${index}.txt`), '');
    const before = process.memoryUsage().rss;
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual(['inner']);
    expect(result.diagnostics).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MEGABYTE);
  });

  it('may contain only directories: the search stops at its limit, reports it, and keeps the skills found so far', async () => {
    const tree = createSkillTree({ 'more/one/SKILL.md': goodSkill('one') });
    for (let index = 0; index < 100_000; index += 1)
      mkdirSync(tree.path('heap', `d${String(index).padStart(6, '0')}`), { recursive: true });
    tree.write({ 'heap/d000001/SKILL.md': goodSkill('early'), 'heap/d099999/SKILL.md': goodSkill('late') });
    const result = await discoverHostile(tree, { additionalSearchPaths: ['heap', 'more'] });
    expect(othersIn(result)).toEqual(['early', 'one']);
    expect(result.of('directory-limit')).toMatchObject([
      { code: 'directory-limit', severity: 'error', path: tree.path('heap') },
    ]);
  });

  it('is searched further with a higher limit, yielding to other work', async () => {
    const tree = createSkillTree();
    for (let index = 0; index < 30_000; index += 1) mkdirSync(tree.path('skills', `d${index}`), { recursive: true });
    tree.write({ 'skills/zz/SKILL.md': goodSkill('zz') });
    const manager = new SkillManager({ cwd: tree.root, limits: { maxDirectories: 50_000 } });
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; turns += 1) await nextTurn();
    })();
    const { skills, diagnostics } = await manager.discover();
    isDone = true;
    await counting;
    expect(skills.map(({ name }) => name)).toEqual(['zz']);
    expect(diagnostics).toEqual([]);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('very many skills', () => {
  it('are found, 10,000 of them, and forgotten when they are gone', async () => {
    const tree = createSkillTree();
    for (let index = 0; index < 10_000; index += 1)
      tree.write({ [`skills/g${index % 100}/s${index}/SKILL.md`]: goodSkill(`s${index}`) });
    const manager = new SkillManager({ cwd: tree.root, limits: { maxDirectories: 50_000 } });
    expect((await manager.discover()).skills).toHaveLength(10_000);
    expect(manager.getSkill('s9999').qualifiedName).toBe('g99:s9999');
    tree.remove('skills');
    expect((await manager.discover()).skills).toEqual([]);
  });

  it('leave no memory behind when 200 of them are discovered 500 times', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const tree = createSkillTree(
      Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`skills/s${index}/SKILL.md`, goodSkill(`s${index}`)]),
      ),
    );
    const manager = new SkillManager({ cwd: tree.root });
    for (let round = 0; round < 50; round += 1) await manager.discover();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let round = 0; round < 500; round += 1) await manager.discover();
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * MEGABYTE);
  });
});
