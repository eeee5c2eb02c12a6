import { describe, expect, it } from 'vitest';
import { SkillInvocationError, SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, skillText, type TreeFiles } from '../support/skill-tree.ts';

const managerOf = (files: TreeFiles, options = {}): SkillManager =>
  new SkillManager({ cwd: createSkillTree(files).root, projectSkillDir: 'skills', ...options });

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (SkillInvocationError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a shadowed skill', () => {
  const files = {
    'skills/report/SKILL.md': goodSkill('report', 'Of the project.'),
    'skills/team/report/SKILL.md': goodSkill('report', 'Of the team.'),
    '.claude/skills/report/SKILL.md': goodSkill('report', 'Of .claude.'),
    'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
    'kit/skills/report/SKILL.md': goodSkill('report', 'Of the plugin.'),
  };
  const options = { anthropicConfigDir: '.claude', pluginDirs: ['kit'] };

  it.each([
    ['report', 'Of the project.'],
    ['project/report', 'Of the project.'],
    ['team:report', 'Of the team.'],
    ['anthropic/report', 'Of .claude.'],
    ['kit:report', 'Of the plugin.'],
  ])('is reached by its qualified name %s', (name, description) => {
    proves('S2.FR-1.4.qualified');
    const manager = managerOf(files, options);
    expect(manager.getSkill(name).description).toBe(description);
    expect(manager.loadSkillSync(name).metadata.description).toBe(description);
  });

  it('has a diagnostic that names both skills and how to reach it', () => {
    proves('S2.out.conflicts');
    const { snapshot } = managerOf(files, options);
    const shadowed = snapshot.diagnostics.filter(({ code }) => code === 'skill-shadowed');
    expect(snapshot.shadowed.map(({ reachableAs }) => reachableAs)).toEqual(['team:report', 'anthropic/report']);
    for (const [index, { skill, by, reachableAs }] of snapshot.shadowed.entries()) {
      expect(shadowed[index]).toMatchObject({ severity: 'warning', path: skill.filePath });
      expect(shadowed[index]?.message).toContain(skill.baseDir);
      expect(shadowed[index]?.message).toContain(by.baseDir);
      expect(shadowed[index]?.hint).toContain(`'${reachableAs ?? ''}'`);
    }
  });

  it('can be chosen by naming its plugin', () => {
    proves('S2.FR-1.4.qualified');
    const manager = managerOf(files, options);
    expect(manager.getSkill('report', { plugin: 'kit' }).description).toBe('Of the plugin.');
    expect(() => manager.getSkill('report', { plugin: 'other' })).toThrow("Skill 'other:report' not found.");
  });

  it.each<[string, TreeFiles, object]>([
    [
      'a directory of another name',
      { 'skills/a/SKILL.md': goodSkill('same'), 'skills/b/SKILL.md': goodSkill('same') },
      {},
    ],
    ['another group', { 'skills/same/SKILL.md': goodSkill('same'), 'skills/g/same/SKILL.md': goodSkill('same') }, {}],
    [
      'two sources of one kind',
      { 'more/one/same/SKILL.md': goodSkill('same'), 'more/two/same/SKILL.md': goodSkill('same') },
      { additionalSearchPaths: ['more/one', 'more/two'] },
    ],
  ])('in %s stays reachable by the suggested name', (_where, tree, more) => {
    const manager = managerOf(tree, more);
    const [shadowed] = manager.snapshot.shadowed;
    expect(manager.snapshot.shadowed).toHaveLength(1);
    expect(shadowed?.reachableAs).toBeTypeOf('string');
    expect(manager.getSkill(shadowed?.reachableAs ?? '').filePath).toBe(shadowed?.skill.filePath);
  });
});

describe('a name that imitates the qualified name of another skill', () => {
  const real = {
    'skills/report/SKILL.md': goodSkill('report', 'Of the project.'),
    '.claude/skills/report/SKILL.md': goodSkill('report', 'Of .claude.'),
    'skills/team/report/SKILL.md': goodSkill('report', 'Of the team.'),
    'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
    'kit/skills/report/SKILL.md': goodSkill('report', 'Of the plugin.'),
  };

  it.for([
    ['source/skill, by its name', 'skills/impostor/SKILL.md', 'anthropic/report', 'anthropic/report', 'Of .claude.'],
    ['group:skill, by its name', 'skills/impostor/SKILL.md', 'team:report', 'team:report', 'Of the team.'],
    ['plugin:skill, by its name', 'skills/impostor/SKILL.md', 'kit:report', 'kit:report', 'Of the plugin.'],
    ['plugin:skill, by its directory', 'skills/kit:report/SKILL.md', undefined, 'kit:report', 'Of the plugin.'],
  ] as const)('never replaces the real skill: %s', ([, path, name, asked, description], { skip }) => {
    skip(process.platform === 'win32' && path.includes(':'), 'Windows has no such directories');
    const impostor = skillText({ ...(name === undefined ? {} : { name }), description: 'Impostor.' });
    const manager = managerOf({ ...real, [path]: impostor }, { anthropicConfigDir: '.claude', pluginDirs: ['kit'] });
    expect(manager.getSkill(asked).description).toBe(description);
  });
});

describe('a lookup', () => {
  it('treats _ and - alike in names, groups and plugins', () => {
    const manager = managerOf(
      {
        'skills/tool-call-error-recovery/SKILL.md': goodSkill('tool-call-error-recovery'),
        'skills/snake_case/SKILL.md': goodSkill('snake_case'),
        'skills/my_group/inner/SKILL.md': goodSkill('inner'),
        'my-kit/.claude-plugin/plugin.json': '{ "name": "my-kit" }',
        'my-kit/skills/do-it/SKILL.md': goodSkill('do-it'),
      },
      { pluginDirs: ['my-kit'] },
    );
    expect(manager.getSkill('tool_call_error_recovery').name).toBe('tool-call-error-recovery');
    expect(manager.getSkill('snake-case').name).toBe('snake_case');
    expect(manager.getSkill('my-group:inner').name).toBe('inner');
    expect(manager.getSkill('my_kit:do_it').name).toBe('my-kit:do-it');
  });

  it('treats names that differ only in _ and - as the same name, so that one skill shadows the other', () => {
    const { snapshot } = managerOf({
      'skills/a-b/SKILL.md': goodSkill('a-b'),
      'skills/a_b/SKILL.md': goodSkill('a_b'),
    });
    expect(snapshot.skills.map(({ name }) => name)).toEqual(['a-b']);
    expect(snapshot.shadowed).toHaveLength(1);
  });

  it('treats composed and decomposed Unicode alike', () => {
    const manager = managerOf({ 'skills/cafe/SKILL.md': goodSkill('cafe\u0301') });
    expect(manager.getSkill('caf\u00e9').directoryName).toBe('cafe');
  });

  it('finds a skill by its directory, unless another skill has that name', () => {
    const manager = managerOf({
      'skills/dir-one/SKILL.md': goodSkill('called-two'),
      'skills/dir-two/SKILL.md': goodSkill('dir-one', 'Named so.'),
      'skills/third/SKILL.md': goodSkill('a:b'),
    });
    expect(manager.getSkill('dir-two').name).toBe('dir-one');
    expect(manager.getSkill('dir-one').description).toBe('Named so.');
    expect(manager.getSkill('third').name).toBe('third');
  });

  it('suggests the nearest name and lists all names if the name is unknown', () => {
    proves('S2.EH-2.not-found');
    const manager = managerOf({
      'skills/data-processor/SKILL.md': goodSkill('data-processor'),
      'skills/pdf-extractor/SKILL.md': goodSkill('pdf-extractor'),
    });
    const available = "Available skills: ['data-processor', 'pdf-extractor']";
    expect(messageOf(() => manager.getSkill('pdf-extracter'))).toBe(
      `Skill 'pdf-extracter' not found. Did you mean 'pdf-extractor'? ${available}`,
    );
    expect(messageOf(() => manager.getSkill('PDF_Extractor'))).toBe(
      `Skill 'PDF_Extractor' not found. Did you mean 'pdf-extractor'? ${available}`,
    );
    expect(messageOf(() => manager.getSkill('dpf-extractor'))).toContain("Did you mean 'pdf-extractor'?");
    expect(messageOf(() => manager.getSkill('weather'))).toBe(`Skill 'weather' not found. ${available}`);
  });

  it('lists at most ten names, and says when there are no skills', () => {
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`skills/s${index + 10}/SKILL.md`, goodSkill(`s${index + 10}`)]),
    );
    const shown = Array.from({ length: 10 }, (_, index) => `'s${index + 10}'`).join(', ');
    expect(messageOf(() => managerOf(many).getSkill('weather-report'))).toBe(
      `Skill 'weather-report' not found. Available skills: [${shown}, …]`,
    );
    expect(messageOf(() => managerOf({}).getSkill('x'))).toBe("Skill 'x' not found. Available skills: []");
  });

  it.each(['', '__proto__', 'constructor', 'toString', 'x'.repeat(100_000), '\0', '../skills/one'])(
    'finds nothing for %j',
    (name) => {
      const manager = managerOf({ 'skills/one/SKILL.md': goodSkill('one') });
      expect(() => manager.getSkill(name)).toThrow(SkillInvocationError);
      expect(manager.listSkills({ name })).toEqual([]);
    },
  );
});

describe('a name with a colon', () => {
  const named = (name: string, description = 'By its alias.'): string => skillText({ name, description });

  it('is only an alias of the skill, which gets its name from its directory', () => {
    const manager = managerOf({ 'skills/report/SKILL.md': named('kit:monthly_report') });
    expect(manager.getSkill('kit:monthly-report')).toMatchObject({ name: 'report', alias: 'kit:monthly_report' });
    expect(manager.getSkill('report').description).toBe('By its alias.');
    expect(manager.loadSkillSync('kit:monthly_report').metadata.name).toBe('report');
    expect(manager.listSkills({ name: 'kit:monthly-report' })).toHaveLength(1);
  });

  it.each<[string, TreeFiles, string]>([
    ['plugin', { 'kit/skills/x/SKILL.md': goodSkill('x', 'Real.') }, 'kit:x'],
    ['group', { 'skills/team/x/SKILL.md': goodSkill('x', 'Real.') }, 'team:x'],
    ['directory', { 'skills/a:x/SKILL.md': skillText({ name: 'y', description: 'Real.' }) }, 'a:x'],
  ])('yields to a skill that has the same name through its %s', (_what, real, name) => {
    const files = { 'kit/.claude-plugin/plugin.json': '{ "name": "kit" }', ...real, 'skills/a/SKILL.md': named(name) };
    const manager = managerOf(files, { pluginDirs: ['kit'] });
    expect(manager.getSkill(name).description).toBe('Real.');
    expect(manager.getSkill('a')).toMatchObject({ description: 'By its alias.', alias: name });
  });

  it('belongs to the first of several skills that have it', () => {
    const manager = managerOf({
      'skills/b/SKILL.md': named('kit:x', 'Second.'),
      'skills/a/SKILL.md': named('kit:x', 'First.'),
    });
    expect(manager.getSkill('kit:x').description).toBe('First.');
  });

  it('is not found if the caller names a plugin', () => {
    const manager = managerOf({ 'skills/a/SKILL.md': named('kit:x') });
    expect(() => manager.getSkill('x', { plugin: 'kit' })).toThrow(SkillInvocationError);
    expect(() => manager.getSkill('kit:x', { plugin: 'kit' })).toThrow(SkillInvocationError);
  });

  it.each(['anthropic/a:x', '"a:\\e[1m"', '"a:\\u202e"', '"a:\\nb"'])(
    'is not an alias if it imitates a qualified name or contains hidden characters: %s',
    (name) => {
      const manager = managerOf({ 'skills/a/SKILL.md': named(name) });
      expect(manager.getSkill('a').alias).toBeUndefined();
    },
  );
});

describe('a filter', () => {
  const files = {
    'skills/pdf/SKILL.md': skillText({
      name: 'pdf',
      description: 'Extract TABLES from documents.',
      tags: '[Reports, archive]',
    }),
    'skills/group/csv/SKILL.md': skillText({
      name: 'csv',
      description: 'Summarise tables.',
      when_to_use: 'For spreadsheets.',
    }),
    '.claude/skills/mail/SKILL.md': goodSkill('mail', 'Write letters.'),
  };
  const manager = (): SkillManager => managerOf(files, { anthropicConfigDir: '.claude' });
  const names = (filter: Parameters<SkillManager['listSkills']>[0]): string[] =>
    manager()
      .listSkills(filter)
      .map(({ name }) => name);

  it('by source, name or keyword lists the skills that match all of them', () => {
    proves('S2.FR-3.2.filter', 'S2.FR-3.2.list');
    expect(names({})).toEqual(['csv', 'pdf', 'mail']);
    expect(names({ source: 'project' })).toEqual(['csv', 'pdf']);
    expect(names({ source: 'personal' })).toEqual([]);
    expect(names({ name: 'pdf' })).toEqual(['pdf']);
    expect(names({ name: 'group:csv' })).toEqual(['csv']);
    expect(names({ name: 'pd' })).toEqual([]);
    expect(names({ keyword: 'tables' })).toEqual(['csv', 'pdf']);
    expect(names({ source: 'project', name: 'mail' })).toEqual([]);
    expect(names({ source: 'project', keyword: 'letters' })).toEqual([]);
  });

  it('by keyword matches every word, in any case, anywhere in name, description, use or tags', () => {
    proves('S2.FR-3.2.filter');
    expect(names({ keyword: 'EXTRACT tables' })).toEqual(['pdf']);
    expect(names({ keyword: 'reports' })).toEqual(['pdf']);
    expect(names({ keyword: 'spreadsheets' })).toEqual(['csv']);
    expect(names({ keyword: '  mail ' })).toEqual(['mail']);
    expect(names({ keyword: 'extract letters' })).toEqual([]);
    expect(names({ keyword: '' })).toEqual(['csv', 'pdf', 'mail']);
  });
});
