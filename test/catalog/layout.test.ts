import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDirectorySource, SkillManager } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../support/skill-tree.ts';

function discover(files: TreeFiles, limits = {}, thorough = false) {
  const tree = createSkillTree(files);
  const runtime = createRuntime({ sources: [createDirectorySource({ path: tree.root })], limits, thorough });
  const snapshot = runtime.catalog.refreshSync();
  return { tree, snapshot, names: snapshot.skills.map((skill) => skill.qualifiedName) };
}

describe('the layout of a skills directory', () => {
  it('may be flat', () => {
    proves('S2.FR-1.1.flat', 'S1.4.skill-md-required');
    const { names } = discover({
      'one/SKILL.md': goodSkill('one'),
      'two/SKILL.md': goodSkill('two'),
      'three/README.md': 'No skill.',
    });
    expect(names).toEqual(['one', 'two']);
  });

  it('may be nested in groups, which are part of the qualified name but not of the name', () => {
    proves('S2.FR-1.1.nested', 'S2.TS-2.names.group');
    const { names, snapshot } = discover({
      'group-one/skill-three/SKILL.md': goodSkill('skill-three'),
      'g/h/i/SKILL.md': goodSkill('i'),
    });
    expect(names).toEqual(['g:h:i', 'group-one:skill-three']);
    expect(snapshot.skills.map((skill) => skill.name)).toEqual(['i', 'skill-three']);
  });

  it('may be both flat and nested, with a skill at the root itself', () => {
    proves('S2.FR-1.1.coexist');
    const { tree, names, snapshot } = discover({
      'SKILL.md': goodSkill('root-skill'),
      'skill-one/SKILL.md': goodSkill('skill-one'),
      'group/skill-two/SKILL.md': goodSkill('skill-two'),
    });
    expect(names).toEqual(['root-skill', 'group:skill-two', 'skill-one']);
    expect(snapshot.skills[0]?.baseDir).toBe(tree.root);
  });

  it('ends at each skill: a SKILL.md inside a skill is not another skill', () => {
    const { names, snapshot } = discover({
      'outer/SKILL.md': goodSkill('outer'),
      'outer/examples/inner/SKILL.md': goodSkill('inner'),
    });
    expect(names).toEqual(['outer']);
    expect(snapshot.diagnostics).toEqual([]);
  });

  it.each(['.git', 'node_modules', '__pycache__', '.venv', 'dist', 'build'])('ignores skills below %s', (directory) => {
    const { names } = discover({
      [`${directory}/deep/inside/SKILL.md`]: goodSkill('inside'),
      'good/SKILL.md': goodSkill('good'),
    });
    expect(names).toEqual(['good']);
  });

  it('includes skills in hidden directories', () => {
    const { names } = discover({ '.claude/skills/hidden/SKILL.md': goodSkill('hidden') });
    expect(names).toEqual(['.claude:skills:hidden']);
  });

  it.each(['SKILL.md', 'skill.md', 'Skill.md', 'SKILL.MD', 'sKiLl.Md'])('includes skills in %s', (file) => {
    proves('S2.FR-1.3.case-insensitive');
    const { tree, snapshot } = discover({
      [`any-case/${file}`]: goodSkill('any-case'),
      'no/SKILL.md.bak': 'x',
      'no/MYSKILL.md': 'x',
    });
    expect(snapshot.skills).toMatchObject([{ name: 'any-case', filePath: tree.path('any-case', file) }]);
  });

  it('prefers the exact spelling, and reports other spellings on request', ({ skip }) => {
    const files = {
      'both/SKILL.md': goodSkill('both', 'The right one.'),
      'both/skill.md': goodSkill('both', 'Wrong.'),
      'both/Skill.md': 'x',
    };
    expect(discover(files).snapshot.skills).toMatchObject([{ description: 'The right one.' }]);
    const { tree, snapshot } = discover(files, {}, true);
    skip(readdirSync(tree.path('both')).length === 1, 'this file system does not tell SKILL.md from skill.md');
    expect(snapshot.skills).toMatchObject([{ description: 'The right one.' }]);
    expect(snapshot.diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['skill-file-variants', tree.path('both/Skill.md')],
      ['skill-file-variants', tree.path('both/skill.md')],
    ]);
  });
});

describe('the limits of a search', () => {
  it('stop the search at depth 6, and a diagnostic names the directory and the limit', () => {
    const { tree, names, snapshot } = discover({
      '1/2/3/4/5/six/SKILL.md': goodSkill('six'),
      '1/2/3/4/5/6/seven/SKILL.md': goodSkill('seven'),
      'good/SKILL.md': goodSkill('good'),
    });
    expect(names).toEqual(['1:2:3:4:5:six', 'good']);
    expect(snapshot.diagnostics).toMatchObject([{ code: 'depth-limit', path: tree.path('1/2/3/4/5/6') }]);
    expect(snapshot.diagnostics[0]?.message).toContain('limits.maxDepth');
  });

  it('are configurable', () => {
    const files = { 'a/b/SKILL.md': goodSkill('b'), 'flat/SKILL.md': goodSkill('flat') };
    expect(discover(files, { maxDepth: 1 }).names).toEqual(['flat']);
    expect(discover({ '1/2/3/4/5/6/seven/SKILL.md': goodSkill('seven') }, { maxDepth: 7 }).names).toEqual([
      '1:2:3:4:5:6:seven',
    ]);
  });

  it('stop the search after a number of directories, keep the skills found so far, and are named in a diagnostic', () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`s${index}/SKILL.md`, goodSkill(`s${index}`)]),
    );
    const { tree, names, snapshot } = discover(files, { maxDirectories: 5 });
    expect(names).toEqual(['s0', 's1', 's2', 's3']);
    expect(snapshot.diagnostics).toMatchObject([{ code: 'directory-limit', severity: 'error', path: tree.root }]);
    expect(snapshot.diagnostics[0]?.message).toContain('limits.maxDirectories');
  });
});

describe('a skill directory', () => {
  const files = {
    'my-skill/SKILL.md': goodSkill('my-skill'),
    'my-skill/reference.md': '# Reference\n',
    'my-skill/README.md': 'Read me.\n',
    'my-skill/docs/advanced.md': 'More.\n',
    'my-skill/scripts/extract.py': 'print(1)\n',
    'my-skill/scripts/transform.sh': 'echo 1\n',
    'my-skill/scripts/process.js': '1\n',
    'my-skill/templates/config.yaml': 'a: 1\n',
    'my-skill/data/sample.json': '{}\n',
  };

  it('may contain documents, scripts, templates and data, which are all listed', () => {
    proves('S2.concept.structure', 'S2.TS-2.supporting', 'S2.FR-1.3.supporting-files');
    const tree = createSkillTree(files);
    const manager = new SkillManager({ projectSkillDir: tree.root });
    const listed = manager.listFiles('my-skill').map(({ path }) => `my-skill/${path}`);
    expect(listed).toEqual(Object.keys(files).sort());
    expect(manager.listScripts('my-skill').map(({ path }) => path)).toEqual([
      'scripts/extract.py',
      'scripts/process.js',
      'scripts/transform.sh',
    ]);
  });

  it('may have a script at its root, scripts in a subfolder, or instructions only', () => {
    proves('S0.layout.instruction-only');
    const manager = new SkillManager({ projectSkillDir: `${import.meta.dirname}/../fixtures/seed-000/skills` });
    expect(manager.listSkills().map(({ name }) => [name, manager.listScripts(name).length > 0])).toEqual([
      ['code-review', false],
      ['deploy', true],
      ['discord', true],
    ]);
    expect(manager.listScripts('discord').map(({ path }) => path)).toEqual(['discord.mjs']);
    expect(manager.listScripts('deploy').map(({ path }) => path)).toEqual(['scripts/deploy.sh', 'scripts/verify.mjs']);
    expect(manager.listScripts('code-review')).toEqual([]);
    expect(manager.loadSkillSync('code-review').content).toContain('1. Read the whole change');
  });
});
