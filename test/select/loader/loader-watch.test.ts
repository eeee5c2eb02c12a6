import { rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createMemorySource,
  SkillLoader,
  type CatalogChange,
  type ChangeListener,
  type SkillLoaderOptions,
  type SkillMetadata,
  type WatchOptions,
} from '../../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../../packages/skillwright/src/host.ts';
import { createDirectorySource } from '../../../packages/skillwright/src/sources/directory/directory-source.ts';
import { proves } from '../../proves.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { createSkillTree, goodSkill, skillText, type SkillTree } from '../../support/skill-tree.ts';

const QUICK: WatchOptions = { debounceMs: 20 };

/** Changes in the order of their arrival. */
interface Told {
  readonly listener: ChangeListener;
  readonly changes: readonly CatalogChange[];
  /** Resolves with the first matching change that was not returned before. */
  until(isWanted: (change: CatalogChange) => boolean): Promise<CatalogChange>;
}

function createTold(): Told {
  const changes: CatalogChange[] = [];
  let next = 0;
  let wake = (): void => {};
  return {
    changes,
    listener(change) {
      changes.push(change);
      wake();
    },
    async until(isWanted) {
      for (;;) {
        const change = changes[next];
        next += change === undefined ? 0 : 1;
        if (change !== undefined && isWanted(change)) return change;
        if (change !== undefined) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}

async function watchSkills(tree: SkillTree, options: SkillLoaderOptions = {}): Promise<{ loader: SkillLoader } & Told> {
  const loader = new SkillLoader({ skillsDir: tree.path('skills'), ...options });
  onTestFinished(() => loader.close());
  const told = createTold();
  await loader.watch(QUICK, told.listener);
  return { loader, ...told };
}

/** Opens a catalog that the loader does not own. */
function openCatalog(tree: SkillTree): NonNullable<SkillLoaderOptions['catalog']> {
  const source = createDirectorySource({ path: tree.path('skills') });
  const { catalog } = createRuntime({ sources: [source] });
  onTestFinished(() => catalog.close());
  return catalog;
}

const names = (skills: readonly SkillMetadata[]): string[] => skills.map(({ name }) => name);
const mentions =
  (name: string) =>
  ({ added, removed, changed }: CatalogChange): boolean =>
    [...added, ...removed, ...changed.map(({ after }) => after)].some((skill) => skill.name === name);
const isKept = ({ diagnostics }: CatalogChange): boolean => diagnostics.some(({ code }) => code === 'skill-kept');

function waiting(name: string, trigger: string): string {
  return skillText({ name, description: `Helps with ${name}.`, triggers: `[${trigger}]` });
}

describe('a loader that watches', () => {
  it('finds skills by added triggers, and no longer by removed ones', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': waiting('one', 'deploy_failed') });
    const { loader, until } = await watchSkills(tree);
    expect(names(await loader.findSkills('deploy_failed'))).toEqual(['one']);

    tree.write({ 'skills/two/SKILL.md': waiting('two', 'deploy_failed') });
    expect(names((await until(mentions('two'))).added)).toEqual(['two']);
    expect(names(await loader.findSkills('deploy_failed'))).toEqual(['one', 'two']);
    expect(names(loader.getAllSkillMetadata())).toEqual(['one', 'two']);

    tree.write({ 'skills/one/SKILL.md': waiting('one', 'turn_start') });
    const { changed } = await until(mentions('one'));
    expect(changed.map(({ before, after }) => [before.triggers, after.triggers])).toEqual([
      [['deploy_failed'], ['turn_start']],
    ]);
    expect(loader.getTriggers()).toEqual(['deploy_failed', 'turn_start']);
    expect(names(await loader.findSkills('deploy_failed'))).toEqual(['two']);

    rmSync(tree.path('skills/two'), { recursive: true });
    expect(names((await until(mentions('two'))).removed)).toEqual(['two']);
    expect(await loader.findSkills('deploy_failed')).toEqual([]);
  });

  it('ranks tasks over the current skills', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const { loader, until } = await watchSkills(tree);
    const task = { taskDescription: 'resize photographs for the web' };
    expect(await loader.findSkills('task_match', task)).toEqual([]);
    tree.write({ 'skills/photos/SKILL.md': goodSkill('photos', 'Resizes photographs for the web.') });
    await until(mentions('photos'));
    expect(names(await loader.findSkills('task_match', task))).toEqual(['photos']);
  });

  it('reads instructions again after they changed, and never before', async () => {
    proves('S3.loader.cache-clear');
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const { loader, until } = await watchSkills(tree);
    const [first] = await loader.preloadSkills(['one']);
    expect(await loader.loadSkill('one')).toBe(first);
    tree.write({ 'skills/one/SKILL.md': goodSkill('one').replace('Do as asked.', 'Do otherwise.') });
    await until(mentions('one'));
    expect((await loader.loadSkill('one')).body).toContain('Do otherwise.');
  });

  it('keeps the last valid version of a broken skill, with a diagnostic, until it is corrected', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': waiting('one', 'turn_start') });
    const { loader, until } = await watchSkills(tree);
    const { body } = await loader.loadSkill('one');
    tree.write({ 'skills/one/SKILL.md': '---\nname: [\n' });
    const broken = await until(isKept);
    expect(broken).toMatchObject({ added: [], removed: [], changed: [] });
    expect(broken.diagnostics.filter(({ severity }) => severity === 'error')).not.toEqual([]);
    expect(names(await loader.findSkills('turn_start'))).toEqual(['one']);
    expect((await loader.loadSkill('one')).body).toBe(body);

    tree.write({ 'skills/one/SKILL.md': waiting('one', 'deploy_failed') });
    await until((change) => !isKept(change));
    expect(loader.getTriggers()).toEqual(['deploy_failed']);
  });

  it('combines a thousand simultaneous changes into a few', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const { loader, changes, until } = await watchSkills(tree);
    const many = Array.from({ length: 1_000 }, (_, index) => `skill-${index}`);
    tree.write(Object.fromEntries(many.map((name) => [`skills/${name}/SKILL.md`, goodSkill(name)])));
    await until(({ snapshot }) => snapshot.skills.length === 1_001);
    expect(loader.getAllSkillMetadata()).toHaveLength(1_001);
    expect(changes.length).toBeLessThan(20);
    expect(changes.flatMap(({ added }) => names(added)).toSorted()).toEqual(many.toSorted());
  });

  it('requires neither options nor a listener', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const loader = new SkillLoader(tree.path('skills'));
    const watch = await loader.watch();
    expect(watch.diagnostics).toEqual([]);
    expect(names(loader.getAllSkillMetadata())).toEqual(['one']);
    watch.close();
  });
});

describe('a loader that watches a subset of the skills', () => {
  it('reports changes of its own skills only', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const catalog = openCatalog(tree);
    const loader = new SkillLoader({ catalog, exclude: ['other-*'] });
    const own = createTold();
    await loader.watch(QUICK, own.listener);
    const all = createTold();
    await catalog.watch(QUICK, all.listener);

    tree.write({ 'skills/other-skill/SKILL.md': goodSkill('other-skill') });
    await all.until(mentions('other-skill'));
    expect(own.changes).toEqual([]);

    tree.write({ 'skills/two/SKILL.md': goodSkill('two') });
    expect(names((await own.until(mentions('two'))).added)).toEqual(['two']);
    expect(names(loader.getAllSkillMetadata())).toEqual(['one', 'two']);
  });

  it('reports findings about other skills too', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const { until } = await watchSkills(tree, { include: ['one'] });
    tree.write({ 'skills/broken/SKILL.md': '---\nname: [\n' });
    const change = await until(({ diagnostics }) => diagnostics.length > 0);
    expect(change).toMatchObject({ added: [], removed: [], changed: [] });
  });

  it('does not start with an unknown name, and then leaves nothing behind', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const before = process.getActiveResourcesInfo().length;
    const loader = new SkillLoader({ skillsDir: tree.path('skills'), include: ['onne'] });
    await expect(loader.watch()).rejects.toMatchObject({ code: 'InvalidOptions', data: { suggestion: 'one' } });
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
  });

  it('continues when a chosen skill is deleted', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one'), 'skills/two/SKILL.md': goodSkill('two') });
    const log = createRecordingLogger();
    const { loader, until } = await watchSkills(tree, { include: ['one', 'two'], logger: log.logger });
    rmSync(tree.path('skills/two'), { recursive: true });
    expect(names((await until(mentions('two'))).removed)).toEqual(['two']);
    expect(names(loader.getAllSkillMetadata())).toEqual(['one']);
    expect(log.lines('warn').join()).toContain('no longer exist');
  });
});

describe('a watch of a loader', () => {
  it('ends when it or its loader is closed or its signal is aborted, while other watches continue', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const catalog = openCatalog(tree);
    const loader = new SkillLoader({ catalog });
    const abort = new AbortController();
    const [closed, aborted, ended, other] = [createTold(), createTold(), createTold(), createTold()];
    const watch = await loader.watch(QUICK, closed.listener);
    await loader.watch({ ...QUICK, signal: abort.signal }, aborted.listener);
    await loader.watch(QUICK, ended.listener);
    await catalog.watch(QUICK, other.listener);
    watch.close();
    abort.abort();
    tree.write({ 'skills/two/SKILL.md': goodSkill('two') });
    await other.until(mentions('two'));
    expect([closed.changes.length, aborted.changes.length]).toEqual([0, 0]);
    expect(ended.changes.length).toBeGreaterThan(0);

    loader[Symbol.dispose]();
    const told = ended.changes.length;
    tree.write({ 'skills/three/SKILL.md': goodSkill('three') });
    await other.until(mentions('three'));
    expect(ended.changes).toHaveLength(told);
    expect(names(loader.getAllSkillMetadata())).toContain('three');
  });

  it('leaves no watcher, timer or listener behind, and can start again', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const loader = new SkillLoader(tree.path('skills'));
    await loader.indexSkills();
    const before = process.getActiveResourcesInfo().length;
    for (let round = 0; round < 20; round += 1) {
      await loader.watch(QUICK);
      loader.close();
    }
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
  });

  it('never starts if its loader was closed before', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const loader = new SkillLoader(tree.path('skills'));
    const before = process.getActiveResourcesInfo().length;
    const watching = loader.watch();
    loader.close();
    await expect(watching).rejects.toMatchObject({ name: 'AbortError' });
    await expect(loader.watch({ signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
  });

  it.each<[string, WatchOptions, ChangeListener]>([
    ['debounceMs', { debounceMs: -1 }, () => {}],
    ['pollMs', { pollMs: 0 }, () => {}],
    ['signal', { signal: {} as AbortSignal }, () => {}],
    ['listener', {}, 'tell me' as unknown as ChangeListener],
  ])('is rejected with an invalid %s', async (option, options, listener) => {
    const loader = new SkillLoader({ catalog: createRuntime({ sources: [createMemorySource([])] }).catalog });
    await expect(loader.watch(options, listener)).rejects.toMatchObject({ code: 'InvalidOptions', data: { option } });
  });
});
