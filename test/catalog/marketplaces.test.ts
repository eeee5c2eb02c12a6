import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';

const marketplace = (plugins: readonly object[], more: object = {}): TreeFiles => ({
  'market/.claude-plugin/marketplace.json': JSON.stringify(
    { name: 'market', owner: { name: 'Owner' }, plugins, ...more },
    null,
    1,
  ),
});

function open(files: TreeFiles): { tree: SkillTree; manager: SkillManager } {
  const tree = createSkillTree(files);
  return { tree, manager: new SkillManager({ cwd: tree.root, projectSkillDir: null, pluginDirs: ['market'] }) };
}

const namesOf = (manager: SkillManager): string[] => manager.listSkills().map(({ name }) => name);
const codesOf = (manager: SkillManager): string[] => manager.diagnostics.map(({ code }) => code);

describe('a marketplace', () => {
  it('reads its plugins with relative sources and reports its remote plugins', () => {
    proves('S2.TR-3.plugins');
    const path = `${import.meta.dirname}/../fixtures/seed-002/marketplace`;
    const manager = new SkillManager({ projectSkillDir: null, pluginDirs: [path] });
    expect(namesOf(manager)).toEqual(['alpha:alpha-greeting']);
    expect(manager.diagnostics.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      [
        'marketplace-remote',
        'info',
        "Plugin 'beta' has a remote source (github example-owner/beta-plugin) and is not installed.",
      ],
      [
        'marketplace-remote',
        'info',
        "Plugin 'gamma' has a remote source (https://git.example.com/example-owner/gamma-plugin.git) and is not installed.",
      ],
    ]);
  });

  it('may be given as an additional path', () => {
    const path = `${import.meta.dirname}/../fixtures/seed-002/marketplace`;
    expect(namesOf(new SkillManager({ projectSkillDir: null, additionalSearchPaths: [path] }))).toEqual([
      'alpha:alpha-greeting',
    ]);
  });

  it("names the plugin after its entry, and adds the entry's skills to the plugin's", () => {
    const { manager } = open({
      ...marketplace([{ name: 'listed', source: './p', skills: ['./extra'] }]),
      'market/p/.claude-plugin/plugin.json': '{ "name": "own", "skills": "more" }',
      'market/p/skills/one/SKILL.md': goodSkill('one'),
      'market/p/more/two/SKILL.md': goodSkill('two'),
      'market/p/extra/three/SKILL.md': goodSkill('three'),
    });
    expect(namesOf(manager).sort()).toEqual(['listed:one', 'listed:three', 'listed:two']);
  });

  it('uses an entry with "strict": false as the whole manifest of its plugin', () => {
    const { manager } = open({
      ...marketplace([
        { name: 'documents', source: './', strict: false, skills: ['./skills/docx', './skills/pdf'] },
        { name: 'examples', source: './', strict: false, skills: ['./skills/art'] },
      ]),
      ...Object.fromEntries(
        ['docx', 'pdf', 'art', 'unlisted'].map((name) => [`market/skills/${name}/SKILL.md`, goodSkill(name)]),
      ),
    });
    expect(namesOf(manager)).toEqual(['examples:art', 'documents:docx', 'documents:pdf']);
    expect(manager.diagnostics).toEqual([]);
  });

  it('resolves bare sources below its plugin root', () => {
    const { manager } = open({
      ...marketplace([{ name: 'a', source: 'a' }], { metadata: { pluginRoot: './plugins' } }),
      'market/plugins/a/skills/one/SKILL.md': goodSkill('one'),
    });
    expect(namesOf(manager)).toEqual(['a:one']);
  });

  it('skips invalid entries and reads the others', () => {
    const { tree, manager } = open({
      ...marketplace([
        { source: './nameless' },
        { name: 'outside', source: '../outside' },
        { name: 'odd', source: { source: 'carrier-pigeon' } },
        { name: 'good', source: './good' },
        { name: 'good', source: './good-again' },
      ]),
      'market/good/skills/one/SKILL.md': goodSkill('one'),
      'outside/skills/secret/SKILL.md': goodSkill('secret'),
    });
    expect(namesOf(manager)).toEqual(['good:one']);
    expect(codesOf(manager)).toEqual([
      'marketplace-entry',
      'plugin-path-outside',
      'marketplace-entry',
      'marketplace-entry',
    ]);
    for (const { path, line } of manager.diagnostics) {
      expect(path).toBe(tree.path('market/.claude-plugin/marketplace.json'));
      expect(line).toBeGreaterThan(1);
    }
  });

  it('reports a missing plugin', () => {
    const { manager } = open({
      ...marketplace([
        { name: 'gone', source: './gone' },
        { name: 'here', source: './here' },
      ]),
      'market/here/skills/one/SKILL.md': goodSkill('one'),
    });
    expect(namesOf(manager)).toEqual(['here:one']);
    expect(manager.diagnostics).toHaveLength(1);
    expect(manager.diagnostics[0]?.message).toContain('gone');
  });

  it.each([
    ['JSON', '{'],
    ['an object', '3'],
    ['with a name', '{ "plugins": [] }'],
    ['with plugins', '{ "name": "market", "plugins": {} }'],
  ])('gives a diagnostic if it is not %s', (_what, content) => {
    const { tree, manager } = open({ 'market/.claude-plugin/marketplace.json': content });
    expect(manager.diagnostics).toMatchObject([
      {
        code: 'marketplace-invalid',
        severity: 'error',
        path: tree.path('market/.claude-plugin/marketplace.json'),
        line: 1,
      },
    ]);
    expect(manager.listSkills()).toEqual([]);
  });

  it.each([
    ['with skills', 'outside/skills/secret/SKILL.md'],
    ['that is one skill', 'outside/SKILL.md'],
    ['with skills and a manifest that names them', 'outside/more/secret/SKILL.md'],
  ])('reads nothing of a plugin %s behind a link that leads outside', (_what, secret) => {
    const tree = createSkillTree({
      ...marketplace([
        { name: 'evil', source: './evil' },
        { name: 'good', source: './good' },
      ]),
      'market/good/skills/one/SKILL.md': goodSkill('one'),
      [secret]: goodSkill('secret'),
      ...(secret.includes('/more/')
        ? { 'outside/.claude-plugin/plugin.json': '{ "name": "evil", "skills": "more" }' }
        : {}),
    });
    tree.link('market/evil', '../outside');
    const manager = new SkillManager({ cwd: tree.root, projectSkillDir: null, pluginDirs: ['market'] });
    expect(namesOf(manager)).toEqual(['good:one']);
    expect(codesOf(manager)).toEqual(['link-outside']);
  });
});
