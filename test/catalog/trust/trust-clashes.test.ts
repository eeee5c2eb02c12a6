import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createDirectorySource,
  createMemorySource,
  createPluginSource,
  type SkillSource,
  type TrustLevel,
} from '../../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../../packages/skillwright/src/host.ts';
import { requireTool } from '../../../packages/skillwright/src/catalog/lookup/skill-lookup.ts';
import { proves } from '../../proves.ts';
import { createSkillTree, goodSkill, skillText } from '../../support/skill-tree.ts';

interface Skill {
  readonly directory: string;
  readonly name?: string;
  readonly tools?: readonly string[];
}

function source(id: string, trust: TrustLevel, skills: readonly Skill[]): SkillSource {
  return createMemorySource(
    skills.map(({ directory, name = directory.split('/').at(-1), tools }) => ({
      directory,
      files: {
        'SKILL.md': skillText({ name: JSON.stringify(name), description: `Of ${id}.` }),
        ...(tools === undefined
          ? {}
          : { 'tools.json': JSON.stringify(tools.map((tool) => ({ name: tool, description: `Of ${id}.` }))) }),
      },
    })),
    { id, trust },
  );
}

const discover = (...sources: SkillSource[]): Snapshot => createRuntime({ sources }).catalog.refreshSync();
const found = (snapshot: Snapshot, name: string): string | undefined => snapshot.find(name)?.metadata.baseDir;

describe('a skill name shared by trusted and untrusted skills', () => {
  const clash = (...order: TrustLevel[]): Snapshot =>
    discover(...order.map((trust, index) => source(`${trust}-${index}`, trust, [{ directory: 'deploy' }])));

  it.each<[TrustLevel[], string]>([
    [['untrusted', 'trusted'], 'trusted-1:/deploy'],
    [['trusted', 'untrusted'], 'trusted-0:/deploy'],
    [['untrusted', 'untrusted', 'trusted', 'trusted'], 'trusted-2:/deploy'],
    [['untrusted', 'untrusted'], 'untrusted-0:/deploy'],
  ])('belongs to the first trusted skill: %j', (order, expected) => {
    expect(found(clash(...order), 'deploy')).toBe(expected);
  });

  it('is reported with both skills and the reason, and the loser stays reachable', () => {
    const tree = createSkillTree({
      'repo/.claude/skills/deploy/SKILL.md': goodSkill('deploy', 'The one of the repository.'),
      'home/skills/deploy/SKILL.md': goodSkill('deploy', 'Mine.'),
    });
    const snapshot = discover(
      createDirectorySource({ path: tree.path('repo/.claude/skills'), kind: 'anthropic', trust: 'untrusted' }),
      createDirectorySource({ path: tree.path('home/skills'), kind: 'personal' }),
    );
    expect(snapshot.skills.map(({ description }) => description)).toEqual(['Mine.']);
    const [diagnostic] = snapshot.diagnostics;
    expect(diagnostic).toMatchObject({ code: 'skill-shadowed', severity: 'warning' });
    expect(diagnostic?.message).toBe(
      `Skill 'deploy' at ${tree.path('repo/.claude/skills/deploy')} is replaced by the one at ${tree.path('home/skills/deploy')}, which is trusted while this one is not.`,
    );
    expect(snapshot.find('anthropic/deploy')?.metadata.description).toBe('The one of the repository.');
  });

  it('leaves the other skills in the order of precedence', () => {
    const snapshot = discover(
      source('low', 'untrusted', [{ directory: 'a' }, { directory: 'same' }]),
      source('high', 'trusted', [{ directory: 'b' }, { directory: 'same' }]),
      source('last', 'untrusted', [{ directory: 'c' }]),
    );
    expect(snapshot.skills.map(({ baseDir }) => baseDir)).toEqual(['low:/a', 'high:/b', 'high:/same', 'last:/c']);
  });
});

describe('any other name of a trusted skill', () => {
  it("is not taken by an untrusted skill if it is the bare name of a trusted plugin's skill", () => {
    const tree = createSkillTree({
      'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
      'kit/skills/deploy/SKILL.md': goodSkill('deploy'),
      'repo/deploy/SKILL.md': goodSkill('deploy'),
    });
    const snapshot = discover(
      createDirectorySource({ path: tree.path('repo'), kind: 'project', trust: 'untrusted' }),
      createPluginSource({ path: tree.path('kit') }),
    );
    expect(found(snapshot, 'deploy')).toBe(tree.path('kit/skills/deploy'));
    expect(snapshot.shadowed).toMatchObject([{ by: { name: 'kit:deploy' }, reachableAs: 'project/deploy' }]);
    expect(snapshot.diagnostics[0]?.message).toContain("is replaced by 'kit:deploy' at");
  });

  it.each([
    ['a qualified name', 'group:deploy'],
    ['a name with its source', 'memory/deploy'],
    ['the name of its directory', 'deploy-directory'],
    ['its name with underscores for hyphens', 'deploy'],
  ])('is not taken by an untrusted skill that uses %s as its name', (_what, name) => {
    const mine = source('mine', 'trusted', [
      { directory: 'group/deploy' },
      { directory: 'deploy-directory', name: 'other' },
    ]);
    const theirs = source('theirs', 'untrusted', [{ directory: 'x', name: name.replaceAll('-', '_') }]);
    expect(found(discover(theirs, mine), name)).toMatch(/^mine:/);
    expect(found(discover(theirs, mine), name.replaceAll('-', '_'))).toMatch(/^mine:/);
  });

  it("is not taken by a skill of an untrusted plugin if it is the name in the trusted skill's frontmatter", () => {
    const tree = createSkillTree({
      'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
      'kit/skills/deploy/SKILL.md': goodSkill('deploy', 'Theirs.'),
      'home/mine/SKILL.md': skillText({ name: 'kit:deploy', description: 'Mine.' }),
    });
    const [plugin, home] = [{ path: tree.path('kit') }, { path: tree.path('home'), kind: 'personal' as const }];
    const mixed = discover(createPluginSource({ ...plugin, trust: 'untrusted' }), createDirectorySource(home));
    expect(mixed.find('kit:deploy')?.metadata.description).toBe('Mine.');
    expect(mixed.find('plugin/kit:deploy')?.metadata.description).toBe('Theirs.');
    const other = discover(createPluginSource(plugin), createDirectorySource({ ...home, trust: 'untrusted' }));
    expect(other.find('kit:deploy')?.metadata.description).toBe('Theirs.');
  });

  it('always leads to the trusted skill, whatever other skills are called, and hidden skills stay reachable', () => {
    const name = fc.constantFrom('a', 'b', 'g:a', 'a_b', 'a-b', 'memory/a', 'other');
    const skill = fc.record({ directory: fc.constantFrom('a', 'b', 'g/a', 'a-b', 'c'), name });
    const part = fc.record({
      trust: fc.constantFrom<TrustLevel>('trusted', 'untrusted'),
      skills: fc.uniqueArray(skill, { maxLength: 4, selector: ({ directory }) => directory }),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const snapshot = discover(...parts.map(({ trust, skills }, index) => source(`s${index}`, trust, skills)));
        const all = [...snapshot.skills, ...snapshot.shadowed.map((hidden) => hidden.skill)];
        const mine = all.filter(({ trust }) => trust === 'trusted');
        for (const { name: own, qualifiedName, source: kind, directoryName, alias = own } of mine)
          for (const other of [own, qualifiedName, `${kind}/${own}`, directoryName, alias])
            expect(snapshot.find(other)?.metadata.trust ?? 'trusted').toBe('trusted');
        for (const { skill: hidden, by, reachableAs } of snapshot.shadowed) {
          expect(hidden.trust === 'untrusted' || by.trust === 'trusted').toBe(true);
          if (reachableAs !== hidden.baseDir) expect(snapshot.find(reachableAs)?.metadata).toBe(hidden);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a tool name shared by a trusted and an untrusted skill', () => {
  const trusted = source('mine', 'trusted', [{ directory: 'deploy', tools: ['run', 'check'] }]);
  const owners = ({ tools }: Snapshot): unknown =>
    Object.fromEntries([...tools].map(([name, { skill }]) => [name, skill.name]));

  it.each(['before', 'behind'])('belongs to the trusted skill if it comes %s the other', (place) => {
    proves('S1.5.unique-across');
    const theirs = source('theirs', 'untrusted', [{ directory: 'evil', tools: ['run', 'other'] }]);
    const snapshot = discover(...(place === 'before' ? [trusted, theirs] : [theirs, trusted]));
    expect(owners(snapshot)).toEqual({ run: 'deploy', check: 'deploy', other: 'evil' });
    expect(snapshot.diagnostics).toMatchObject([{ code: 'tool-shadowed', path: 'theirs:/evil/tools.json' }]);
    expect(snapshot.diagnostics[0]?.message).toBe(
      "Tool 'run' of skill 'evil' is replaced by the tool of skill 'deploy', which is trusted while this one is not.",
    );
    expect(snapshot.diagnostics[0]?.hint).toContain("'evil__run'");
    expect(requireTool(snapshot, 'run').record.metadata.name).toBe('deploy');
    expect(requireTool(snapshot, 'evil__run').record.metadata.name).toBe('evil');
  });

  it('goes by precedence if both are untrusted', () => {
    const snapshot = discover(
      source('one', 'untrusted', [{ directory: 'first', tools: ['run'] }]),
      source('two', 'untrusted', [{ directory: 'second', tools: ['run'] }]),
    );
    expect(owners(snapshot)).toEqual({ run: 'first' });
  });

  it('may also be qualified: an untrusted tool cannot take the name skill__tool of a trusted tool', () => {
    const theirs = source('theirs', 'untrusted', [{ directory: 'evil', tools: ['deploy__run', 'deploy__new'] }]);
    const snapshot = discover(theirs, trusted);
    expect(owners(snapshot)).toEqual({ run: 'deploy', check: 'deploy', deploy__new: 'evil' });
    expect(requireTool(snapshot, 'deploy__run').record.metadata.name).toBe('deploy');
    expect(requireTool(snapshot, 'evil__deploy__run').record.metadata.name).toBe('evil');
  });

  it('never runs in the directory of another skill', () => {
    const odd = source('odd', 'trusted', [{ directory: 'odd', name: 'memory/deploy', tools: ['stray'] }]);
    const { record, tool } = requireTool(discover(trusted, odd), 'stray');
    expect(record.metadata.tools).toContain(tool);
  });
});
