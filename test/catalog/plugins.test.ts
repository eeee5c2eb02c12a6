import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../support/skill-tree.ts';

const manifest = (name: string, more: object = {}): string => JSON.stringify({ name, ...more });
const plugin = (root: string, skills: readonly string[], more: object = {}): TreeFiles => ({
  [`${root}/.claude-plugin/plugin.json`]: manifest(root.split('/').at(-1) ?? '', more),
  ...Object.fromEntries(
    skills.map((skill) => [
      `${root}/${skill}/SKILL.md`,
      goodSkill(skill.split('/').at(-1) ?? '', `${root} has ${skill}`),
    ]),
  ),
});

function open(files: TreeFiles, ...pluginDirs: string[]): SkillManager {
  return new SkillManager({ cwd: createSkillTree(files).root, projectSkillDir: null, pluginDirs });
}

const namesOf = (manager: SkillManager): string[] => manager.listSkills().map(({ name }) => name);
const codesOf = (manager: SkillManager): string[] => manager.diagnostics.map(({ code }) => code);

describe('a plugin', () => {
  it('names its skills after itself and their directories', () => {
    proves(
      'S2.FR-1.2.manifest',
      'S2.FR-1.2.naming',
      'S2.FR-1.2.default-dir',
      'S2.TS-3.name-includes-prefix',
      'S2.goal.plugins',
    );
    const manager = open(
      {
        ...plugin('my-plugin', ['skills/skill-one']),
        'my-plugin/skills/skill-two/SKILL.md': goodSkill('another-name'),
      },
      'my-plugin',
    );
    expect(manager.listSkills().map(({ name, source, pluginName }) => [name, source, pluginName])).toEqual([
      ['my-plugin:skill-one', 'plugin', 'my-plugin'],
      ['my-plugin:skill-two', 'plugin', 'my-plugin'],
    ]);
    expect(manager.getSkill('skill-two').name).toBe('my-plugin:skill-two');
    expect(manager.getSkill('skill-one', { plugin: 'my-plugin' }).name).toBe('my-plugin:skill-one');
  });

  it('may contain commands and other directories, which are ignored', () => {
    proves('S2.TS-2.plugin-tree');
    const files = plugin('kit', ['skills/one', 'custom-skills/three'], { skills: ['skills', 'custom-skills'] });
    const manager = open(
      {
        ...files,
        'kit/commands/greet.md': '---\nbroken: [\n---\n',
        'kit/agents/SKILL.md': goodSkill('stray'),
        'kit/hooks/hooks.json': '{',
      },
      'kit',
    );
    expect(namesOf(manager)).toEqual(['kit:three', 'kit:one']);
    expect(manager.diagnostics).toEqual([]);
  });

  it.each([
    ['one directory', './extra'],
    ['several', ['extra', './more/']],
    ['one twice', ['extra', './extra', 'extra/../extra', 'skills']],
    ['a skill itself', ['extra/two', 'more/three']],
  ])('adds the skills that its manifest names to skills/: %s', (_what, skills) => {
    proves('S2.FR-1.2.skills-field', 'S2.FR-7.3.default-plus-extra');
    const manager = open(plugin('kit', ['skills/one', 'extra/two', 'more/three'], { skills }), 'kit');
    const more = Array.isArray(skills) && skills.some((place) => place.includes('more'));
    expect(namesOf(manager).sort()).toEqual(more ? ['kit:one', 'kit:three', 'kit:two'] : ['kit:one', 'kit:two']);
    expect(manager.diagnostics).toEqual([]);
  });

  it("reads the seed's plugins, with the manifest in its own directory or at the root", () => {
    proves('S2.appendix-B');
    const fixtures = `${import.meta.dirname}/../fixtures/seed-002`;
    for (const [path, codes] of [
      ['anthropic-plugin', []],
      ['appendix-b/demo-plugin', ['plugin-manifest-place']],
    ] as const) {
      const manager = new SkillManager({ projectSkillDir: null, pluginDirs: [`${fixtures}/${path}`] });
      expect(namesOf(manager).sort()).toEqual(['demo-plugin:data-processor', 'demo-plugin:report-writer']);
      expect(codesOf(manager)).toEqual(codes);
    }
  });

  it('is also read from .codex-plugin, and without a manifest if it has a SKILL.md or skills/', () => {
    const files = {
      'codex/.codex-plugin/plugin.json': manifest('codex'),
      'codex/skills/one/SKILL.md': goodSkill('one'),
      'single/SKILL.md': goodSkill('single'),
      'single/examples/inner/SKILL.md': goodSkill('inner'),
      'bare/skills/two/SKILL.md': goodSkill('two'),
    };
    expect(namesOf(open(files, 'codex', 'single', 'bare'))).toEqual(['codex:one', 'single:single', 'bare:two']);
  });

  it('provides its root as `${CLAUDE_PLUGIN_ROOT}`', () => {
    const tree = createSkillTree({
      ...plugin('kit', []),
      'kit/skills/one/SKILL.md': '---\nname: one\ndescription: D.\n---\n${CLAUDE_PLUGIN_ROOT}/x',
    });
    const manager = new SkillManager({ cwd: tree.root, pluginDirs: ['kit'] });
    expect(manager.loadSkillSync('kit:one').processedContent).toContain(`\n${tree.path('kit')}/x`);
  });
});

describe('an invalid plugin', () => {
  const good = plugin('good', ['skills/fine']);

  it.each([
    ['that is not JSON', '{ "name": "bad", }', 'plugin-invalid', 1],
    ['that is not an object', '[]', 'plugin-invalid', 1],
    ['without a name', '{\n "version": "1.0.0"\n}', 'plugin-invalid', 1],
    ['with an empty name', '{\n "name": ":"\n}', 'plugin-invalid', 2],
    ['with a field of the wrong type', '{\n "name": "bad",\n "skills": 7\n}', 'plugin-field', 3],
    ['with a path that climbs out', '{\n "name": "bad",\n "skills": ["../good/skills"]\n}', 'plugin-path-outside', 3],
    ['with an absolute path', '{\n "name": "bad",\n "skills": "/"\n}', 'plugin-path-outside', 3],
  ])('has a specific diagnostic for a manifest %s', (_what, content, code, line) => {
    const tree = createSkillTree({ ...good, 'bad/.claude-plugin/plugin.json': content });
    const manager = new SkillManager({ cwd: tree.root, projectSkillDir: null, pluginDirs: ['bad', 'good'] });
    expect(namesOf(manager)).toEqual(['good:fine']);
    expect(manager.diagnostics).toMatchObject([{ code, line, path: tree.path('bad/.claude-plugin/plugin.json') }]);
  });

  it('has a diagnostic for a named directory that is missing', () => {
    const manager = open({ ...good, ...plugin('bad', ['skills/one'], { skills: ['gone'] }) }, 'bad', 'good');
    expect(namesOf(manager)).toEqual(['bad:one', 'good:fine']);
    expect(codesOf(manager)).toEqual(['plugin-skills-missing']);
  });

  it('has a diagnostic if its directory is missing or contains no plugin', () => {
    const manager = open({ ...good, 'empty/notes/readme.md': 'x' }, 'gone', 'empty', 'good');
    expect(namesOf(manager)).toEqual(['good:fine']);
    expect(codesOf(manager)).toEqual(['root-missing', 'plugin-none']);
  });

  it.each([
    ['a skills directory', 'kit/skills', '../outside/skills'],
    ['a directory its manifest names', 'kit/extra', '../outside/skills'],
    ['a skill', 'kit/skills/stolen', '../../outside/skills/secret'],
  ])('reads nothing in %s that is a link to outside', (_what, link, target) => {
    const tree = createSkillTree({
      'outside/skills/secret/SKILL.md': goodSkill('secret'),
      'kit/.claude-plugin/plugin.json': manifest('kit', { skills: ['extra'] }),
      ...good,
    });
    tree.link(link, target);
    const manager = new SkillManager({ cwd: tree.root, projectSkillDir: null, pluginDirs: ['kit', 'good'] });
    expect(namesOf(manager)).toEqual(['good:fine']);
    expect(manager.diagnostics.find(({ code }) => code === 'link-outside')?.path).toBe(tree.path(link));
  });
});

describe('several plugins', () => {
  it('load together, from one directory or several, and all their errors are reported', () => {
    proves('S2.FR-7.4.multi', 'S2.TR-3.plugins');
    const files = {
      ...plugin('all/a', ['skills/same']),
      ...plugin('all/b', ['skills/same', 'skills/other']),
      'all/c/.claude-plugin/plugin.json': '{',
      'all/d/skills/x/SKILL.md': '',
    };
    for (const manager of [open(files, 'all'), open(files, 'all/a', 'all/b', 'all/c')]) {
      expect(namesOf(manager)).toEqual(['a:same', 'b:other', 'b:same']);
      expect(codesOf(manager).sort()).toEqual(['plugin-invalid', 'skill-shadowed']);
      expect(manager.getSkill('b:same').description).toBe('all/b has skills/same');
    }
  });

  it('leave a shared bare name to the first plugin loaded, with a warning', () => {
    proves('S2.FR-1.4.plugins');
    const { logger, lines } = createRecordingLogger();
    const tree = createSkillTree({ ...plugin('a', ['skills/same']), ...plugin('b', ['skills/same']) });
    const manager = new SkillManager({ cwd: tree.root, projectSkillDir: null, pluginDirs: ['b', 'a'], logger });
    expect(manager.getSkill('same').name).toBe('b:same');
    expect(manager.getSkill('a:same').name).toBe('a:same');
    expect(manager.diagnostics).toMatchObject([{ code: 'skill-shadowed', path: tree.path('a/skills/same/SKILL.md') }]);
    expect(lines('warn')).toEqual([expect.stringContaining("'same' means the skill 'b:same'") as unknown]);
  });

  it('with the same name shadow each other, but no skills of the project', () => {
    const tree = createSkillTree({
      ...plugin('one/kit', ['skills/same']),
      ...plugin('two/kit', ['skills/same', 'skills/other']),
      'skills/same/SKILL.md': goodSkill('same', 'Mine.'),
    });
    const manager = new SkillManager({
      cwd: tree.root,
      projectSkillDir: 'skills',
      pluginDirs: ['one/kit', 'two/kit'],
    });
    expect(namesOf(manager)).toEqual(['same', 'kit:same', 'kit:other']);
    expect(manager.getSkill('same').description).toBe('Mine.');
    expect(manager.getSkill('kit:same').description).toBe('one/kit has skills/same');
  });
});
