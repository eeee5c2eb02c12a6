import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

const SECRET = '---\nname: stolen\ndescription: The secret.\n---\nThe secret.\n';

describe('a root that is a link', () => {
  it('does not allow links of other directories to lead into its target', async () => {
    const tree = createSkillTree({ 'home/secret.md': SECRET, 'project/skills/x/': '', 'project/.claude/': '' });
    tree.link('project/skills/x/SKILL.md', '../../../home/secret.md');
    tree.link('project/.claude/skills', '../../home');
    const manager = new SkillManager({ cwd: tree.path('project'), anthropicConfigDir: './.claude/skills' });
    const { skills, diagnostics } = await manager.discover();
    expect(skills).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toContain('link-outside');
  });
});

describe('replaced by a link to outside while it is read', () => {
  it.each(['loadSkill', 'readFile'] as const)('a file is never returned by %s', async (method) => {
    const tree = createSkillTree({
      'outside.md': SECRET,
      'skills/one/SKILL.md': goodSkill('one'),
      'skills/one/notes.md': 'mine',
    });
    const name = method === 'loadSkill' ? 'SKILL.md' : 'notes.md';
    const manager = new SkillManager({ cwd: tree.root });
    await manager.discover();
    const answers: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      manager.clearCache();
      const running =
        method === 'loadSkill'
          ? manager.loadSkill('one').then(({ content }) => content)
          : manager.readFile('one', name);
      const settled = running.catch((error: unknown) => (error as { code: string }).code);
      for (let step = 0; step < round % 6; step += 1) await Promise.resolve();
      symlinkSync(tree.path('outside.md'), tree.path('skills/one/swap'));
      renameSync(tree.path('skills/one/swap'), tree.path(`skills/one/${name}`));
      answers.push(await settled);
      writeFileSync(tree.path('skills/one/back'), name === 'SKILL.md' ? goodSkill('one') : 'mine');
      renameSync(tree.path('skills/one/back'), tree.path(`skills/one/${name}`));
    }
    expect(answers.filter((answer) => answer.includes('The secret'))).toEqual([]);
  });

  it('a directory waiting in the queue is not walked', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `s${String(index).padStart(4, '0')}`);
    const tree = createSkillTree({
      'outside/SKILL.md': SECRET,
      ...Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, goodSkill(name)])),
    });
    const manager = new SkillManager({ cwd: tree.root });
    const running = manager.discover();
    await turn();
    renameSync(tree.path('skills/s0599'), tree.path('moved'));
    tree.link('skills/s0599', '../outside');
    const { skills } = await running;
    expect(skills.map(({ description }) => description)).not.toContain('The secret.');
  });
});

describe('the work that a small file can cause', () => {
  it('is not multiplied by a marketplace that lists one directory thousands of times', async () => {
    const plugins = Array.from({ length: 3_000 }, (_, index) => ({
      name: `p${index}`,
      source: './',
      strict: false,
      skills: ['./skills'],
    }));
    const tree = createSkillTree({
      'market/.claude-plugin/marketplace.json': JSON.stringify({ name: 'm', owner: { name: 'o' }, plugins }),
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`market/skills/s${index}/SKILL.md`, goodSkill(`s${index}`)]),
      ),
    });
    const { skills, diagnostics } = await new SkillManager({ cwd: tree.root, pluginDirs: ['market'] }).discover();
    expect(skills).toHaveLength(40);
    expect(diagnostics.map(({ code }) => code)).toContain('directory-limit');
  });

  it('is reported in summary when thousands of links are broken', async () => {
    const tree = createSkillTree({ 'skills/good/SKILL.md': goodSkill('good') });
    for (let index = 0; index < 2_000; index += 1) tree.link(`skills/l${index}`, 'nowhere');
    const { skills, diagnostics } = await new SkillManager({ cwd: tree.root }).discover();
    expect(skills).toHaveLength(1);
    expect(diagnostics.length).toBeLessThan(300);
    expect(diagnostics.at(-1)?.message).toContain('1800 more links');
  });

  it('is not quadratic in the length of a line', () => {
    const spaces = ' '.repeat(100_000);
    const texts = [
      `---\n"name": other\ndescription: |\n  a${spaces}b\n---\n`,
      `---\na${spaces}b: 1\nname: x\nname: y\ndescription: d\n---\n`,
      `---\nname: x\ndescription: d\nversion: 1.10${' #'.repeat(50_000)}\u2028x\n---\n`,
    ];
    for (const [index, text] of texts.entries()) {
      const tree = createSkillTree({ [`skills/x${index}/SKILL.md`]: text });
      expect(new SkillManager({ cwd: tree.root }).discoverSync().skills).toHaveLength(1);
    }
  }, 10_000);

  it('is done again after the cache is cleared, even if a load is still running', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const manager = new SkillManager({ cwd: tree.root });
    await manager.discover();
    for (let round = 0; round < 30; round += 1) {
      const before = manager.loadSkill('one');
      await Promise.resolve();
      writeFileSync(tree.path('skills/one/SKILL.md'), `---\nname: one\ndescription: d\n---\nRound ${round}.`);
      manager.clearCache();
      await before.catch(() => undefined);
      expect((await manager.loadSkill('one')).content).toBe(`Round ${round}.`);
    }
  });
});
