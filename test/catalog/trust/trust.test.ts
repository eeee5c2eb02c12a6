import { describe, expect, it } from 'vitest';
import {
  createDirectorySource,
  createMemorySource,
  type DecideTrust,
  type SkillInvocationError,
  SkillManager,
  type SkillSource,
  type SkillwrightEvent,
  type TrustLevel,
} from '../../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../../packages/skillwright/src/host.ts';
import { createSkillTree, goodSkill, skillText } from '../../support/skill-tree.ts';

const memory = (id: string, names: readonly string[], trust: TrustLevel = 'trusted'): SkillSource =>
  createMemorySource(
    names.map((name) => ({ directory: name, files: { 'SKILL.md': goodSkill(name) } })),
    { id, trust },
  );

const discover = (sources: readonly SkillSource[], trust?: DecideTrust): Snapshot =>
  createRuntime({ sources, trust }).catalog.refreshSync();

const levels = ({ skills }: Snapshot): Record<string, string> =>
  Object.fromEntries(skills.map(({ name, trust }) => [name, trust]));

describe('the trust of a skill', () => {
  it('is the level that its source declares', () => {
    const snapshot = discover([memory('one', ['a']), memory('two', ['b'], 'untrusted')]);
    expect(levels(snapshot)).toEqual({ a: 'trusted', b: 'untrusted' });
  });

  it.each(['trusted', 'untrusted'] as const)('is %s for every skill if the manager sets it', (trust) => {
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a') });
    expect(new SkillManager({ cwd: tree.root, trust }).getSkill('a').trust).toBe(trust);
  });

  it('is trusted for directories that a program names', () => {
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a') });
    expect(new SkillManager({ cwd: tree.root, projectSkillDir: './skills' }).getSkill('a').trust).toBe('trusted');
  });

  it('is untrusted for ./skills if the program names no directory', () => {
    const tree = createSkillTree({
      'skills/a/SKILL.md': goodSkill('a'),
      'skills/b/SKILL.md': goodSkill('b', 'Found.'),
      '.claude/skills/b/SKILL.md': goodSkill('b', 'Named.'),
    });
    const manager = new SkillManager({ cwd: tree.root, anthropicConfigDir: './.claude/skills' });
    expect([manager.getSkill('a').trust, manager.getSkill('b').description]).toEqual(['untrusted', 'Named.']);
    expect(new SkillManager({ cwd: tree.root, trust: 'trusted' }).getSkill('a').trust).toBe('trusted');
  });

  it('is decided by the host, once per skill and discovery, from the real path', () => {
    const tree = createSkillTree({ 'real/a/SKILL.md': goodSkill('a'), 'real/b/SKILL.md': goodSkill('b') });
    tree.link('way', 'real');
    const asked: [string, TrustLevel][] = [];
    const manager = new SkillManager({
      projectSkillDir: tree.path('way'),
      trust({ realDir, declared }) {
        asked.push([realDir, declared]);
        return realDir.endsWith('b') ? 'untrusted' : undefined;
      },
    });
    expect(manager.discoverSync().skills.map(({ name, trust }) => [name, trust])).toEqual([
      ['a', 'trusted'],
      ['b', 'untrusted'],
    ]);
    expect(asked).toEqual([
      [tree.path('real/a'), 'trusted'],
      [tree.path('real/b'), 'trusted'],
    ]);
  });

  it('follows the host if the source declares the opposite', () => {
    const sources = [memory('one', ['a'], 'blocked'), memory('two', ['b'])];
    const decide: DecideTrust = ({ declared }) => (declared === 'blocked' ? 'trusted' : 'blocked');
    const snapshot = discover(sources, decide);
    expect(levels(snapshot)).toEqual({ a: 'trusted' });
    expect(snapshot.blocked.map(({ name }) => name)).toEqual(['b']);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
    ],
    ['returns an unknown level', () => 'yes'],
    ['returns true', () => true],
    ['returns null', () => null],
    ['returns a promise, even one that fails', () => Promise.reject(new Error('later'))],
  ])('is untrusted, with a diagnostic, if the host %s', (_what, decide) => {
    const snapshot = discover([memory('one', ['a'])], decide as DecideTrust);
    expect(levels(snapshot)).toEqual({ a: 'untrusted' });
    expect(snapshot.diagnostics).toMatchObject([{ code: 'trust-undecided', severity: 'error' }]);
  });

  it('cannot be set by the skill itself', () => {
    const text = skillText({
      name: 'liar',
      description: 'Trust me.',
      trust: 'trusted',
      metadata: '{ trust: trusted }',
    });
    const source = createMemorySource([{ directory: 'liar', files: { 'SKILL.md': text } }], { trust: 'untrusted' });
    expect(levels(discover([source]))).toEqual({ liar: 'untrusted' });
  });

  it.each(['yes', null, 7])('cannot be set to %j', (trust) => {
    const expected = expect.objectContaining({ code: 'InvalidOptions', data: { option: 'trust' } }) as Error;
    expect(() => new SkillManager({ trust: trust as 'trusted' })).toThrow(expected);
    expect(() => createRuntime({ sources: [], trust: trust as unknown as DecideTrust })).toThrow(expected);
  });

  it('must be declared by every source', () => {
    const { trust: _trust, ...silent } = memory('one', ['a']);
    expect(() => createRuntime({ sources: [silent as SkillSource] })).toThrow(
      expect.objectContaining({ code: 'InvalidOptions' }) as Error,
    );
  });
});

describe('a blocked skill', () => {
  const tools = JSON.stringify([{ name: 'run_it', description: 'Runs it.' }]);
  const open = (): Snapshot => {
    const text = skillText({ name: 'bad-one', description: 'Does harm.' });
    const source = createMemorySource([
      { directory: 'directory-name', files: { 'SKILL.md': text, 'tools.json': tools } },
      { directory: 'good', files: { 'SKILL.md': goodSkill('good') } },
    ]);
    return discover([source], ({ realDir }) => (realDir.endsWith('good') ? undefined : 'blocked'));
  };

  it('is neither listed nor found, and its tools are absent', () => {
    const snapshot = open();
    expect(snapshot.skills.map(({ name }) => name)).toEqual(['good']);
    expect(snapshot.find('bad-one')).toBeUndefined();
    expect(snapshot.find('directory-name')).toBeUndefined();
    expect([...snapshot.tools.keys()]).toEqual([]);
    expect(snapshot.blocked).toEqual([
      {
        name: 'bad-one',
        directoryName: 'directory-name',
        path: 'memory:/directory-name/SKILL.md',
        realDir: 'memory:/directory-name',
      },
    ]);
    expect(Object.isFrozen(snapshot.blocked)).toBe(true);
  });

  it('has a diagnostic that says how to unblock it', () => {
    const [diagnostic] = open().diagnostics;
    expect(diagnostic).toMatchObject({ code: 'skill-blocked', severity: 'info' });
    expect(diagnostic?.hint).toContain('npx skillwright trust --list');
  });

  it('is reported as blocked when it is requested by name, directory, path or tool', async () => {
    const tree = createSkillTree({
      'skills/dir/SKILL.md': goodSkill('by-name'),
      'skills/dir/tools.json': tools,
      'kit/.claude-plugin/plugin.json': '{ "name": "kit" }',
      'kit/skills/part/SKILL.md': goodSkill('part'),
    });
    const manager = new SkillManager({ cwd: tree.root, pluginDirs: ['kit'], trust: 'blocked' });
    const blocked = expect.objectContaining({ code: 'SkillBlocked' }) as SkillInvocationError;
    for (const name of ['by-name', 'by_name', 'dir', tree.path('skills/dir'), 'kit:part', 'part'])
      expect(() => manager.getSkill(name)).toThrow(blocked);
    expect(() => manager.getSkill('part', { plugin: 'kit' })).toThrow(blocked);
    await expect(manager.loadSkill('by-name')).rejects.toThrow(/is blocked and never loads/);
    await expect(manager.callTool('by-name__run_it')).rejects.toThrow(blocked);
    expect(() => manager.getSkill('other')).toThrow(expect.objectContaining({ code: 'SkillNotFound' }) as Error);
  });

  it('does not hide another skill of the same name', () => {
    const snapshot = discover([memory('one', ['same'], 'blocked'), memory('two', ['same'])]);
    expect(snapshot.find('same')?.metadata.baseDir).toBe('two:/same');
  });

  it('may have an invalid SKILL.md without any diagnostic', () => {
    const source = createMemorySource([{ directory: 'odd', files: { 'SKILL.md': Uint8Array.from([0xff, 0]) } }], {
      trust: 'blocked',
    });
    const snapshot = discover([source]);
    expect(snapshot.refused).toEqual([]);
    expect(snapshot.blocked).toMatchObject([{ name: 'odd' }]);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(['skill-blocked']);
  });
});

describe('a file that is reachable by two paths', () => {
  const files = { 'mine/deploy/SKILL.md': goodSkill('deploy'), 'theirs/': '' };

  it('is loaded by the trusted path, even if the other one is found first', () => {
    const tree = createSkillTree(files);
    tree.link('theirs/deploy', '../mine/deploy');
    const snapshot = discover([
      createDirectorySource({ path: tree.path('theirs'), trust: 'untrusted' }),
      createDirectorySource({ path: tree.path('mine') }),
    ]);
    expect(snapshot.find('deploy')?.metadata).toMatchObject({ trust: 'trusted', baseDir: tree.path('mine/deploy') });
  });

  it('does not extend its trust to a directory that only links its SKILL.md', () => {
    const tree = createSkillTree({ ...files, 'theirs/deploy/scripts/run.sh': 'echo owned\n' });
    tree.link('theirs/deploy/SKILL.md', '../../mine/deploy/SKILL.md');
    const sources = [
      createDirectorySource({ path: tree.path('theirs') }),
      createDirectorySource({ path: tree.path('mine') }),
    ];
    const decide: DecideTrust = ({ realDir }) => (realDir === tree.path('mine/deploy') ? 'trusted' : 'untrusted');
    const snapshot = discover(sources, decide);
    expect(snapshot.find('deploy')?.metadata).toMatchObject({ trust: 'trusted', baseDir: tree.path('mine/deploy') });
    expect(snapshot.shadowed).toMatchObject([{ skill: { trust: 'untrusted', baseDir: tree.path('theirs/deploy') } }]);
  });

  it('is still loaded once if both are equally trusted', () => {
    const tree = createSkillTree(files);
    tree.link('theirs/deploy', '../mine/deploy');
    const snapshot = discover(['theirs', 'mine'].map((path) => createDirectorySource({ path: tree.path(path) })));
    expect(snapshot.skills).toHaveLength(1);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(['same-skill-twice']);
  });
});

describe('the end of a discovery', () => {
  it('is reported even if the discovery was cancelled or failed', async () => {
    const events: SkillwrightEvent[] = [];
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const endless: SkillSource = {
      ...memory('endless', []),
      *scan() {
        controller.abort(reason);
        for (;;) yield { type: 'pause' };
      },
    };
    const onEvent = (event: SkillwrightEvent): void => void events.push(event);
    await expect(createRuntime({ sources: [endless], onEvent }).catalog.refresh(controller.signal)).rejects.toBe(
      reason,
    );
    const failing: SkillSource = {
      ...memory('failing', []),
      // oxlint-disable-next-line require-yield -- it fails before it finds anything
      *scan() {
        throw new TypeError('defect');
      },
    };
    expect(() => createRuntime({ sources: [failing], onEvent }).catalog.refreshSync()).toThrow('defect');
    const end = { type: 'discovery-end', skills: 0, diagnostics: [], incomplete: true };
    expect(events).toMatchObject([{ type: 'discovery-start' }, end, { type: 'discovery-start' }, end]);
  });
});
