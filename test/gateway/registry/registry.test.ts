import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../../packages/gateway/src/registry/create-registry.ts';
import type { NewSkill, Registry } from '../../../packages/gateway/src/registry/registered-skill.ts';
import type { Store } from '../../../packages/gateway/src/store/open-store.ts';
import { proves } from '../../proves.ts';
import { makeDataDirectory, openTestStore } from '../store/data-directory.ts';
import { handlerRow } from './handler-row.ts';

const PAGE = { page: 1, limit: 50 };

async function openRegistry(
  options: { readonly store?: Store; readonly now?: () => number } = {},
): Promise<{ store: Store; registry: Registry; reads: () => number }> {
  const store = options.store ?? (await openTestStore());
  let reads = 0;
  const skills = {
    ...store.skills,
    readAll: () => {
      reads += 1;
      return store.skills.readAll();
    },
  };
  const onError = (error: unknown): void => expect.unreachable(String(error));
  const registry = await createRegistry({ store: { ...store, skills }, now: options.now ?? Date.now, onError });
  return { store, registry, reads: () => reads };
}

describe('the registry', () => {
  it('stores skills by name and version, and fills in defaults', async () => {
    proves('S4.registry.key');
    const { registry } = await openRegistry();
    const first = await registry.register(handlerRow());
    const second = await registry.register(handlerRow({ version: '2.0.0', mode: 'on' }));
    expect(first).toMatchObject({
      mode: 'auto',
      enabled: true,
      policy: 'auto',
      installCount: 0,
      sourceProvider: 'local',
    });
    expect(await registry.get(first.id)).toEqual(first);
    expect((await registry.getSkillVersions('reverse-text')).map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  it('accepts a name and version once for each key', async () => {
    const { registry } = await openRegistry();
    await registry.register(handlerRow());
    await registry.register(handlerRow({ apiKeyId: 'key-1' }));
    await expect(registry.register(handlerRow())).rejects.toMatchObject({ code: 'SkillExists', status: 409 });
    await expect(registry.register(handlerRow({ apiKeyId: 'key-1' }))).rejects.toMatchObject({ code: 'SkillExists' });
    expect(registry.current.all).toHaveLength(2);
  });

  it.each(['1', '1.0', 'v1.0.0', '1.0.0-beta', '1.0.0 ', '', 'latest', '1.0.99999999999999999999'])(
    'refuses %j as a version',
    async (version) => {
      proves('S4.registry.semver');
      const { registry } = await openRegistry();
      await expect(registry.register(handlerRow({ version }))).rejects.toMatchObject({ code: 'InvalidSkill' });
    },
  );

  it.each([
    ['a name with a version in it', { name: 'a@1' }],
    ['a name with a comma', { name: 'a,b' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name that is too long', { name: 'x'.repeat(101) }],
    ['no name', { name: '' }],
    ['no handler', { handler: '' }],
    ['a description that is too long', { description: 'x'.repeat(1_025) }],
    ['too many tags', { tags: Array.from({ length: 51 }, () => 'tag') }],
    ['a timeout of zero', { timeoutMs: 0 }],
    ['endless retries', { retries: 1e9 }],
    ['enabled while off', { enabled: true, mode: 'off' as const }],
  ])('refuses %s', async (_what, changes) => {
    const { registry } = await openRegistry();
    await expect(registry.register(handlerRow(changes))).rejects.toMatchObject({ code: 'InvalidSkill', status: 400 });
    expect(registry.current.all).toEqual([]);
  });

  it.each([
    ['is not an object', 5],
    ['has an unknown type', { type: 'text' }],
    ['has a property that is not a schema', { type: 'object', properties: { a: 1 } }],
    ['has an invalid pattern', { properties: { a: { pattern: '(' } } }],
    ['refers to another document', { $ref: 'https://example.com/schema.json' }],
    ['refers to nothing', { $ref: '#/$defs/none' }],
    ['does not describe an object', { type: 'string' }],
  ])('refuses an input schema that %s', async (_what, input) => {
    const { registry } = await openRegistry();
    const schema = { input: input as Record<string, unknown>, output: {} };
    await expect(registry.register(handlerRow({ schema }))).rejects.toMatchObject({
      code: 'InvalidSchema',
      status: 422,
    });
  });

  it('resolves every kind of constraint to the highest matching version', async () => {
    proves('S4.registry.resolveVersion');
    const { registry } = await openRegistry();
    for (const version of ['1.0.0', '1.2.3', '1.3.0', '2.0.0', '10.0.0'])
      await registry.register(handlerRow({ version }));
    const resolve = async (range?: string): Promise<string | undefined> =>
      (await registry.resolveVersion('reverse-text', range))?.version;
    expect(await resolve()).toBe('10.0.0');
    expect(await resolve('latest')).toBe('10.0.0');
    expect(await resolve('^1.0.0')).toBe('1.3.0');
    expect(await resolve('~1.2.0')).toBe('1.2.3');
    expect(await resolve('>1.3.0')).toBe('10.0.0');
    expect(await resolve('>=2.0.0')).toBe('10.0.0');
    expect(await resolve('<2.0.0')).toBe('1.3.0');
    expect(await resolve('<=2.0.0')).toBe('2.0.0');
    expect(await resolve('=1.2.3')).toBe('1.2.3');
    expect(await resolve('==1.2.3')).toBe('1.2.3');
    expect(await resolve('1.0.0')).toBe('1.0.0');
    expect(await resolve('>=1.0.0 <1.3.0')).toBe('1.2.3');
    expect(await resolve('^3')).toBeUndefined();
    for (const range of ['', ' ', 'newest', '^', '>>1', 'x'.repeat(300)])
      await expect(registry.resolveVersion('reverse-text', range)).rejects.toMatchObject({ code: 'InvalidRange' });
  });

  it('lists the versions of a name, the highest first', async () => {
    proves('S4.registry.getSkillVersions');
    const { registry } = await openRegistry();
    for (const version of ['1.10.0', '1.9.0', '2.0.0']) await registry.register(handlerRow({ version }));
    const versions = await registry.getSkillVersions('reverse-text');
    expect(versions.map(({ version }) => version)).toEqual(['2.0.0', '1.10.0', '1.9.0']);
    expect(await registry.getSkillVersions('none')).toEqual([]);
  });

  it('shows a key its own skills and the shared ones, and prefers its own at the same version', async () => {
    const { registry } = await openRegistry();
    const shared = await registry.register(handlerRow());
    const own = await registry.register(handlerRow({ apiKeyId: 'key-1' }));
    const newer = await registry.register(handlerRow({ apiKeyId: 'key-2', version: '9.0.0' }));
    expect(await registry.resolveVersion('reverse-text', undefined, 'key-1')).toEqual(own);
    expect(await registry.resolveVersion('reverse-text', undefined, 'key-2')).toEqual(newer);
    expect(await registry.resolveVersion('reverse-text', undefined, 'key-3')).toEqual(shared);
    expect(await registry.resolveVersion('reverse-text')).toEqual(shared);
    const seen = await registry.list({ visibleTo: 'key-1' }, PAGE);
    expect(seen.data.map(({ id }) => id).toSorted()).toEqual([shared.id, own.id].toSorted());
  });

  it('filters by words, mode and source, page by page', async () => {
    const { registry } = await openRegistry();
    await registry.register(handlerRow({ tags: ['Strings'] }));
    await registry.register(handlerRow({ name: 'b', description: 'Adds', mode: 'on', sourceProvider: 'skillsmp' }));
    await registry.register(handlerRow({ name: 'c', description: 'Stops', mode: 'off' }));
    const names = async (filter: Parameters<Registry['list']>[0]): Promise<string[]> =>
      (await registry.list(filter, PAGE)).data.map(({ name }) => name);
    expect(await names({ q: 'STRING' })).toEqual(['reverse-text']);
    expect(await names({ mode: 'on' })).toEqual(['b']);
    expect(await names({ source: 'skillsmp' })).toEqual(['b']);
    expect(await registry.list({}, { page: 2, limit: 2 })).toMatchObject({ total: 3, totalPages: 2, page: 2 });
    expect((await registry.list({}, { page: 2, limit: 2 })).data).toHaveLength(1);
  });

  it('changes only the fields that an operator sets', async () => {
    proves('S4.dev.toggle');
    const { registry } = await openRegistry();
    const { id } = await registry.register(handlerRow());
    expect(await registry.update(id, { enabled: false })).toMatchObject({ mode: 'off', enabled: false });
    expect(await registry.update(id, { enabled: true })).toMatchObject({ mode: 'on', enabled: true });
    expect(await registry.update(id, { mode: 'auto' })).toMatchObject({ mode: 'auto', enabled: true });
    expect(await registry.update(id, { enabled: true })).toMatchObject({ mode: 'auto' });
    const changed = await registry.update(id, { policy: 'manual', tags: ['a'], timeoutMs: 5_000, retries: 1 });
    expect(changed).toMatchObject({ policy: 'manual', tags: ['a'], timeoutMs: 5_000, retries: 1, mode: 'auto' });
    expect(await registry.update(id, { timeoutMs: null, retries: null })).toMatchObject({
      timeoutMs: null,
      retries: null,
    });
    expect(await registry.update('nobody', { mode: 'on' })).toBeUndefined();
    await expect(registry.update(id, { retries: -1 })).rejects.toMatchObject({ code: 'InvalidSkill' });
  });

  it('loses no concurrent change', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.register(handlerRow());
    await Promise.all([
      registry.update(id, { mode: 'off' }),
      registry.update(id, { tags: ['mine'] }),
      ...Array.from({ length: 10 }, () => registry.countInstall(id)),
    ]);
    expect(registry.current.byId(id)).toMatchObject({ mode: 'off', tags: ['mine'], installCount: 10 });
    await registry.put(handlerRow({ mode: 'on', tags: ['theirs'], description: 'New' }));
    expect(registry.current.byId(id)).toMatchObject({ mode: 'off', tags: ['mine'], description: 'New' });
  });

  it('removes a version, all versions of a name, or one row, of one key only', async () => {
    const { registry } = await openRegistry();
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await registry.register(handlerRow({ version }));
    const theirs = await registry.register(handlerRow({ apiKeyId: 'key-1' }));
    expect(await registry.unregister('reverse-text', '2.0.0')).toBe(true);
    expect(await registry.unregister('reverse-text', '2.0.0')).toBe(false);
    expect(await registry.unregister('reverse-text')).toBe(true);
    expect(registry.current.all).toEqual([theirs]);
    expect(await registry.unregisterById(theirs.id)).toBe(true);
    expect(await registry.unregisterById(theirs.id)).toBe(false);
  });

  it('holds skills of every source, and gives those of marketplaces the mode auto', async () => {
    proves('S4.source.coexist', 'S4.mode.marketplace-default');
    const { registry } = await openRegistry();
    await registry.sync({ kind: 'builtin', sourceProvider: 'builtin' }, [
      handlerRow({ name: 'file_read', kind: 'builtin' }),
    ]);
    await registry.register(handlerRow({ name: 'found', kind: 'package', sourceProvider: 'skillsmp' }));
    await registry.register(handlerRow({ name: 'shared', kind: 'package', sourceProvider: 'skillssh' }));
    const { data } = await registry.list({}, PAGE);
    expect(data.map(({ name, sourceProvider, mode }) => [name, sourceProvider, mode])).toEqual([
      ['file_read', 'builtin', 'off'],
      ['found', 'skillsmp', 'auto'],
      ['shared', 'skillssh', 'auto'],
    ]);
  });

  it('counts installations', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.register(handlerRow({ installCount: 5 }));
    await registry.countInstall(id);
    expect(registry.current.byId(id)?.installCount).toBe(6);
  });

  it('keeps its skills across a restart', async () => {
    const directory = makeDataDirectory();
    const first = await openTestStore(directory);
    const { registry } = await openRegistry({ store: first });
    const skill = await registry.register(handlerRow({ tags: ['x'], apiKeyId: 'key-1', mode: 'on', policy: 'hybrid' }));
    await first.close();
    const again = await openRegistry({ store: await openTestStore(directory) });
    expect(again.registry.current.all).toEqual([skill]);
  });
});

describe('the in-memory cache', () => {
  it('is reloaded after 60 seconds, but not before', async () => {
    let time = 1_000_000;
    const { store, registry, reads } = await openRegistry({ now: () => time });
    const { id } = await registry.register(handlerRow());
    await store.skills.update(id, { description: 'By hand' });
    const before = reads();
    time += 59_999;
    expect((await registry.get(id))?.description).toBe('Reverses a string');
    expect(reads()).toBe(before);
    time += 1;
    expect((await registry.get(id))?.description).toBe('By hand');
    expect(reads()).toBe(before + 1);
  });

  it('is dropped at every write', async () => {
    proves('S4.registry.invalidate-on-write');
    const { registry } = await openRegistry();
    const { id } = await registry.register(handlerRow());
    expect(registry.current.byId(id)?.version).toBe('1.0.0');
    await registry.update(id, { mode: 'off' });
    expect(registry.current.byId(id)?.mode).toBe('off');
    await registry.register(handlerRow({ version: '2.0.0' }));
    expect(registry.current.resolve('reverse-text', undefined, null)?.version).toBe('2.0.0');
    await registry.unregister('reverse-text', '2.0.0');
    expect(registry.current.resolve('reverse-text', undefined, null)?.version).toBe('1.0.0');
    await registry.unregisterById(id);
    expect(registry.current.all).toEqual([]);
  });

  it('is loaded once for concurrent readers', async () => {
    proves('S4.registry.dedupe-load');
    const { registry, reads } = await openRegistry();
    await registry.register(handlerRow());
    const before = reads();
    await Promise.all([registry.loadFromDatabase(), registry.loadFromDatabase(), registry.loadFromDatabase()]);
    expect(reads()).toBe(before + 1);
    expect(registry.current.all).toHaveLength(1);
  });

  it('is reloaded on request, after the database was changed by hand', async () => {
    proves('S4.registry.invalidateCache');
    const { store, registry } = await openRegistry();
    const { id } = await registry.register(handlerRow());
    await store.skills.update(id, { mode: 'off' });
    expect((await registry.get(id))?.mode).toBe('auto');
    registry.invalidateCache();
    expect((await registry.get(id))?.mode).toBe('off');
  });

  it('never shows data from a load that began before a write', async () => {
    const { registry } = await openRegistry();
    const loading = registry.loadFromDatabase();
    const writes = Array.from({ length: 20 }, (_, index) => registry.register(handlerRow({ version: `1.0.${index}` })));
    await Promise.all([loading, ...writes]);
    expect(registry.current.all).toHaveLength(20);
  });
});

describe('skills found in a directory', () => {
  const ORIGIN = { kind: 'package', sourceProvider: 'local' } as const;
  const found = (changes: Partial<NewSkill> = {}): NewSkill =>
    handlerRow({ name: 'word-count', kind: 'package', handler: null, digest: 'd1', tags: ['text'], ...changes });

  it('are added, and updated only where they changed', async () => {
    const { registry } = await openRegistry();
    expect(await registry.sync(ORIGIN, [found()])).toEqual({ added: 1, changed: 0, gone: 0, clashes: [] });
    const [before] = registry.current.all;
    expect(await registry.sync(ORIGIN, [found()])).toEqual({ added: 0, changed: 0, gone: 0, clashes: [] });
    await registry.sync(ORIGIN, [found({ version: '1.1.0', digest: 'd2', description: 'New', tags: ['words'] })]);
    expect(registry.current.all).toMatchObject([
      { id: before?.id, version: '1.1.0', digest: 'd2', description: 'New', tags: ['words'] },
    ]);
  });

  it('keep what an operator set', async () => {
    const { registry } = await openRegistry();
    await registry.sync(ORIGIN, [found({ mode: 'auto' })]);
    const id = registry.current.all[0]?.id ?? '';
    await registry.update(id, { mode: 'off', tags: ['mine'], policy: 'manual' });
    await registry.sync(ORIGIN, [found({ mode: 'on', digest: 'd2', tags: ['theirs'] })]);
    expect(registry.current.byId(id)).toMatchObject({ mode: 'off', tags: ['mine'], policy: 'manual', digest: 'd2' });
  });

  it('return to their own values when an operator removes a setting', async () => {
    const { registry } = await openRegistry();
    await registry.sync(ORIGIN, [found({ mode: 'on', timeoutMs: 7 })]);
    const id = registry.current.all[0]?.id ?? '';
    await registry.update(id, { mode: 'off', tags: ['mine'], policy: 'manual', timeoutMs: 5 });
    expect(await registry.update(id, { tags: null, timeoutMs: null, policy: null })).toMatchObject({
      mode: 'off',
      tags: ['text'],
      timeoutMs: 7,
      policy: 'auto',
    });
    await registry.sync(ORIGIN, [found({ mode: 'auto', digest: 'd2', tags: ['theirs'] })]);
    expect(registry.current.byId(id)).toMatchObject({ mode: 'off', tags: ['theirs'] });
    expect(await registry.update(id, { mode: null })).toMatchObject({ mode: 'auto' });
    const { id: other } = await registry.register(handlerRow({ mode: 'on', tags: ['a'] }));
    expect(await registry.update(other, { mode: null, tags: null })).toMatchObject({ mode: 'off', tags: [] });
  });

  it('disappear with their files, and return with the operator’s settings', async () => {
    let time = 1_000;
    const { registry } = await openRegistry({ now: () => time });
    await registry.sync(ORIGIN, [found()]);
    const id = registry.current.all[0]?.id ?? '';
    await registry.update(id, { mode: 'off' });
    expect(await registry.sync(ORIGIN, [])).toMatchObject({ gone: 1 });
    expect(registry.current.all).toEqual([]);
    expect(await registry.update(id, { mode: 'on' })).toBeUndefined();
    expect(await registry.unregisterById(id)).toBe(false);
    await registry.sync(ORIGIN, [found()]);
    expect(registry.current.all).toMatchObject([{ id, mode: 'off' }]);
    await registry.sync(ORIGIN, []);
    time += 31 * 86_400_000;
    await registry.sync(ORIGIN, []);
    await registry.sync(ORIGIN, [found()]);
    expect(registry.current.all).toMatchObject([{ mode: 'auto' }]);
  });

  it('yield their name to a skill registered under it', async () => {
    const { registry } = await openRegistry();
    const own = await registry.register(handlerRow({ name: 'word-count' }));
    expect(await registry.sync(ORIGIN, [found()])).toMatchObject({ added: 0, clashes: ['word-count@1.0.0'] });
    expect(registry.current.all).toEqual([own]);
    await registry.unregisterById(own.id);
    const twice = await registry.sync(ORIGIN, [found(), found({ description: 'Again' })]);
    expect(twice).toMatchObject({ added: 1, clashes: ['word-count@1.0.0'] });
  });

  it('release their name for a registration when their files are gone', async () => {
    const { registry } = await openRegistry();
    await registry.sync(ORIGIN, [found()]);
    await registry.sync(ORIGIN, []);
    expect(await registry.put(handlerRow({ name: 'word-count' }))).toMatchObject({ kind: 'handler' });
    await expect(registry.put(found())).rejects.toMatchObject({ code: 'SkillExists' });
  });
});

it('stores skills in a table with the documented indexes and columns', async () => {
  proves('S4.db.tables', 'S4.db.indexes', 'S4.db.columns');
  const directory = makeDataDirectory();
  const store = await openTestStore(directory);
  const { registry } = await openRegistry({ store });
  await registry.register(handlerRow({ tags: ['a', 'b'], installCount: 3 }));
  await store.close();
  const database = new DatabaseSync(join(directory, 'gateway.db'));
  const all = (sql: string): unknown[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  expect(all('select name, mode, source_provider, tags, install_count from skills')).toEqual([
    { name: 'reverse-text', mode: 'auto', source_provider: 'local', tags: '["a","b"]', install_count: 3 },
  ]);
  expect(all('select count(*) as count from skill_executions')).toEqual([{ count: 0 }]);
  const indexes = all(
    `select i.name, group_concat(c.name, ' ') as columns from sqlite_schema i, pragma_index_info(i.name) c where i.type = 'index' group by i.name`,
  );
  expect(indexes).toContainEqual({ name: 'skills_by_key', columns: 'api_key_id name' });
  expect(indexes).toContainEqual({ name: 'skills_of_key', columns: 'api_key_id name version' });
  expect(indexes).toContainEqual({ name: 'skill_executions_by_skill', columns: 'skill_id status created_at' });
  database.close();
});

it.each([
  [
    'a pattern that can backtrack without end',
    { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
  ],
  ['a reference that leads back to itself', { $ref: '#' }],
])('refuses a schema with %s', async (_what, input) => {
  const { registry } = await openRegistry();
  const skill = { kind: 'handler', name: 'a', version: '1.0.0', description: 'x', handler: 'h' } as const;
  await expect(registry.register({ ...skill, schema: { input, output: {} } })).rejects.toMatchObject({
    code: 'InvalidSchema',
  });
});

it('a removed row of a directory returns with the operator’s settings', async () => {
  const { registry } = await openRegistry();
  const origin = { kind: 'package', sourceProvider: 'local' } as const;
  const found = handlerRow({ kind: 'package', name: 'found', mode: 'auto' });
  await registry.sync(origin, [found]);
  const [skill] = await registry.getSkillVersions('found');
  await registry.update(skill?.id ?? '', { mode: 'off' });
  expect(await registry.unregisterById(skill?.id ?? '')).toBe(true);
  expect(await registry.getSkillVersions('found')).toEqual([]);
  expect(await registry.unregisterById(skill?.id ?? '')).toBe(false);
  await registry.sync(origin, [{ ...found, digest: 'another' }]);
  expect(await registry.getSkillVersions('found')).toMatchObject([{ mode: 'off', enabled: false, digest: 'another' }]);
});

it.each([
  { description: 'a\u0000b' },
  { description: 'a\u001b[31mb' },
  { description: 'a\ud800' },
  { description: 'a\u202eb' },
  { tags: ['a\nb'] },
  { tags: ['\ud800'] },
])('refuses invisible characters: %j', async (changes) => {
  const { registry } = await openRegistry();
  await expect(registry.register(handlerRow(changes))).rejects.toMatchObject({ code: 'InvalidSkill' });
  await registry.register(handlerRow({ description: 'two\nlines\tand more', tags: ['a b', 'é'] }));
});
