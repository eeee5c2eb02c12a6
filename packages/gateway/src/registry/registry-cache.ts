import type { Clock } from '../spec/clock.ts';
import type { SkillRow, SkillTable } from '../store/tables/skill-table.ts';
import type { RegistryView } from './registered-skill.ts';
import { createRegistryView } from './registry-view.ts';
import { toSkill } from './skill-rows.ts';
import { createRangeReader } from './version-range.ts';

/** How long a load stays current. */
const KNOWN_MS = 60_000;

/** The rows in memory. */
export interface RegistryCache {
  /** The registry as of the last load. If that is too old, a reload starts in the background. */
  readonly current: RegistryView;
  /** Reloads first if the last load is too old or was invalidated. */
  fresh(): Promise<RegistryView>;
  /** The rows, including those of skills that are gone. */
  rows(): Promise<readonly SkillRow[]>;
  /** Reloads. Concurrent calls share one load, unless a write came between them. */
  load(): Promise<void>;
  invalidate(): void;
}

interface Loaded {
  readonly rows: readonly SkillRow[];
  readonly view: RegistryView;
  readonly at: number;
}

export function createRegistryCache(
  table: Pick<SkillTable, 'readAll'>,
  { now, onError }: { readonly now: Clock; readonly onError: (error: unknown) => void },
): RegistryCache {
  const readRange = createRangeReader();
  let loaded: Loaded = { rows: [], view: createRegistryView([], readRange), at: 0 };
  let loading: { readonly generation: number; readonly done: Promise<void> } | undefined;
  // Counts writes: a read that began before a write is not cached.
  let generation = 0;
  let isValid = false;

  const read = async (asOf: number): Promise<void> => {
    const rows = await table.readAll();
    if (asOf !== generation) return;
    const skills = rows.filter(({ missingSince }) => missingSince === null).map(toSkill);
    loaded = { rows, view: createRegistryView(skills, readRange), at: now() };
    isValid = true;
  };
  const load = (): Promise<void> => {
    if (loading?.generation === generation) return loading.done;
    const started = { generation, done: read(generation) };
    loading = started;
    const end = (): void => {
      if (loading === started) loading = undefined;
    };
    started.done.then(end, end);
    return started.done;
  };
  const isOld = (): boolean => !isValid || now() - loaded.at >= KNOWN_MS || now() < loaded.at;
  const refresh = async (): Promise<Loaded> => {
    while (isOld()) await load();
    return loaded;
  };

  return {
    get current() {
      if (isOld()) load().catch(onError);
      return loaded.view;
    },
    fresh: async () => (isOld() ? (await refresh()).view : loaded.view),
    rows: async () => (await refresh()).rows,
    load,
    invalidate() {
      generation += 1;
      isValid = false;
    },
  };
}
