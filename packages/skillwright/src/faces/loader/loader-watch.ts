import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../../catalog/catalog.ts';
import { isEmptyDiff, type SnapshotDiff } from '../../catalog/snapshot/snapshot-diff.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { CatalogChange, CatalogWatch, ChangeListener, WatchOptions } from '../../catalog/watch/watch-options.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { IndexedSnapshot } from './loader-index.ts';

/** As much of a loader as it takes to watch its skills. */
export interface WatchedLoader {
  readonly catalog: Catalog;
  /** Throws where the loader's choice names a skill that never was there. */
  readonly index: (snapshot: Snapshot) => IndexedSnapshot;
}

/**
 * Indexes again after each change of the catalog, and tells the listener what became of the loader's own skills: those
 * that its choice leaves out come and go unnoticed.
 */
export async function watchLoader(
  { catalog, index }: WatchedLoader,
  options: WatchOptions,
  listener: ChangeListener,
): Promise<CatalogWatch> {
  // Another watch of the catalog may be told of a change before this one has begun.
  let known = catalog.snapshot === undefined ? undefined : index(catalog.snapshot);
  const watch = await catalog.watch(options, (change) => {
    const before = known;
    known = index(change.snapshot);
    const own = before === undefined ? undefined : ownChange(change, before, known);
    return own === undefined ? undefined : listener(own);
  });
  try {
    if (catalog.snapshot !== undefined) known = index(catalog.snapshot);
  } catch (error) {
    watch.close();
    throw error;
  }
  return watch;
}

/** The change as the loader sees it; `undefined` where it concerns none of its skills. */
function ownChange(change: CatalogChange, before: IndexedSnapshot, after: IndexedSnapshot): CatalogChange | undefined {
  const [earlier, later] = [namesOf(before.skills), namesOf(after.skills)];
  const diff: SnapshotDiff = {
    added: after.skills.filter(({ name }) => !earlier.has(name)),
    removed: before.skills.filter(({ name }) => !later.has(name)),
    changed: change.changed.filter(({ after: { name } }) => earlier.has(name) && later.has(name)),
  };
  const hasNews = !isDeepStrictEqual(before.snapshot.diagnostics, after.snapshot.diagnostics);
  return isEmptyDiff(diff) && !hasNews ? undefined : { ...change, ...diff };
}

function namesOf(skills: readonly SkillMetadata[]): ReadonlySet<string> {
  return new Set(skills.map(({ name }) => name));
}
