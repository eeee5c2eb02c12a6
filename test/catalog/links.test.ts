import { describe, expect, it } from 'vitest';
import { createDirectorySource } from '../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, type SkillTree } from '../support/skill-tree.ts';

function discover(tree: SkillTree, options: { roots?: string[]; followOutside?: boolean } = {}): Snapshot {
  const { roots = ['skills'], followOutside = false } = options;
  const sources = roots.map((root) => createDirectorySource({ path: tree.path(root), followOutside }));
  return createRuntime({ sources }).catalog.refreshSync();
}

const namesOf = (snapshot: Snapshot): string[] => snapshot.skills.map((skill) => skill.qualifiedName);
const codesOf = (snapshot: Snapshot): unknown[] => snapshot.diagnostics.map(({ code, path }) => [code, path]);

describe('links in a skills directory', () => {
  it('to a skill directory inside are followed', () => {
    proves('S2.FR-1.3.symlinks');
    const tree = createSkillTree({ 'skills/node_modules/package/SKILL.md': goodSkill('linked') });
    tree.link('skills/linked', 'node_modules/package');
    const found = discover(tree);
    expect(found.skills).toMatchObject([
      { name: 'linked', baseDir: tree.path('skills/linked'), directoryName: 'linked' },
    ]);
    expect(found.diagnostics).toEqual([]);
  });

  it('to a SKILL.md inside are followed, and its body loads', () => {
    const tree = createSkillTree({ 'skills/texts.md': goodSkill('one', 'Kept elsewhere.'), 'skills/one/': '' });
    tree.link('skills/one/SKILL.md', '../texts.md');
    const { catalog } = createRuntime({ sources: [createDirectorySource({ path: tree.path('skills') })] });
    const record = catalog.refreshSync().find('one');
    expect(record?.metadata.description).toBe('Kept elsewhere.');
    expect(record && catalog.bodySync(record)).toBe('\nDo as asked.\n');
  });

  it('lead to the same skill only once, however many links lead to it', () => {
    const tree = createSkillTree({ 'skills/real/SKILL.md': goodSkill('real') });
    tree.link('skills/again', 'real');
    tree.link('skills/group/and-again', '../real');
    tree.link('skills/text/SKILL.md', '../real/SKILL.md');
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['real']);
    expect(codesOf(found)).toEqual([['same-skill-twice', tree.path('skills/text/SKILL.md')]]);
  });

  it('into another configured directory are followed, and skills found there too are loaded once', () => {
    const tree = createSkillTree({
      'shared/tool/SKILL.md': goodSkill('tool'),
      'skills/own/SKILL.md': goodSkill('own'),
    });
    tree.link('skills/tool', '../shared/tool');
    const found = discover(tree, { roots: ['skills', 'shared'] });
    expect(found.skills.map(({ name, baseDir }) => [name, baseDir])).toEqual([
      ['own', tree.path('skills/own')],
      ['tool', tree.path('skills/tool')],
    ]);
    expect(codesOf(found)).toEqual([['same-skill-twice', tree.path('shared/tool/SKILL.md')]]);
  });

  it.each([
    ['a directory', 'skills/out', '../outside/secret', 'skills/out'],
    ['a directory, by an absolute path', 'skills/out', '{root}/outside/secret', 'skills/out'],
    ['a SKILL.md', 'skills/out/SKILL.md', '../../outside/secret/SKILL.md', 'skills/out/SKILL.md'],
  ])('out of the root to %s are refused', (_what, link, target, reported) => {
    proves('S2.FR-1.3.symlinks');
    const tree = createSkillTree({
      'outside/secret/SKILL.md': goodSkill('secret'),
      'skills/good/SKILL.md': goodSkill('good'),
    });
    tree.link(link, target.replace('{root}', tree.root));
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['good']);
    expect(codesOf(found)).toEqual([['link-outside', tree.path(reported)]]);
  });

  it('out of the root through another link are refused', () => {
    const tree = createSkillTree({
      'outside/secret/SKILL.md': goodSkill('secret'),
      'skills/good/SKILL.md': goodSkill('good'),
    });
    tree.link('skills/hop', 'step');
    tree.link('skills/step', '../outside');
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['good']);
    expect(codesOf(found)).toEqual([
      ['link-outside', tree.path('skills/hop')],
      ['link-outside', tree.path('skills/step')],
    ]);
  });

  it('out of the root are followed if `followOutside` allows it', () => {
    const tree = createSkillTree({
      'outside/dir/far/SKILL.md': goodSkill('far'),
      'outside/file.md': goodSkill('near', 'From a file outside.'),
      'skills/good/SKILL.md': goodSkill('good'),
    });
    tree.link('skills/out', '../outside/dir');
    tree.link('skills/near/SKILL.md', '../../outside/file.md');
    const found = discover(tree, { followOutside: true });
    expect(namesOf(found)).toEqual(['good', 'near', 'out:far']);
    expect(found.diagnostics).toEqual([]);
  });

  it("never bypass containment, even if one root's name begins with another root's name", () => {
    const tree = createSkillTree({ 'skills-private/secret/SKILL.md': goodSkill('secret'), 'skills/': '' });
    tree.link('skills/peek', '../skills-private');
    expect(codesOf(discover(tree))).toEqual([['link-outside', tree.path('skills/peek')]]);
  });

  it.each([
    ['itself', 'skills/loop', 'loop'],
    ['its own directory', 'skills/loop', '.'],
    ['a parent', 'skills/group/loop', '..'],
    ['a parent, a level further up', 'skills/group/deep/loop', '../..'],
  ])('to %s are cycles, which are reported and not followed', (_where, link, target) => {
    proves('S2.OP-8.circular');
    const tree = createSkillTree({
      'skills/good/SKILL.md': goodSkill('good'),
      'skills/group/deep/er/SKILL.md': goodSkill('er'),
    });
    tree.link(link, target);
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['good', 'group:deep:er']);
    expect(found.diagnostics).toMatchObject([{ code: 'link-cycle', severity: 'warning', path: tree.path(link) }]);
  });

  it('to each other terminate, with every skill found once', () => {
    const tree = createSkillTree({
      'skills/a/one/SKILL.md': goodSkill('one'),
      'skills/b/two/SKILL.md': goodSkill('two'),
    });
    tree.link('skills/a/to-b', '../b');
    tree.link('skills/b/to-a', '../a');
    tree.link('skills/ping', 'pong');
    tree.link('skills/pong', 'ping');
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['a:one', 'b:two']);
    expect(codesOf(found)).toEqual([
      ['link-cycle', tree.path('skills/ping')],
      ['link-cycle', tree.path('skills/pong')],
    ]);
  });

  it.each([
    ['a directory', 'skills/gone'],
    ['a SKILL.md', 'skills/gone/SKILL.md'],
  ])('in place of %s that lead nowhere are reported', (_what, link) => {
    const tree = createSkillTree({ 'skills/good/SKILL.md': goodSkill('good') });
    tree.link(link, 'nowhere/at/all');
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['good']);
    expect(found.diagnostics).toMatchObject([{ code: 'link-broken', path: tree.path(link) }]);
  });

  it("among a group's plain files do not matter", () => {
    const tree = createSkillTree({
      'skills/good/SKILL.md': goodSkill('good'),
      'notes.md': 'x',
      'skills/readme.md': 'y',
    });
    tree.link('skills/notes.md', '../notes.md');
    const found = discover(tree);
    expect(namesOf(found)).toEqual(['good']);
    expect(found.diagnostics).toEqual([]);
  });

  it('may be the root itself', () => {
    const tree = createSkillTree({ 'real/good/SKILL.md': goodSkill('good') });
    tree.link('skills', 'real');
    const found = discover(tree);
    expect(found.skills).toMatchObject([{ name: 'good', baseDir: tree.path('skills/good') }]);
    expect(found.diagnostics).toEqual([]);
  });
});
