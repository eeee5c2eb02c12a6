import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SkillManager, type Diagnostic, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createSkillTree, goodSkill, skillText, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';

const fixtures = join(import.meta.dirname, '../fixtures/unlisted');

function open(tree: SkillTree, options: SkillManagerOptions = {}): SkillManager {
  return new SkillManager({ cwd: tree.root, projectSkillDir: null, thorough: true, ...options });
}

const namesOf = (manager: SkillManager): string[] => manager.listSkills().map(({ name }) => name);
const found = (manager: SkillManager, code: string): readonly Diagnostic[] =>
  manager.diagnostics.filter((diagnostic) => diagnostic.code === code);
const nested = (manager: SkillManager): readonly Diagnostic[] => found(manager, 'skill-nested');
const unlisted = (manager: SkillManager): readonly Diagnostic[] => found(manager, 'plugin-skills-unlisted');

/** The directory that a hint suggests for `--dir`. */
const suggested = (diagnostic: Diagnostic | undefined): string =>
  /--dir ([^,]+),/.exec(diagnostic?.hint ?? '')?.[1] ?? '';

describe('skills inside a skill', () => {
  const files: TreeFiles = {
    'skills/outer/SKILL.md': goodSkill('outer'),
    'skills/outer/inner/SKILL.md': goodSkill('inner'),
    'skills/outer/examples/two/skill.md': goodSkill('two'),
    'skills/outer/inner/deeper/SKILL.md': goodSkill('deeper'),
    'skills/outer/node_modules/x/SKILL.md': goodSkill('x'),
    'skills/outer/.hidden/SKILL.md': goodSkill('hidden'),
    'skills/plain/SKILL.md': goodSkill('plain'),
    'skills/plain/references/notes.md': 'Notes.',
  };

  it('are reported by a thorough discovery, and load when its hint is followed', () => {
    const tree = createSkillTree(files);
    const manager = open(tree, { projectSkillDir: 'skills' });
    expect(namesOf(manager)).toEqual(['outer', 'plain']);
    expect(nested(manager)).toMatchObject([{ severity: 'info', path: tree.path('skills/outer/SKILL.md') }]);
    expect(nested(manager)[0]?.message).toBe(
      "2 skills inside 'outer' are not loaded, because a skill cannot contain others: inner, examples/two.",
    );
    const directory = suggested(nested(manager)[0]);
    expect(namesOf(open(tree, { projectSkillDir: null, additionalSearchPaths: [directory] }))).toContain('inner');
  });

  it('are reported by a strict discovery, but not by a normal one', () => {
    const tree = createSkillTree(files);
    expect(nested(open(tree, { projectSkillDir: 'skills', thorough: false, strict: true }))).toHaveLength(1);
    expect(open(tree, { projectSkillDir: 'skills', thorough: false }).diagnostics).toEqual([]);
  });

  it('are not reported if the outer skill is the root, because then they load', () => {
    const tree = createSkillTree({
      'skills/SKILL.md': goodSkill('skills'),
      'skills/inner/SKILL.md': goodSkill('inner'),
    });
    const manager = open(tree, { projectSkillDir: 'skills' });
    expect(namesOf(manager)).toEqual(['skills', 'inner']);
    expect(manager.diagnostics).toEqual([]);
  });

  it('are counted if there are many', () => {
    const many = Array.from({ length: 25 }, (_, index) => `skills/outer/s${index + 10}/SKILL.md`);
    const tree = createSkillTree({
      'skills/outer/SKILL.md': goodSkill('outer'),
      ...Object.fromEntries(many.map((path) => [path, ''])),
    });
    const [diagnostic] = nested(open(tree, { projectSkillDir: 'skills' }));
    expect(diagnostic?.message).toMatch(/^25 skills inside 'outer' .*: s10, .*, s19 and 15 more\.$/);
  });

  it('are not found behind links, in loops, or beyond the limits', () => {
    const tree = createSkillTree({
      'skills/outer/SKILL.md': goodSkill('outer'),
      'skills/outer/a/b/c/d/e/f/g/h/SKILL.md': goodSkill('h'),
      'outside/secret/SKILL.md': goodSkill('secret'),
      'skills/other/SKILL.md/': '',
      'skills/other/one/SKILL.md': goodSkill('one'),
    });
    tree.link('skills/outer/link', '../../outside');
    tree.link('skills/outer/loop', '.');
    tree.link('skills/outer/linked/SKILL.md', '../../../outside/secret/SKILL.md');
    const manager = open(tree, { projectSkillDir: 'skills' });
    expect(nested(manager)).toEqual([]);
    expect(JSON.stringify(manager.diagnostics)).not.toContain('secret');
  });

  it('cannot send control characters to a terminal in their names', () => {
    const tree = createSkillTree({
      'skills/outer/SKILL.md': goodSkill('outer'),
      'skills/outer/a\u001b[31m\u202eb/SKILL.md': goodSkill('x'),
    });
    const [diagnostic] = nested(open(tree, { projectSkillDir: 'skills' }));
    expect(diagnostic?.message).toContain('a\\u001b[31m\\u202eb');
  });
});

describe('a plugin whose skills lie elsewhere', () => {
  const hinted = (diagnostic: Diagnostic | undefined): string =>
    /"skills":(\[[^\]]*\])/.exec(diagnostic?.hint ?? '')?.[1] ?? '';

  it('is reported with its skills, which load when the hint is followed', () => {
    const manager = new SkillManager({ projectSkillDir: null, pluginDirs: [join(fixtures, 'plugin')], thorough: true });
    expect(namesOf(manager)).toEqual([]);
    const [diagnostic] = unlisted(manager);
    expect(diagnostic).toMatchObject({ severity: 'warning', path: join(fixtures, 'plugin') });
    expect(diagnostic?.message).toBe(
      "Plugin 'elsewhere' does not include 2 skills in its directory: agent/one, agent/two.",
    );
    expect(hinted(diagnostic)).toBe('["./agent"]');
    const tree = createSkillTree({
      'kit/.claude-plugin/plugin.json': `{ "name": "kit", "skills": ${hinted(diagnostic)} }`,
      'kit/agent/one/SKILL.md': goodSkill('one'),
    });
    expect(namesOf(open(tree, { pluginDirs: ['kit'] }))).toEqual(['kit:one']);
  });

  it('is reported only as a note if it has other skills', () => {
    const tree = createSkillTree({
      'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
      'kit/skills/one/SKILL.md': goodSkill('one'),
      'kit/skills/one/inside/SKILL.md': goodSkill('inside'),
      'kit/extra/SKILL.md': goodSkill('extra'),
      'kit/.claude/skills/own/SKILL.md': goodSkill('own'),
    });
    const manager = open(tree, { pluginDirs: ['kit'] });
    expect(namesOf(manager)).toEqual(['kit:one']);
    expect(unlisted(manager)).toMatchObject([{ severity: 'info' }]);
    expect(unlisted(manager)[0]?.message).toContain('1 skill in its directory: extra.');
    expect(nested(manager)).toHaveLength(1);
    expect(open(tree, { pluginDirs: ['kit'], thorough: false }).diagnostics).toEqual([]);
  });

  it('is not reported if another source loads the skills', () => {
    const tree = createSkillTree({
      'all/kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
      'all/kit/extra/SKILL.md': goodSkill('extra'),
      'all/loose/SKILL.md': goodSkill('loose'),
    });
    const manager = open(tree, { additionalSearchPaths: ['all'] });
    expect(namesOf(manager).sort()).toEqual(['extra', 'loose']);
    expect(unlisted(manager)).toEqual([]);
  });

  it('gets no diagnostic if it is a single skill, or has no skills at all', () => {
    const tree = createSkillTree({
      'single/.claude-plugin/plugin.json': '{ "name": "single" }',
      'single/SKILL.md': goodSkill('single'),
      'commands/.claude-plugin/plugin.json': '{ "name": "commands" }',
      'commands/commands/greet.md': 'Greet.',
    });
    const manager = open(tree, { pluginDirs: ['single', 'commands'] });
    expect(namesOf(manager)).toEqual(['single:single']);
    expect(manager.diagnostics).toEqual([]);
  });

  it('is not searched behind links', () => {
    const tree = createSkillTree({
      'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
      'outside/secret/SKILL.md': goodSkill('secret'),
    });
    tree.link('kit/link', '../outside');
    tree.link('kit/loop', '.');
    expect(open(tree, { pluginDirs: ['kit'] }).diagnostics).toEqual([]);
  });
});

describe('a marketplace', () => {
  const marketplace = (plugins: readonly object[]): string =>
    JSON.stringify({ name: 'market', owner: { name: 'Owner' }, plugins });

  it('reports the skills of an entry with the source "./skills", which load when the hint is followed', () => {
    const path = join(fixtures, 'marketplace');
    const manager = new SkillManager({ projectSkillDir: null, pluginDirs: [path], thorough: true });
    expect(namesOf(manager)).toEqual([]);
    const [diagnostic] = unlisted(manager);
    expect(diagnostic).toMatchObject({ severity: 'warning', path: join(path, 'skills') });
    expect(diagnostic?.message).toBe("Plugin 'kit' does not include 2 skills in its directory: one, two.");
    expect(diagnostic?.hint).toContain('Add "skills":["./"] to its manifest or its marketplace entry');
    const tree = createSkillTree({
      'market/.claude-plugin/marketplace.json': marketplace([{ name: 'kit', source: './skills', skills: ['./'] }]),
      'market/skills/one/SKILL.md': goodSkill('one'),
    });
    expect(namesOf(open(tree, { pluginDirs: ['market'] }))).toEqual(['kit:one']);
  });

  it('reports skills that lie in no plugin, and says where to search', () => {
    const tree = createSkillTree({
      'market/.claude-plugin/marketplace.json': marketplace([{ name: 'kit', source: './kit' }]),
      'market/kit/skills/one/SKILL.md': goodSkill('one'),
      'market/loose/two/SKILL.md': skillText({ name: 'two', description: 'Loose.' }),
    });
    const manager = open(tree, { pluginDirs: ['market'] });
    expect(namesOf(manager)).toEqual(['kit:one']);
    expect(unlisted(manager)[0]?.message).toBe(
      `No plugin in ${tree.path('market')} includes 1 skill there: loose/two.`,
    );
    const directory = suggested(unlisted(manager)[0]);
    expect(namesOf(open(tree, { additionalSearchPaths: [directory] }))).toEqual(['two']);
  });

  it('reports skills that its entries leave out', () => {
    const tree = createSkillTree({
      'market/.claude-plugin/marketplace.json': marketplace([
        { name: 'documents', source: './', strict: false, skills: ['./skills/docx'] },
      ]),
      'market/skills/docx/SKILL.md': goodSkill('docx'),
      'market/skills/pdf/SKILL.md': goodSkill('pdf'),
    });
    const manager = open(tree, { pluginDirs: ['market'] });
    expect(namesOf(manager)).toEqual(['documents:docx']);
    expect(unlisted(manager)).toMatchObject([{ severity: 'info' }]);
    expect(unlisted(manager)[0]?.message).toContain('1 skill in its directory: skills/pdf.');
  });
});
