import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, type SkillTree } from '../support/skill-tree.ts';

/** Every kind of location, each with its own skill and one that all of them have. */
const PLACES = {
  project: 'skills',
  anthropic: '.claude/skills',
  agents: '.agents/skills',
  opencode: '.opencode/skills',
  plugin: 'plugins/kit/skills',
  additional: 'more',
  personal: 'home/skills',
} as const;

const ALL: SkillManagerOptions = {
  projectSkillDir: './skills',
  anthropicConfigDir: './.claude/skills',
  agentsDir: './.agents/skills',
  opencodeDir: './.opencode/skills',
  pluginDirs: ['./plugins/kit'],
  additionalSearchPaths: ['./more'],
  userDirs: ['./home/skills'],
};

function createPlaces(): SkillTree {
  const tree = createSkillTree({ 'plugins/kit/.claude-plugin/plugin.json': '{ "name": "kit" }' });
  for (const [kind, place] of Object.entries(PLACES)) {
    tree.write({
      [`${place}/common/SKILL.md`]: goodSkill('common', `The one of ${kind}.`),
      [`${place}/${kind}-only/SKILL.md`]: goodSkill(`${kind}-only`),
    });
  }
  return tree;
}

describe('locations', () => {
  it('are ./skills alone by default', () => {
    proves('S2.FR-1.1.project-default', 'S2.FR-1.1.others-explicit');
    const { skills } = new SkillManager({ cwd: createPlaces().root }).discoverSync();
    expect(skills.map(({ name, source }) => [name, source])).toEqual([
      ['common', 'project'],
      ['project-only', 'project'],
    ]);
  });

  it('start at the working directory of the process', ({ onTestFinished }) => {
    proves('S2.FR-1.1.project-default');
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(createPlaces().root);
    expect(new SkillManager().listSkills().map(({ name }) => name)).toEqual(['common', 'project-only']);
  });

  it('exclude ./skills when it is turned off', () => {
    proves('S2.FR-1.1.project-off');
    const { root } = createPlaces();
    const off = new SkillManager({ cwd: root, projectSkillDir: null }).discoverSync();
    expect(off).toMatchObject({ skills: [], diagnostics: [] });
    const other = new SkillManager({ cwd: root, projectSkillDir: null, userDirs: ['home/skills'] }).discoverSync();
    expect(other.skills.map(({ source }) => source)).toEqual(['personal', 'personal']);
  });

  it("include the seed's four directory options, relative to `cwd` or absolute", () => {
    proves('S2.TS-2.config-keys');
    const tree = createPlaces();
    const relative = {
      projectSkillDir: './skills/',
      anthropicConfigDir: './.claude/skills/',
      pluginDirs: ['./plugins/kit/'],
      additionalSearchPaths: ['./more/'],
    };
    const absolute = {
      projectSkillDir: tree.path('skills'),
      anthropicConfigDir: tree.path('.claude/skills'),
      pluginDirs: [tree.path('plugins/kit')],
      additionalSearchPaths: [tree.path('more')],
    };
    const names = ['common', 'project-only', 'anthropic-only', 'kit:common', 'kit:plugin-only', 'additional-only'];
    for (const options of [{ ...relative, cwd: tree.root }, absolute]) {
      expect(new SkillManager(options).listSkills().map(({ name }) => name)).toEqual(names);
    }
  });

  it('include a personal directory', () => {
    proves('S2.FR-1.AC.personal', 'S2.FR-3.1.source', 'S2.TS-3.source-literals');
    const manager = new SkillManager({ cwd: createPlaces().root, ...ALL });
    const sources = Object.keys(PLACES).map((kind) => [
      kind,
      manager.getSkill(kind === 'plugin' ? 'kit:plugin-only' : `${kind}-only`).source,
    ]);
    expect(Object.fromEntries(sources)).toEqual(Object.fromEntries(Object.keys(PLACES).map((kind) => [kind, kind])));
  });

  it.each([
    ['./.claude/skills', { anthropicConfigDir: './.claude/skills' }, 'anthropic'],
    ['./.claude', { anthropicConfigDir: './.claude' }, 'anthropic'],
    ['./.claude/skills as the project directory', { projectSkillDir: './.claude/skills/' }, 'project'],
    ['./.agents', { agentsDir: './.agents' }, 'agents'],
    ['./.opencode', { opencodeDir: './.opencode' }, 'opencode'],
  ])('may be %s', (_where, options, source) => {
    proves('S2.TS-2.anthropic-dir', 'S1.7.dirs');
    const manager = new SkillManager({ cwd: createPlaces().root, projectSkillDir: null, ...options });
    expect(manager.listSkills({ source: source as 'project' }).map(({ qualifiedName }) => qualifiedName)).toHaveLength(
      2,
    );
    expect(manager.getSkill('common')).toMatchObject({ qualifiedName: 'common', source });
  });

  it('are searched once if two settings name the same directory', () => {
    const { root } = createPlaces();
    const found = new SkillManager({ cwd: root, additionalSearchPaths: ['./skills', './skills/'] }).discoverSync();
    expect(found.skills.map(({ source }) => source)).toEqual(['project', 'project']);
    expect(found.diagnostics).toEqual([]);
  });
});

describe('precedence', () => {
  it('is the order of the sources: the first source wins', () => {
    proves('S2.FR-1.1.order', 'S2.FR-1.4.across');
    const manager = new SkillManager({ cwd: createPlaces().root, ...ALL });
    const order = manager.listSkills().filter(({ directoryName }) => directoryName !== 'common');
    expect(order.map(({ source }) => source)).toEqual([
      'project',
      'anthropic',
      'agents',
      'opencode',
      'plugin',
      'additional',
      'personal',
    ]);
    expect(manager.getSkill('common').description).toBe('The one of project.');
    expect(manager.snapshot.shadowed.map(({ skill, by }) => [skill.source, by.source])).toEqual(
      ['anthropic', 'agents', 'opencode', 'additional', 'personal'].map((loser) => [loser, 'project']),
    );
  });

  it.each(['project', 'anthropic', 'agents', 'opencode', 'additional'] as const)(
    'goes on to the next source if %s does not have a skill',
    (missing) => {
      proves('S2.FR-1.4.across');
      const tree = createPlaces();
      const order = ['project', 'anthropic', 'agents', 'opencode', 'additional', 'personal'] as const;
      for (const kind of order.slice(0, order.indexOf(missing) + 1)) tree.remove(`${PLACES[kind]}/common`);
      const next = order[order.indexOf(missing) + 1] ?? '';
      expect(new SkillManager({ cwd: tree.root, ...ALL }).getSkill('common').description).toBe(`The one of ${next}.`);
    },
  );

  it('is the order of the Skill Tools specification with `last`', () => {
    proves('S1.7.dirs-override', 'S1.7.dirs');
    const tree = createPlaces();
    const last = (): string =>
      new SkillManager({ cwd: tree.root, ...ALL, precedence: 'last' }).getSkill('common').description;
    for (const kind of ['agents', 'anthropic', 'opencode', 'project'] as const) {
      expect(last()).toBe(`The one of ${kind}.`);
      tree.remove(`${PLACES[kind]}/common`);
    }
    expect(last()).toBe('The one of additional.');
  });

  it('goes by path within a source', () => {
    proves('S2.FR-1.4.same-source');
    const tree = createSkillTree({
      'skills/z/same/SKILL.md': goodSkill('same', 'Last.'),
      'skills/a/same/SKILL.md': goodSkill('same', 'First.'),
      'skills/m/other/SKILL.md': goodSkill('same', 'Between.'),
    });
    const manager = new SkillManager({ cwd: tree.root });
    expect(manager.listSkills().map(({ description }) => description)).toEqual(['First.']);
    expect(manager.diagnostics.filter(({ code }) => code === 'skill-shadowed').map(({ path }) => path)).toEqual([
      tree.path('skills/m/other/SKILL.md'),
      tree.path('skills/z/same/SKILL.md'),
    ]);
  });
});

describe('walking up', () => {
  const files = {
    'repo/.git/HEAD': 'ref',
    'repo/skills/shared/SKILL.md': goodSkill('shared', 'Of the repository.'),
    'repo/skills/top/SKILL.md': goodSkill('top'),
    'repo/packages/app/skills/shared/SKILL.md': goodSkill('shared', 'Of the package.'),
    'skills/beyond/SKILL.md': goodSkill('beyond'),
  };

  it('adds the directories above, up to the root of the repository, and the nearest one wins', () => {
    const tree = createSkillTree(files);
    const found = new SkillManager({ cwd: tree.path('repo/packages/app'), walkUp: true }).discoverSync();
    expect(found.skills.map(({ name, description }) => [name, description])).toEqual([
      ['shared', 'Of the package.'],
      ['top', 'Does top. Use when asked for top.'],
    ]);
    expect(found.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['root-missing', 'info'],
      ['skill-shadowed', 'warning'],
    ]);
  });

  it('happens only on request, and only inside a repository', () => {
    const tree = createSkillTree(files);
    expect(new SkillManager({ cwd: tree.path('repo/packages/app') }).listSkills()).toHaveLength(1);
    tree.remove('repo/.git');
    expect(new SkillManager({ cwd: tree.path('repo/packages/app'), walkUp: true }).listSkills()).toHaveLength(1);
  });
});
