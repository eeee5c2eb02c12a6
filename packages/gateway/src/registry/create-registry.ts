import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { Store, StoreTables } from '../store/open-store.ts';
import { toPage } from '../store/page.ts';
import type { SkillRow } from '../store/tables/skill-table.ts';
import type { NewSkill, RegisteredSkill, Registry, SkillFilter } from './registered-skill.ts';
import { createRegistryCache } from './registry-cache.ts';
import { isVisibleTo } from './registry-view.ts';
import { assertChange, assertSkill } from './skill-check.ts';
import { changedColumns, sourceChanges, toRow, syncRows } from './skill-rows.ts';

export interface RegistryParts {
  readonly store: Pick<Store, 'skills' | 'transaction'>;
  readonly now: Clock;
  /** Called when reloading in the background fails. */
  readonly onError: (error: unknown) => void;
}

/** Reads all rows once; later reads come from memory. */
export async function createRegistry({ store, now, onError }: RegistryParts): Promise<Registry> {
  const cache = createRegistryCache(store.skills, { now, onError });
  await cache.load();

  // Make one change after the other, because each builds on the result of the previous change.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };

  /** Runs a write, and then reloads the registry, even if the write failed. */
  const write = async <T>(work: (tables: StoreTables) => Promise<T>): Promise<T> => {
    try {
      return await store.transaction(work);
    } finally {
      cache.invalidate();
      await cache.fresh();
    }
  };

  // The latest state of each skill at its source, for rows that return to it.
  const sources = new Map<string, NewSkill>();
  const remember = (skill: NewSkill): void => void sources.set(sourceKey(toRow(skill, 0)), skill);

  const add = async (skill: NewSkill): Promise<RegisteredSkill> => {
    assertSkill(skill);
    const row = toRow(skill, now());
    const gone = (await cache.rows()).find((other) => other.missingSince !== null && isSame(other, row));
    try {
      await write(async ({ skills }) => {
        if (gone !== undefined) await skills.remove(gone.id);
        await skills.add(row);
      });
    } catch (error) {
      throw error instanceof GatewayError && error.code === 'StoreConflict' ? exists(skill) : error;
    }
    return registered(row.id);
  };

  const registered = (id: string): RegisteredSkill => {
    const skill = cache.current.byId(id);
    if (skill === undefined) throw new GatewayError('UnknownSkill', `The skill ${id} was removed during this request.`);
    return skill;
  };

  const removeWhere = (isMeant: (row: SkillRow) => boolean): Promise<boolean> => inTurn(() => remove(isMeant));

  const remove = async (isMeant: (row: SkillRow) => boolean): Promise<boolean> => {
    const rows = (await cache.rows()).filter((row) => row.missingSince === null && isMeant(row));
    if (rows.length === 0) return false;
    return write(async ({ skills }) => {
      const removed: boolean[] = [];
      // Packages will be found again, so an operator's settings are kept.
      for (const { id, kind } of rows)
        removed.push(await (kind === 'package' ? skills.update(id, { missingSince: now() }) : skills.remove(id)));
      return removed.includes(true);
    });
  };

  return {
    register: (skill) => inTurn(() => add(skill)),
    unregister: (name, version, apiKeyId = null) =>
      removeWhere(
        (row) => row.name === name && row.apiKeyId === apiKeyId && (version === undefined || row.version === version),
      ),
    unregisterById: (id) => removeWhere((row) => row.id === id),

    update: (id, change) =>
      inTurn(async () => {
        assertChange(change);
        const row = (await cache.rows()).find((one) => one.id === id && one.missingSince === null);
        if (row === undefined) return undefined;
        const columns = changedColumns(row, change, sources.get(sourceKey(row)));
        if (Object.keys(columns).length > 0)
          await write(({ skills }) => skills.update(id, { ...columns, updatedAt: now() }));
        return cache.current.byId(id);
      }),

    put: (skill) =>
      inTurn(async () => {
        const row = (await cache.rows()).find((other) => isSame(other, toRow(skill, 0)));
        if (row === undefined || row.kind === skill.kind) remember(skill);
        if (row === undefined || row.missingSince !== null) return add(skill);
        if (row.kind !== skill.kind) throw exists(skill);
        assertSkill(skill);
        const columns = sourceChanges(row, skill, now());
        if (Object.keys(columns).length > 0) await write(({ skills }) => skills.update(row.id, columns));
        return registered(row.id);
      }),

    sync: (origin, skills) =>
      inTurn(async () => {
        for (const skill of skills) remember({ ...skill, ...origin, apiKeyId: null });
        const { steps, report } = syncRows(await cache.rows(), skills, { ...origin, now: now() });
        if (steps.length > 0)
          await write(async (tables) => {
            for (const step of steps) await step(tables.skills);
          });
        return report;
      }),

    countInstall: (id) =>
      inTurn(async () => {
        const row = (await cache.rows()).find((one) => one.id === id);
        if (row !== undefined) await write(({ skills }) => skills.update(id, { installCount: row.installCount + 1 }));
      }),

    get: async (id) => (await cache.fresh()).byId(id),
    nameOf: async (id) => (await cache.rows()).find((row) => row.id === id)?.name,
    async list(filter, page) {
      const found = (await cache.fresh()).all.filter((skill) => matches(skill, filter));
      const start = (page.page - 1) * page.limit;
      return toPage(found.slice(start, start + page.limit), found.length, page);
    },
    getSkillVersions: async (name, apiKeyId = null) => (await cache.fresh()).versions(name, apiKeyId),
    resolveVersion: async (name, constraint, apiKeyId = null) =>
      (await cache.fresh()).resolve(name, constraint, apiKeyId),
    get current() {
      return cache.current;
    },
    fresh: () => cache.fresh(),
    loadFromDatabase: () => cache.load(),
    invalidateCache: () => cache.invalidate(),
  };
}

function sourceKey({ kind, name, version, apiKeyId: owner, sourceProvider: provider }: SkillRow): string {
  return JSON.stringify([kind, name, version, owner, provider]);
}

function isSame(first: SkillRow, second: SkillRow): boolean {
  return first.name === second.name && first.version === second.version && first.apiKeyId === second.apiKeyId;
}

function matches(skill: RegisteredSkill, { q, mode, source, visibleTo }: SkillFilter): boolean {
  if (mode !== undefined && skill.mode !== mode) return false;
  if (source !== undefined && skill.sourceProvider !== source) return false;
  if (visibleTo !== undefined && !isVisibleTo(skill, visibleTo)) return false;
  if (q === undefined || q.trim() === '') return true;
  const wanted = q.trim().toLowerCase();
  return [skill.name, skill.description, ...skill.tags].some((text) => text.toLowerCase().includes(wanted));
}

function exists({ name, version, apiKeyId }: NewSkill): GatewayError {
  return new GatewayError('SkillExists', `The skill ${name}@${version} already exists.`, {
    data: { name, version, apiKeyId: apiKeyId ?? null },
  });
}
