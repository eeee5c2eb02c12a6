import { describe, expect, it } from 'vitest';
import { createDirectorySource, createMemorySource, SkillManager } from '../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../support/skill-tree.ts';

function discover(files: TreeFiles): Snapshot {
  return createRuntime({
    sources: [createDirectorySource({ path: createSkillTree(files).root })],
  }).catalog.refreshSync();
}

const tool = (name: string, more: object = {}): object => ({ name, description: `Does ${name}.`, ...more });
const manifest = (...tools: object[]): string => JSON.stringify(tools, null, 2);
const found = ({ diagnostics }: Snapshot): unknown[] =>
  diagnostics.map(({ code, line }) => (line === undefined ? [code] : [code, line]));

describe('the tools of a skill', () => {
  it('are read from tools.json beside SKILL.md and are part of the metadata', () => {
    proves(
      'S1.7.scan',
      'S1.7.alg.metadata-first',
      'S1.7.alg.register-at-startup',
      'S1.7.reg.fields',
      'S1.1.skill-folder',
    );
    const manager = new SkillManager({ projectSkillDir: `${import.meta.dirname}/../fixtures/seed-001/skills` });
    const { skills } = manager.discoverSync();
    const declared = {
      name: 'count_words',
      description: expect.stringContaining('word') as unknown,
      script: 'scripts/count_words.js',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    };
    expect(skills).toMatchObject([{ name: 'count-words', tools: [declared] }]);
    expect(manager.snapshot.tools.get('count_words')).toMatchObject({ skill: skills[0], tool: declared });
    expect(manager.readFileSync('count-words', declared.script)).toContain('export default');
  });

  it('are absent without a tools.json, and the skill is still complete', () => {
    proves('S1.4.no-manifest-valid');
    const snapshot = discover({ 'plain/SKILL.md': goodSkill('plain') });
    expect(snapshot.skills).toMatchObject([{ name: 'plain', tools: [] }]);
    expect(snapshot.diagnostics).toEqual([]);
  });

  it('may be several', () => {
    proves('S1.4.zero-or-many-tools');
    const snapshot = discover({
      'many/SKILL.md': goodSkill('many'),
      'many/tools.json': manifest(tool('one'), tool('two'), tool('three')),
    });
    expect([...snapshot.tools.keys()]).toEqual(['one', 'two', 'three']);
  });

  it('are read only at the root of the skill', () => {
    proves('S1.4.manifest-at-root');
    const snapshot = discover({
      'one/SKILL.md': goodSkill('one'),
      'one/scripts/tools.json': manifest(tool('hidden')),
      'one/config/tools.json': '{',
      'tools.json': manifest(tool('stray')),
    });
    expect([...snapshot.tools.keys()]).toEqual([]);
    expect(snapshot.diagnostics).toEqual([]);
  });

  it('without a name or description are skipped with a diagnostic, and the others are kept', () => {
    proves('S1.7.reg.skip-invalid');
    const snapshot = discover({
      'one/SKILL.md': goodSkill('one'),
      'one/tools.json':
        '[\n{ "description": "No name." },\n{ "name": "no_description" },\n{ "name": "good", "description": "Good." }\n]',
    });
    expect([...snapshot.tools.keys()]).toEqual(['good']);
    expect(found(snapshot)).toEqual([
      ['tool-invalid', 2],
      ['tool-invalid', 3],
    ]);
  });

  it('may have no script: a call then returns the instructions of the skill', () => {
    const snapshot = discover({ 'one/SKILL.md': goodSkill('one'), 'one/tools.json': manifest(tool('stub')) });
    expect(snapshot.tools.get('stub')?.tool).not.toHaveProperty('script');
    expect(snapshot.diagnostics).toEqual([]);
  });

  it.each([
    ['does not exist', 'scripts/gone.js', 'tool-script-missing'],
    ['lies outside the skill', '../other/run.js', 'tool-invalid'],
    ['is an absolute path', '/bin/sh', 'tool-invalid'],
  ])('give a diagnostic if their script %s', (_where, script, code) => {
    const snapshot = discover({
      'one/SKILL.md': goodSkill('one'),
      'one/tools.json': manifest(tool('run', { script })),
      'other/run.js': '',
    });
    expect(snapshot.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
    expect(snapshot.skills).toHaveLength(1);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['is not JSON', '[{ "name": ', 'tools-invalid'],
    ['is not UTF-8', Uint8Array.from([0x5b, 0xff, 0x5d]), 'tools-invalid'],
    ['is not a list', '{ "version": 1 }', 'tools-foreign'],
    ['is a list without tools', '[1, 2]', 'tools-foreign'],
  ])('are ignored if tools.json %s, and the skill is still there', (_what, content, code) => {
    const snapshot = discover({ 'one/SKILL.md': goodSkill('one'), 'one/tools.json': content });
    expect(snapshot.skills).toMatchObject([{ name: 'one', tools: [] }]);
    expect(snapshot.diagnostics).toMatchObject([{ code }]);
  });

  it('are ignored if tools.json is too large for a manifest', () => {
    const source = createMemorySource([
      { directory: 'one', files: { 'SKILL.md': goodSkill('one'), 'tools.json': `[${' '.repeat(2_000)}]` } },
    ]);
    const snapshot = createRuntime({ sources: [source], limits: { maxManifestBytes: 1_000 } }).catalog.refreshSync();
    expect(snapshot.diagnostics).toMatchObject([{ code: 'tools-invalid' }]);
    expect(snapshot.diagnostics[0]?.message).toContain('1000');
  });

  it('follow the recommended layout in the sample skills: each has a handler in scripts/ with its name', () => {
    proves('S1.4.scripts-dir', 'S1.4.one-handler-per-tool');
    const manager = new SkillManager({ projectSkillDir: `${import.meta.dirname}/../../skills` });
    const tools = manager.listSkills().flatMap((skill) => skill.tools.map((item) => ({ skill, item })));
    expect(tools.length).toBeGreaterThan(3);
    for (const { skill, item } of tools) {
      expect(item.script).toMatch(new RegExp(`^scripts/${item.name}\\.\\w+$`));
      expect(manager.resolveFile(skill.name, item.script ?? '')).toContain(item.name);
    }
  });
});

describe('a clash of tool names', () => {
  const files = (name: string): TreeFiles => ({
    'SKILL.md': goodSkill(name),
    'tools.json': manifest(tool('same'), tool(`only_${name}`)),
  });

  it('is won by the skill of higher precedence, with a diagnostic that names both', () => {
    proves('S1.5.unique-across');
    const sources = ['high', 'low'].map((name) =>
      createMemorySource([{ directory: name, files: files(name) }], { id: name }),
    );
    const snapshot = createRuntime({ sources }).catalog.refreshSync();
    expect([...snapshot.tools].map(([name, { skill }]) => [name, skill.name])).toEqual([
      ['same', 'high'],
      ['only_high', 'high'],
      ['only_low', 'low'],
    ]);
    expect(snapshot.diagnostics).toMatchObject([
      { code: 'tool-shadowed', severity: 'warning', path: 'low:/low/tools.json' },
    ]);
    expect(snapshot.diagnostics[0]?.message).toBe(
      "Tool 'same' of skill 'low' is replaced by the tool of skill 'high'.",
    );
    expect(snapshot.find('low')?.metadata.tools).toHaveLength(2);
  });

  it('does not occur with a shadowed skill', () => {
    const sources = ['high', 'low'].map((id) =>
      createMemorySource([{ directory: 'one', files: files('one') }], { id }),
    );
    const snapshot = createRuntime({ sources }).catalog.refreshSync();
    expect([...snapshot.tools.keys()]).toEqual(['same', 'only_one']);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(['skill-shadowed']);
  });
});
