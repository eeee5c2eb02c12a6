import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { discoverHostile, othersIn } from '../support/hostile-discovery.ts';
import { createSkillTree, goodSkill, makeFifo, type SkillTree } from '../support/skill-tree.ts';

const SECRET = '---\nname: one\ndescription: Secret.\n---\nThe secret.\n';

/** Everything that a manager returns about the skill `one` after discovery, with errors as their codes. */
async function leaks(manager: SkillManager): Promise<unknown[]> {
  const ways: (() => unknown)[] = [
    async () => (await manager.loadSkill('one')).content,
    () => manager.loadSkillSync('one').content,
    () => manager.readFile('one', 'SKILL.md'),
    () => manager.readFileSync('one', 'SKILL.md'),
    () => manager.readFile('one', 'data.txt'),
    () => manager.readFileSync('one', 'data.txt'),
    () => manager.resolveFile('one', 'data.txt'),
    () => manager.listFiles('one').map(({ path }) => path),
  ];
  return Promise.all(
    ways.map(async (way) => {
      try {
        return await way();
      } catch (error) {
        return (error as { code?: unknown }).code;
      }
    }),
  );
}

async function discovered(): Promise<{ tree: SkillTree; manager: SkillManager }> {
  const tree = createSkillTree({
    'skills/one/SKILL.md': goodSkill('one'),
    'skills/one/data.txt': 'Data.\n',
    'outside/SKILL.md': SECRET,
    'outside/data.txt': 'The secret data.\n',
    'outside/key.pem': 'The secret key.\n',
  });
  const manager = new SkillManager({ cwd: tree.root });
  await manager.discover();
  return { tree, manager };
}

describe('after discovery', () => {
  it('a SKILL.md that became a link to outside the skill is not followed', async () => {
    proves('S2.FR-5.3.contained');
    const { tree, manager } = await discovered();
    tree.remove('skills/one/SKILL.md');
    tree.link('skills/one/SKILL.md', '../../outside/SKILL.md');
    expect(JSON.stringify(await leaks(manager))).not.toContain('secret');
  });

  it('a skill directory that became a link to outside the root is not followed', async () => {
    proves('S2.FR-5.3.contained');
    const { tree, manager } = await discovered();
    tree.remove('skills/one');
    tree.link('skills/one', '../outside');
    const given = JSON.stringify(await leaks(manager));
    expect(given).not.toContain('secret');
    expect(given).not.toContain('outside');
    expect(given).not.toContain('key.pem');
  });

  it('a SKILL.md that became a named pipe does not block', async ({ skip }) => {
    const { tree, manager } = await discovered();
    tree.remove('skills/one/SKILL.md');
    skip(!makeFifo(tree.path('skills/one/SKILL.md')), 'this machine has no named pipes');
    await expect(manager.loadSkill('one')).rejects.toMatchObject({ code: 'FileUnreadable' });
    expect(() => manager.loadSkillSync('one')).toThrow(expect.objectContaining({ code: 'FileUnreadable' }) as Error);
  });

  it('a SKILL.md that became a directory, or too large, is not loaded', async () => {
    const { tree, manager } = await discovered();
    tree.remove('skills/one/SKILL.md');
    tree.write({ 'skills/one/SKILL.md/': '' });
    await expect(manager.loadSkill('one')).rejects.toMatchObject({ code: 'FileUnreadable' });
    tree.remove('skills/one/SKILL.md');
    tree.write({ 'skills/one/SKILL.md': 'x'.repeat(5_000_000) });
    await expect(manager.loadSkill('one')).rejects.toMatchObject({ code: 'FileTooLarge' });
  });

  it('a SKILL.md that lost its frontmatter is loaded without it', async () => {
    const { tree, manager } = await discovered();
    tree.write({ 'skills/one/SKILL.md': 'Only text now.\n' });
    expect((await manager.loadSkill('one')).content).toBe('Only text now.\n');
  });
});

describe('file names that are stored as bytes', () => {
  it('give a diagnostic, not a crash, if they are not UTF-8', async ({ skip }) => {
    const tree = createSkillTree();
    try {
      const directory = Buffer.concat([Buffer.from(tree.path('skills/bad-')), Buffer.from([0xff, 0xfe])]);
      mkdirSync(directory, { recursive: true });
      writeFileSync(Buffer.concat([directory, Buffer.from('/SKILL.md')]), goodSkill('hidden'));
    } catch {
      skip(true, 'this file system takes no such names');
    }
    const result = await discoverHostile(tree);
    expect(othersIn(result)).toEqual([]);
    expect(result.found).toMatchObject([['directory-unreadable', expect.stringMatching(/^bad-/)]]);
  });
});

describe('a description far down', () => {
  it('below 100,000 blank lines is found, or reported as missing', async () => {
    const result = await discoverHostile(
      createSkillTree({ 'skills/far/SKILL.md': `---\nname: far\n---\n${'\n'.repeat(100_000)}Found.\n` }),
    );
    const skill = result.skills.find(({ name }) => name === 'far');
    if (skill === undefined) expect(result.of('description-absent')).toHaveLength(1);
    else expect(skill.description).toBe('Found.');
  });
});
