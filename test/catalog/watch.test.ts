import { execFile } from 'node:child_process';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CatalogChange, WatchOptions } from '../../packages/skillwright/src/catalog/watch/watch-options.ts';
import {
  createMemorySource,
  SkillManager,
  type SkillManagerOptions,
  type SkillSource,
  type TrustLevel,
} from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { MODEL_PROVENANCE } from '../../packages/skillwright/src/spec/trust.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { createSkillTree, goodSkill, skillText, type SkillTree } from '../support/skill-tree.ts';

/** Changes in the order of their arrival, to be awaited one by one. */
interface Changes {
  readonly manager: SkillManager;
  /** The next matching change; earlier ones are dropped. */
  until(isWanted: (change: CatalogChange) => boolean): Promise<CatalogChange>;
  /** The number of discoveries so far. */
  discoveries(): number;
}

async function watchSkills(
  options: SkillManagerOptions,
  watchOptions: WatchOptions = { debounceMs: 20 },
): Promise<Changes> {
  let discoveries = 0;
  const manager = new SkillManager({
    ...options,
    onEvent: ({ type }) => void (discoveries += type === 'discovery-end' ? 1 : 0),
  });
  onTestFinished(() => manager.close());
  const seen: CatalogChange[] = [];
  let wake = (): void => {};
  await manager.watch(watchOptions, (change) => {
    seen.push(change);
    wake();
  });
  return {
    manager,
    discoveries: () => discoveries,
    async until(isWanted) {
      for (;;) {
        const change = seen.shift();
        if (change !== undefined && isWanted(change)) return change;
        if (change !== undefined) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}

const names = (skills: readonly { readonly name: string }[]): string[] => skills.map(({ name }) => name);
const has =
  (name: string) =>
  (change: CatalogChange): boolean =>
    change.snapshot.find(name) !== undefined;
const lacks =
  (name: string) =>
  (change: CatalogChange): boolean =>
    change.snapshot.find(name) === undefined;
const codes = ({ diagnostics }: CatalogChange): string[] => diagnostics.map(({ code }) => code);
const describes =
  (name: string, description: string) =>
  (change: CatalogChange): boolean =>
    change.snapshot.find(name)?.metadata.description === description;

function createTree(files: Record<string, string> = {}): SkillTree {
  return createSkillTree({ 'skills/a/SKILL.md': goodSkill('a', 'First.'), ...files });
}

describe('watched skills', () => {
  it('are reported when they are added, changed and removed', async () => {
    const tree = createTree();
    const { manager, until } = await watchSkills({ cwd: tree.root });
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    const came = await until(has('b'));
    expect(names(came.added)).toEqual(['b']);
    expect([came.removed, came.changed]).toEqual([[], []]);
    expect(manager.getSkill('b').name).toBe('b');

    tree.write({ 'skills/a/SKILL.md': goodSkill('a', 'Second.') });
    const { changed } = await until(describes('a', 'Second.'));
    expect(changed.map(({ before, after }) => [before.description, after.description])).toEqual([
      ['First.', 'Second.'],
    ]);

    tree.remove('skills/b');
    const went = await until(lacks('b'));
    expect(names(went.removed)).toEqual(['b']);
    expect(went.snapshot).toBe(manager.snapshot);
  });

  it('are reported and read again when only their instructions change', async () => {
    const tree = createTree();
    const { manager, until } = await watchSkills({ cwd: tree.root });
    await manager.loadSkill('a');
    tree.write({ 'skills/a/SKILL.md': `${goodSkill('a', 'First.')}More to do.\n` });
    const { changed } = await until(() => true);
    expect(changed.map(({ after }) => after.name)).toEqual(['a']);
    expect((await manager.loadSkill('a')).content).toContain('More to do.');
  });

  it('are reported when an editor saves by replacing the file', async () => {
    const tree = createTree();
    const { until } = await watchSkills({ cwd: tree.root });
    for (const description of ['Saved once.', 'Saved twice.']) {
      tree.write({ 'skills/a/.SKILL.md.new': goodSkill('a', description) });
      renameSync(tree.path('skills/a/.SKILL.md.new'), tree.path('skills/a/SKILL.md'));
      expect((await until(describes('a', description))).changed).toHaveLength(1);
    }
  });

  it('are reported when their tools change', async () => {
    const tree = createTree();
    const { until } = await watchSkills({ cwd: tree.root });
    tree.write({ 'skills/a/tools.json': '[{ "name": "say", "description": "Says it." }]' });
    const { changed } = await until(() => true);
    expect(changed[0]?.after.tools.map(({ name }) => name)).toEqual(['say']);
  });

  it('may lie in directories that are created later or moved', async () => {
    const tree = createTree();
    const { until } = await watchSkills({ cwd: tree.root });
    tree.write({ 'skills/group/': '' });
    tree.write({ 'skills/group/deep/er/SKILL.md': goodSkill('er') });
    await until(has('er'));
    renameSync(tree.path('skills/group'), tree.path('skills/other'));
    await until(has('other:deep:er'));
    tree.write({ 'skills/other/deep/er/SKILL.md': goodSkill('er', 'Moved.') });
    expect(names((await until(describes('er', 'Moved.'))).snapshot.skills)).toEqual(['a', 'er']);
  });

  it('may lie in a directory that does not exist yet, or is deleted and returns', async () => {
    const tree = createSkillTree();
    const options = { projectSkillDir: tree.path('some/where/skills') };
    const { until } = await watchSkills(options);
    for (const round of ['One.', 'Two.']) {
      tree.write({ 'some/where/skills/a/SKILL.md': goodSkill('a', round) });
      await until(describes('a', round));
      tree.write({ 'some/where/skills/a/SKILL.md': goodSkill('a', `${round} Edited.`) });
      await until(describes('a', `${round} Edited.`));
      tree.remove('some/where/skills');
      expect(codes(await until(lacks('a')))).toEqual(['root-missing']);
    }
  });

  it('are watched in the new directory if a directory is replaced by another', async () => {
    const tree = createTree({ 'next/SKILL.md': goodSkill('a', 'The other.') });
    const { until } = await watchSkills({ cwd: tree.root });
    renameSync(tree.path('skills/a'), tree.path('old'));
    renameSync(tree.path('next'), tree.path('skills/a'));
    await until(describes('a', 'The other.'));
    tree.write({ 'skills/a/SKILL.md': goodSkill('a', 'Edited there.') });
    expect((await until(describes('a', 'Edited there.'))).changed).toHaveLength(1);
  });

  it('are watched at the targets of links to them', async () => {
    const tree = createTree({ 'elsewhere/b/SKILL.md': goodSkill('b'), 'elsewhere/file.md': goodSkill('c') });
    tree.link('skills/b', '../elsewhere/b');
    tree.link('skills/c/SKILL.md', '../../elsewhere/file.md');
    tree.link('skills/d', '../elsewhere/not-yet/d');
    const { until } = await watchSkills({ cwd: tree.root, followOutside: true });
    tree.write({ 'elsewhere/b/SKILL.md': goodSkill('b', 'Edited there.') });
    await until(describes('b', 'Edited there.'));
    tree.write({ 'elsewhere/file.md': goodSkill('c', 'Edited there.') });
    await until(describes('c', 'Edited there.'));
    tree.write({ 'elsewhere/not-yet/d/SKILL.md': goodSkill('d') });
    await until(has('d'));
    tree.remove('elsewhere/b');
    await until(lacks('b'));
    tree.write({ 'elsewhere/b/SKILL.md': goodSkill('b', 'Came again.') });
    await until(describes('b', 'Came again.'));
    tree.remove('skills/b');
    symlinkSync('../elsewhere/not-yet/d', tree.path('skills/b'));
    const { removed } = await until(({ snapshot }) => !names(snapshot.skills).includes('b'));
    expect(names(removed)).toEqual(['b']);
  });

  it('change when the manifests of their plugins change', async () => {
    const tree = createSkillTree({ 'plugins/kit/skills/a/SKILL.md': goodSkill('a') });
    const { until } = await watchSkills({ projectSkillDir: null, pluginDirs: [tree.path('plugins')] });
    tree.write({ 'plugins/kit/.claude-plugin/plugin.json': '{ "name": "kit" }' });
    await until(has('kit:a'));
    tree.write({ 'plugins/kit/.claude-plugin/plugin.json': '{ "name": "tools", "skills": ["./more"] }' });
    await until(has('tools:a'));
    tree.write({ 'plugins/kit/more/b/SKILL.md': goodSkill('b') });
    expect(names((await until(has('tools:b'))).added)).toEqual(['tools:b']);
  });

  it('are read a few times, not a thousand times, when a thousand change at once', async () => {
    const tree = createTree();
    const { until, discoveries } = await watchSkills({ cwd: tree.root }, { debounceMs: 50 });
    for (let index = 0; index < 1_000; index += 1)
      tree.write({ [`skills/s${index}/SKILL.md`]: goodSkill(`s${index}`) });
    const { snapshot } = await until((change) => change.snapshot.skills.length === 1_001);
    expect(snapshot.skills).toHaveLength(1_001);
    expect(discoveries()).toBeLessThan(12);
  });

  it('are not read again when other files change', async () => {
    const tree = createTree();
    const { until, discoveries } = await watchSkills({ cwd: tree.root });
    for (let index = 0; index < 20; index += 1) tree.write({ [`skills/a/notes-${index}.md`]: 'Nothing.' });
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    await until(has('b'));
    expect(discoveries()).toBeLessThanOrEqual(3);
  });

  it('are found by polling where the system sends no events', async () => {
    let skills = ['a'];
    const silent: SkillSource = {
      ...createMemorySource([]),
      scan: (context) =>
        createMemorySource(skills.map((name) => ({ directory: name, files: { 'SKILL.md': goodSkill(name) } }))).scan(
          context,
        ),
    };
    const { catalog } = createRuntime({ sources: [silent] });
    onTestFinished(() => catalog.close());
    const told = Promise.withResolvers<CatalogChange>();
    await catalog.watch({ pollMs: 10 }, told.resolve);
    skills = ['a', 'b'];
    expect(names((await told.promise).added)).toEqual(['b']);
  });
});

describe('an edit that breaks a skill', () => {
  it('leaves the skill unchanged, with a diagnostic, until it is corrected', async () => {
    const tree = createTree();
    const { manager, until } = await watchSkills({ cwd: tree.root, strict: true });
    const before = await manager.loadSkill('a');
    tree.write({ 'skills/a/SKILL.md': '' });
    const broken = await until((change) => codes(change).includes('skill-kept'));
    expect(codes(broken)).toEqual(['file-empty', 'skill-kept']);
    expect([broken.added, broken.removed, broken.changed]).toEqual([[], [], []]);
    expect(manager.getSkill('a')).toEqual(before.metadata);
    expect(await manager.loadSkill('a')).toEqual(before);
    expect(manager.snapshot.digest()).toBeUndefined();

    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    expect(codes(await until(has('b')))).toContain('skill-kept');

    tree.write({ 'skills/a/SKILL.md': goodSkill('a', 'Corrected.') });
    const corrected = await until(describes('a', 'Corrected.'));
    expect(codes(corrected)).not.toContain('skill-kept');
    expect(corrected.changed).toHaveLength(1);
  });

  it.each([
    ['an open quote', '---\nname: a\ndescription: "Half of\n---\nDo it.\n'],
    ['an open bracket', '---\nname: a\ndescription: [half\n---\nDo it.\n'],
    ['no description yet', '---\nname: a\ndescription:\n---\nDo it.\n'],
    ['no end of the frontmatter', '---\nname: a\ndescription: Half of it\n\nDo it.\n'],
  ])('leaves the skill unchanged if the file is half written, with %s', async (_, text) => {
    const tree = createTree();
    const { manager, until } = await watchSkills({ cwd: tree.root });
    const before = manager.getSkill('a');
    tree.write({ 'skills/a/SKILL.md': text });
    const broken = await until((change) => codes(change).includes('skill-kept'));
    expect(broken.changed).toEqual([]);
    expect(manager.getSkill('a')).toEqual(before);

    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    expect(codes(await until(has('b')))).toContain('skill-kept');
    expect(manager.getSkill('a')).toEqual(before);

    tree.write({ 'skills/a/SKILL.md': goodSkill('a', 'Whole again.') });
    expect(codes(await until(describes('a', 'Whole again.')))).not.toContain('skill-kept');
  });

  it('is applied if the skill already had the same flaw before', async () => {
    const tree = createTree({ 'skills/c/SKILL.md': '---\nname: c\n---\nThe first paragraph.\n' });
    const { until } = await watchSkills({ cwd: tree.root });
    tree.write({ 'skills/c/SKILL.md': '---\nname: c\n---\nAnother paragraph.\n' });
    expect(codes(await until(describes('c', 'Another paragraph.')))).not.toContain('skill-kept');
  });

  it("leaves the skill's tools unchanged", async () => {
    const tree = createTree({ 'skills/a/tools.json': '[{ "name": "say", "description": "Says it." }]' });
    const { manager, until } = await watchSkills({ cwd: tree.root });
    tree.write({ 'skills/a/tools.json': '[{ "name": ' });
    expect(codes(await until(() => true))).toEqual(['tools-invalid', 'skill-kept']);
    expect(names(manager.getSkill('a').tools)).toEqual(['say']);
    tree.remove('skills/a/tools.json');
    await until(({ snapshot }) => snapshot.find('a')?.metadata.tools.length === 0);
  });

  it('does not keep trust that was removed', async () => {
    const tree = createTree();
    let level: TrustLevel = 'trusted';
    const { manager, until } = await watchSkills({ cwd: tree.root, trust: () => level });
    level = 'untrusted';
    tree.write({ 'skills/a/SKILL.md': '' });
    await until((change) => codes(change).includes('skill-kept'));
    expect(manager.getSkill('a').trust).toBe('untrusted');
    level = 'blocked';
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    const { snapshot } = await until(({ snapshot: { blocked } }) => blocked.length === 2);
    expect(snapshot.skills).toEqual([]);
  });

  it("does not make a model's text trusted", async () => {
    const made = skillText({
      name: 'made',
      description: 'Made.',
      metadata: `{ ${MODEL_PROVENANCE.key}: ${MODEL_PROVENANCE.value} }`,
    });
    const tree = createTree({ 'skills/made/SKILL.md': made });
    const { manager, until } = await watchSkills({ cwd: tree.root });
    expect(manager.getSkill('made').trust).toBe('untrusted');
    tree.write({ 'skills/made/SKILL.md': '' });
    await until((change) => codes(change).includes('skill-kept'));
    expect(manager.getSkill('made').trust).toBe('untrusted');
  });

  it('makes discovery refuse the skill if there is no watch', () => {
    const tree = createTree();
    const manager = new SkillManager({ cwd: tree.root });
    manager.discoverSync();
    tree.write({ 'skills/a/SKILL.md': '' });
    manager.discoverSync();
    expect(manager.snapshot.refused).toHaveLength(1);
  });
});

describe('a watch', () => {
  it('ends when it is closed or its signal is aborted, while other watches continue', async () => {
    const tree = createTree();
    const { manager, until } = await watchSkills({ cwd: tree.root });
    const told: string[] = [];
    const abort = new AbortController();
    const first = await manager.watch({ debounceMs: 10 }, () => told.push('first'));
    await manager.watch({ debounceMs: 10, signal: abort.signal }, () => told.push('second'));
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    await until(has('b'));
    expect(new Set(told)).toEqual(new Set(['first', 'second']));
    first.close();
    first.close();
    abort.abort();
    told.length = 0;
    tree.write({ 'skills/c/SKILL.md': goodSkill('c') });
    await until(has('c'));
    expect(told).toEqual([]);
  });

  it('ends with its manager, and leaves no watcher or timer', async () => {
    const tree = createTree();
    const manager = new SkillManager({ cwd: tree.root });
    const before = process.getActiveResourcesInfo().length;
    const told: unknown[] = [];
    await manager.watch({}, (change) => told.push(change));
    await manager.close();
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    manager.discoverSync();
    expect(told).toEqual([]);
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
  });

  it('continues when a listener throws, and logs the error', async () => {
    const tree = createTree();
    const { logger, lines } = createRecordingLogger();
    const { manager, until } = await watchSkills({ cwd: tree.root, logger });
    await manager.watch({}, () => {
      throw new TypeError('a defect');
    });
    await manager.watch({}, () => Promise.reject(new TypeError('another')));
    for (const name of ['b', 'c']) {
      tree.write({ [`skills/${name}/SKILL.md`]: goodSkill(name) });
      await until(has(name));
    }
    expect(lines('warn').filter((line) => line.includes('listener')).length).toBeGreaterThanOrEqual(3);
  });

  it('logs a finding once, not at every poll', async () => {
    const tree = createTree({ 'skills/odd/SKILL.md': '# Odd\n\nNo frontmatter.\n' });
    const { logger, records } = createRecordingLogger();
    const { until } = await watchSkills({ cwd: tree.root, logger });
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    await until(has('b'));
    expect(records.filter(({ data }) => data['code'] === 'frontmatter-missing')).toHaveLength(1);
  });

  it('rejects invalid options', async () => {
    const manager = new SkillManager({ projectSkillDir: null });
    const invalid = (option: string): unknown => expect.objectContaining({ code: 'InvalidOptions', data: { option } });
    const listener = (): void => {};
    await expect(manager.watch({ debounceMs: -1 }, listener)).rejects.toEqual(invalid('debounceMs'));
    await expect(manager.watch({ debounceMs: Infinity }, listener)).rejects.toEqual(invalid('debounceMs'));
    await expect(manager.watch({ pollMs: 0 }, listener)).rejects.toEqual(invalid('pollMs'));
    await expect(manager.watch({ signal: {} as never }, listener)).rejects.toEqual(invalid('signal'));
    await expect(manager.watch({}, 'x' as never)).rejects.toEqual(invalid('listener'));
    const reason = new Error('too late');
    await expect(manager.watch({ signal: AbortSignal.abort(reason) }, listener)).rejects.toBe(reason);
  });

  it('reports why it cannot start, and can be started again', async () => {
    let isBroken = true;
    const source: SkillSource = {
      ...createMemorySource([]),
      *scan(context) {
        if (isBroken) throw new TypeError('defect');
        yield* createMemorySource([]).scan(context);
      },
    };
    const { catalog } = createRuntime({ sources: [source] });
    await expect(catalog.watch({}, () => {})).rejects.toMatchObject({ code: 'DiscoveryFailed' });
    isBroken = false;
    using watch = await catalog.watch({}, () => {});
    expect(watch.diagnostics).toEqual([]);
  });

  it('does not keep a process alive', async () => {
    const tree = createTree();
    const program = tree.path('program.mts');
    const library = new URL('../../packages/skillwright/src/index.ts', import.meta.url).href;
    writeFileSync(
      program,
      `import { SkillManager } from ${JSON.stringify(library)};
       await new SkillManager({ cwd: ${JSON.stringify(tree.root)} }).watch({ pollMs: 60_000 }, () => {});
       console.log('watching');`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout.trim()).toBe('watching');
  });

  it('writes the index cache once, when it starts', async () => {
    const tree = createTree();
    const indexCache = join(tree.root, 'skills.idx');
    const { until } = await watchSkills({ cwd: tree.root, indexCache });
    tree.write({ 'skills/b/SKILL.md': goodSkill('b') });
    await until(has('b'));
    expect(new SkillManager({ cwd: tree.root, indexCache }).listSkills()).toHaveLength(2);
  });
});
