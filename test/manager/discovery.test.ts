import { describe, expect, it } from 'vitest';
import { createStandardSources, SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, skillText } from '../support/skill-tree.ts';

const FILES = {
  'skills/good/SKILL.md': goodSkill('good'),
  'skills/group/also/SKILL.md': goodSkill('also'),
  'skills/colon/SKILL.md': skillText({ name: 'colon', description: 'Use when: asked.' }),
  'skills/empty/SKILL.md': '',
  'skills/bare/SKILL.md': '',
  'skills/directory/SKILL.md/x': '',
  'kit/.claude-plugin/plugin.json': '{',
  'home/mine/SKILL.md': goodSkill('mine'),
};
const OPTIONS: SkillManagerOptions = { pluginDirs: ['kit'], additionalSearchPaths: ['missing'], userDirs: ['home'] };

describe('a discovery', () => {
  it('returns skills and errors, and continues after each error', async () => {
    proves(
      'S2.FR-1.5.continue',
      'S2.FR-1.5.both',
      'S2.FR-1.5.graceful',
      'S2.FR-8.4.recovery',
      'S2.TS-3.SkillDiscoveryResult',
      'S2.TR-1.discovery',
      'S2.TR-1.plugin',
    );
    const tree = createSkillTree(FILES);
    const result = await new SkillManager({ cwd: tree.root, ...OPTIONS }).discover();
    expect(result.skills.map(({ name }) => name)).toEqual(['colon', 'good', 'also', 'mine']);
    expect(result.errors.map(({ type, skillPath }) => [type, skillPath])).toEqual([
      ['parsing', tree.path('skills/bare/SKILL.md')],
      ['parsing', tree.path('skills/empty/SKILL.md')],
      ['parsing', tree.path('kit/.claude-plugin/plugin.json')],
    ]);
    expect(result.diagnostics.map(({ code }) => code).sort()).toEqual([
      'file-empty',
      'file-empty',
      'plugin-invalid',
      'root-missing',
      'skill-file-directory',
      'yaml-quoted',
    ]);
  });

  it('returns the same synchronously and asynchronously', async () => {
    proves('S2.goal.sync-async');
    const { root } = createSkillTree(FILES);
    const options = { cwd: root, ...OPTIONS };
    expect(await new SkillManager(options).discover()).toEqual(new SkillManager(options).discoverSync());
    const manager = new SkillManager(options);
    const first = manager.discoverSync();
    expect(await manager.discover()).toEqual(first);
    expect(manager.listSkills()).toEqual(first.skills);
    expect(manager.diagnostics).toEqual(first.diagnostics);
  });

  it("has errors in the seed's shape and categories", () => {
    proves('S2.FR-8.2.structure', 'S2.TS-3.SkillError', 'S2.FR-8.1.categories');
    const tree = createSkillTree({
      'skills/bad/SKILL.md': '---\nname: Bad\nversion: x\n---\n',
      'skills/text/SKILL.md': '---\na: *x\n---\n',
      'deep/a/b/SKILL.md': goodSkill('b'),
    });
    const { errors } = new SkillManager({
      cwd: tree.root,
      strict: true,
      additionalSearchPaths: ['deep'],
      limits: { maxDirectories: 1 },
    }).discoverSync();
    expect(errors.map(({ type }) => type)).toEqual(['discovery', 'discovery']);
    const all = new SkillManager({ cwd: tree.root, strict: true }).discoverSync().errors;
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['parsing', 'validation']));
    for (const error of all) {
      expect(Object.keys(error).sort()).toEqual(['details', 'message', 'skillPath', 'type']);
      expect(error.details).toMatchObject({ code: expect.any(String) as string, line: expect.any(Number) as number });
      expect(JSON.parse(JSON.stringify(error))).toEqual(error);
    }
  });

  it('has diagnostics of plain data only, with a code, a severity, a category and a path', async () => {
    const { diagnostics } = await new SkillManager({ cwd: createSkillTree(FILES).root, ...OPTIONS }).discover();
    expect(JSON.parse(JSON.stringify(diagnostics))).toEqual(diagnostics);
    for (const { code, severity, category, path, message } of diagnostics) {
      expect(code).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
      expect(['error', 'warning', 'info']).toContain(severity);
      expect(['discovery', 'parsing', 'validation', 'invocation']).toContain(category);
      expect(path).not.toBe('');
      expect(message).toMatch(/\.$/);
    }
  });

  it('can be cancelled by a signal', async () => {
    const manager = new SkillManager({ cwd: createSkillTree(FILES).root });
    const reason = new Error('enough');
    await expect(manager.discover({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(manager.listSkills()).not.toEqual([]);
  });

  it('finds changes since the last one', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const manager = new SkillManager({ cwd: tree.root });
    expect(manager.listSkills()).toHaveLength(1);
    tree.write({ 'skills/two/SKILL.md': goodSkill('two') });
    expect(manager.listSkills()).toHaveLength(1);
    expect((await manager.discover()).skills).toHaveLength(2);
    tree.remove('skills');
    expect(manager.discoverSync().skills).toEqual([]);
  });

  it('gives the same result from the standard sources without the manager', async () => {
    const options = { cwd: createSkillTree(FILES).root, ...OPTIONS };
    const runtime = createRuntime({ sources: createStandardSources(options) });
    expect((await runtime.catalog.refresh()).skills).toEqual(new SkillManager(options).listSkills());
  });

  it("parses the seed's cases: valid, all fields, no frontmatter, bad YAML, missing fields, broken rules", () => {
    proves('S2.TR-1.parsing', 'S2.FR-2.1.malformed', 'S2.TR-1.discovery');
    const tree = createSkillTree({
      'skills/valid/SKILL.md': goodSkill('valid'),
      'skills/full/SKILL.md': skillText({
        name: 'full',
        description: 'All.',
        'allowed-tools': 'Read',
        version: '1.0.0',
        model: 'opus',
        'disable-model-invocation': 'true',
      }),
      'skills/none/SKILL.md': 'Only text.\n',
      'skills/yaml/SKILL.md': '---\nname: yaml\ndescription: [unclosed\n---\n',
      'skills/nameless/SKILL.md': skillText({ description: 'No name.' }),
      'skills/rules/SKILL.md': skillText({ name: 'RULES', description: 'Bad name.' }),
    });
    const { skills, diagnostics } = new SkillManager({ cwd: tree.root }).discoverSync();
    expect(skills.map(({ name, description }) => [name, description])).toEqual([
      ['full', 'All.'],
      ['nameless', 'No name.'],
      ['none', 'Only text.'],
      ['RULES', 'Bad name.'],
      ['valid', 'Does valid. Use when asked for valid.'],
      ['yaml', '[unclosed'],
    ]);
    const codes = diagnostics.map(
      ({ code, path, line }) => `${path.split(/[\\/]/).at(-2) ?? ''} ${code} ${line ?? ''}`,
    );
    expect(codes).toEqual([
      'nameless name-missing 2',
      'none frontmatter-missing 1',
      'none description-missing 1',
      'none name-missing 1',
      'rules name-invalid 2',
      'rules name-mismatch 2',
      'yaml yaml-quoted 3',
    ]);
  });
});
