import { existsSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIndexCache } from '../../../packages/skillwright/src/catalog/index-cache/index-cache.ts';
import type { Ranker } from '../../../packages/skillwright/src/index.ts';
import { createRuntime, type Runtime } from '../../../packages/skillwright/src/host.ts';
import { joinSections, splitSections } from '../../../packages/skillwright/src/select/ranking/index/image-sections.ts';
import { createDirectorySource } from '../../../packages/skillwright/src/sources/directory/directory-source.ts';
import { driveSync } from '../../../packages/skillwright/src/sources/directory/drive.ts';
import { silentLogger, type Logger } from '../../../packages/skillwright/src/spec/events/logger.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { settleFiles } from '../../support/settled-clock.ts';
import { createSkillTree, skillText, type SkillTree } from '../../support/skill-tree.ts';

const COUNT = 60;
const TASKS = [
  'tune the cello',
  'mind the xylophone',
  'number7 of the orchestra',
  'bow and rosin',
  'paint a fence',
  '小提琴',
];

const instrument = (at: number, body = `Mind the strings of ${at} and the rosin.`): string =>
  skillText(
    { name: `skill-${at}`, description: `Tunes cello number${at} of the orchestra.`, tags: '[bow, 小提琴]' },
    body,
  );

function createTree(): SkillTree {
  settleFiles();
  const files = Array.from({ length: COUNT }, (_, at) => [
    `skills/skill-${at}/SKILL.md`,
    at === 7 ? instrument(at, 'Mind the xylophone.') : instrument(at),
  ]);
  return createSkillTree(Object.fromEntries(files) as Record<string, string>);
}

function open(tree: SkillTree, indexCache: string | false = tree.path('cache.idx'), logger = silentLogger): Runtime {
  const runtime = createRuntime({
    sources: [createDirectorySource({ path: tree.path('skills') })],
    indexCache,
    logger,
  });
  onTestFinished(() => runtime.ranking.close());
  return runtime;
}

/** The ranker of another process, once everything is indexed and saved. */
async function index(tree: SkillTree, indexCache?: string | false, logger?: Logger): Promise<Ranker> {
  const { catalog, ranking } = open(tree, indexCache, logger);
  const snapshot = await catalog.refresh();
  await ranking.ready(snapshot);
  return ranking.for(snapshot);
}

/** The state before anything can be indexed in the background. */
function bodiesAtOnce(tree: SkillTree): number {
  const { catalog, ranking } = open(tree);
  return ranking.for(catalog.refreshSync()).bodiesIndexed;
}

const answers = (ranker: Ranker): unknown => TASKS.map((task) => ranker.rank(task, { limit: COUNT, threshold: 0 }));

const FILE = 'cache.idx.ranking';

describe('a built index', () => {
  it('is saved for the next process, which returns the same without indexing again', async () => {
    const tree = createTree();
    const first = await index(tree);
    expect(first.bodiesIndexed).toBe(COUNT);
    expect(bodiesAtOnce(tree)).toBe(COUNT);
    const fresh = answers(await index(tree, false));
    expect(answers(first)).toEqual(fresh);
    expect(answers(await index(tree))).toEqual(fresh);
    expect(readdirSync(tree.root).toSorted()).toEqual(['cache.idx', FILE, 'skills']);
  });

  it('is readable by its owner only, and not written again when nothing is new', async () => {
    const tree = createTree();
    await index(tree);
    const { mode, ino } = statSync(tree.path(FILE));
    expect(mode & 0o077).toBe(0);
    await index(tree);
    expect(statSync(tree.path(FILE)).ino).toBe(ino);
  });

  it('is updated where skills were added, changed and removed', async () => {
    const tree = createTree();
    await index(tree);
    tree.remove('skills/skill-3');
    tree.write({
      'skills/skill-7/SKILL.md': instrument(7, 'Mind the glockenspiel.'),
      'skills/skill-8/SKILL.md': skillText({ name: 'skill-8', description: 'Paints a fence.' }),
      'skills/skill-99/SKILL.md': instrument(99, 'Mind the xylophone.'),
    });
    expect(bodiesAtOnce(tree)).toBe(COUNT - 2);
    const gone = await index(tree);
    expect([gone.size, gone.bodiesIndexed]).toEqual([COUNT, COUNT]);
    expect(answers(gone)).toEqual(answers(await index(tree, false)));
    expect(gone.rank('mind the xylophone', { threshold: 0 })[0]?.id).toBe('skill-99');
    expect(bodiesAtOnce(tree)).toBe(COUNT);
  });

  it('is not written again for one change among very many', async () => {
    const tree = createTree();
    await index(tree);
    const { ino } = statSync(tree.path(FILE));
    tree.write({ 'skills/skill-7/SKILL.md': instrument(7, 'Mind the glockenspiel.') });
    expect((await index(tree)).rank('glockenspiel', { threshold: 0 })[0]?.id).toBe('skill-7');
    expect(statSync(tree.path(FILE)).ino).toBe(ino);
  });

  it('gives the same result after files were touched but not changed', async () => {
    const tree = createTree();
    await index(tree);
    for (let at = 0; at < COUNT; at += 1) utimesSync(tree.path(`skills/skill-${at}/SKILL.md`), 1_000, 1_000);
    expect(answers(await index(tree))).toEqual(answers(await index(tree, false)));
  });

  it('does not affect the additive ranker', async () => {
    const tree = createTree();
    const source = createDirectorySource({ path: tree.path('skills') });
    const { catalog, ranking } = createRuntime({
      sources: [source],
      indexCache: tree.path('cache.idx'),
      ranker: 'additive',
    });
    const snapshot = await catalog.refresh();
    await ranking.ready(snapshot);
    expect(ranking.for(snapshot).size).toBe(COUNT);
    expect(existsSync(tree.path(FILE))).toBe(false);
  });
});

describe('a saved index that is unusable', () => {
  const changeByte = (at: (size: number) => number) => (path: string) => {
    const bytes = readFileSync(path);
    const place = at(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
  };

  it.each<[string, (path: string) => void]>([
    ['empty', (path) => truncateSync(path, 0)],
    ['cut off in its first line', (path) => truncateSync(path, 40)],
    ['cut off in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['cut off at its end', (path) => truncateSync(path, statSync(path).size - 1)],
    ['wrong in a byte of its first line', changeByte(() => 30)],
    ['wrong in a byte of its middle', changeByte((size) => Math.floor(size / 2))],
    ['wrong in its last byte', changeByte((size) => size - 1)],
    ['of another version', (path) => writeFileSync(path, 'skillwright-index 99 [["ranking","k",0,0]]\n')],
    ['larger than an index can be', (path) => truncateSync(path, 2 ** 31)],
  ])('is rebuilt because it is %s', async (_, spoil) => {
    const tree = createTree();
    const fresh = answers(await index(tree));
    spoil(tree.path(FILE));
    expect(bodiesAtOnce(tree)).toBe(0);
    expect(answers(await index(tree))).toEqual(fresh);
    expect(bodiesAtOnce(tree)).toBe(COUNT);
  });

  it('is rebuilt because it has another key', async () => {
    const tree = createTree();
    await index(tree);
    const { catalog, ranking } = createRuntime({
      sources: [createDirectorySource({ path: tree.path('skills') })],
      indexCache: tree.path('cache.idx'),
      limits: { maxSkillBytes: 5_000 },
    });
    expect(ranking.for(catalog.refreshSync()).bodiesIndexed).toBe(0);
    ranking.close();
  });

  it('with forged numbers never throws, hangs or omits a skill', async () => {
    const tree = createTree();
    await index(tree);
    const cache = createIndexCache(tree.path('cache.idx'), silentLogger);
    const header = readFileSync(tree.path(FILE), 'utf8').split('\n', 1)[0] ?? '';
    const [[, key = ''] = []] = JSON.parse(header.slice('skillwright-index 1 '.length)) as string[][];
    const bytes = driveSync(cache.readLarge('ranking', key));
    const sections = splitSections(bytes ?? new Uint8Array());
    expect(sections).toHaveLength(14);
    for (const [which, section] of (sections ?? []).entries()) {
      for (const forged of [
        section.map(() => 0xff),
        section.map(() => 0),
        section.subarray(0, 8),
        new Uint8Array(section).reverse(),
      ]) {
        const parts = (sections ?? []).with(which, forged);
        expect(driveSync(cache.writeLarge('ranking', key, joinSections(parts)))).toBe(true);
        const { catalog, ranking } = open(tree);
        const ranker = ranking.for(catalog.refreshSync());
        expect(ranker.size).toBe(COUNT);
        for (const task of TASKS) ranker.rank(task, { limit: COUNT, threshold: 0 });
        ranking.close();
      }
    }
  });
});

describe('the file beside an index cache', () => {
  it('is left unchanged if it is not ours, which is reported once', async () => {
    const tree = createTree();
    tree.write({ [FILE]: 'my own notes' });
    const log = createRecordingLogger();
    const ranker = await index(tree, tree.path('cache.idx'), log.logger);
    expect(ranker.bodiesIndexed).toBe(COUNT);
    expect(readFileSync(tree.path(FILE), 'utf8')).toBe('my own notes');
    expect(log.lines('warn')).toEqual([expect.stringContaining('the existing file is not an index cache')]);
  });

  it('may be a directory', async () => {
    const tree = createTree();
    tree.write({ [`${FILE}/inner`]: 'x' });
    expect((await index(tree)).bodiesIndexed).toBe(COUNT);
    expect(readdirSync(tree.path(FILE))).toEqual(['inner']);
  });

  it('loses the leftovers of a killed writer, and nothing else', async () => {
    const tree = createTree();
    const uuid = '01234567-89ab-cdef-0123-456789abcdef';
    const other = '11234567-89ab-cdef-0123-456789abcdef';
    const started = 'skillwright-index 1 [["ran';
    tree.write({
      [`cache.idx.${uuid}.tmp`]: started,
      [`${FILE}.${uuid}.tmp`]: started,
      [`${FILE}.${other}.tmp`]: 'not an index',
      [`${FILE}.mine.tmp`]: started,
      [`other.idx.${uuid}.tmp`]: started,
    });
    for (const name of readdirSync(tree.root)) utimesSync(tree.path(name), 1_000, 1_000);
    tree.write({ [`cache.idx.${other}.tmp`]: started });
    utimesSync(tree.path(`cache.idx.${other}.tmp`), new Date(), new Date());
    await index(tree);
    expect(readdirSync(tree.root).toSorted()).toEqual(
      [
        'cache.idx',
        `cache.idx.${other}.tmp`,
        FILE,
        `${FILE}.${other}.tmp`,
        `${FILE}.mine.tmp`,
        `other.idx.${uuid}.tmp`,
        'skills',
      ].toSorted(),
    );
  });

  it('is never half written after a close in the middle of writing', async () => {
    const tree = createTree();
    const { catalog, ranking } = open(tree);
    const snapshot = await catalog.refresh();
    const ready = ranking.ready(snapshot);
    ranking.close();
    await ready;
    expect(readdirSync(tree.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
