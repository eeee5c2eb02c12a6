import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { HostFacts } from '../../policy/requirements.ts';
import { assertChoice, chooseSkills, type SkillChoiceOptions } from '../../policy/visibility/skill-choice.ts';
import { visible, type VisibilityFacts } from '../../policy/visibility/visibility.ts';
import { hostEnvironment } from '../../process/host-environment.ts';
import { hasProgram } from '../../process/interpreters.ts';
import { readField, type TriggerContext } from '../../select/triggers/trigger-context.ts';
import type { CatalogRanker } from '../../select/selection/catalog-ranker.ts';
import { createTriggerIndex, type TriggerIndex } from '../../select/triggers/triggers.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../../catalog/catalog.ts';
import { isEmptyDiff, type SnapshotDiff } from '../../catalog/snapshot/snapshot-diff.ts';
import type { CatalogChange, CatalogWatch, ChangeListener, WatchOptions } from '../../catalog/watch/watch-options.ts';

export interface IndexSettings extends SkillChoiceOptions {
  readonly modeOf: VisibilityFacts['modeOf'];
  readonly projectDir: string;
}

interface IndexParts {
  /** Whether this is the first index: only then is a choice that names a missing skill an error. */
  readonly isFirst: boolean;
  readonly logger: Logger;
  /** Ranks the snapshot's skills for `task_match`; first used with that trigger. */
  readonly ranking: CatalogRanker;
}

/** A snapshot's skills by trigger, for one loader. */
export interface IndexedSnapshot extends Pick<TriggerIndex, 'find' | 'triggers'> {
  readonly snapshot: Snapshot;
  /** The skills that the loader's choice includes. */
  readonly skills: readonly SkillMetadata[];
  factsOf(context: TriggerContext): VisibilityFacts;
}

export function indexSnapshot(
  snapshot: Snapshot,
  settings: IndexSettings,
  { isFirst, logger, ranking }: IndexParts,
): IndexedSnapshot {
  // Include shadowed skills: by their qualified names, they can still be called, and a choice can leave them out.
  const all = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  const chosen = chooseSkills(all, settings);
  // Check only the first time: a skill that is missing later may have been removed, which is not the program's mistake.
  if (isFirst) assertChoice(chosen, snapshot.skills);
  else if (chosen.unknown.length > 0) logger.warn('Chosen skills no longer exist.', { unknown: chosen.unknown });
  const skills = snapshot.skills.filter((skill) => chosen.leftOut(skill) === undefined);
  const hostOf = createHostFacts();
  const factsOf = (context: TriggerContext): VisibilityFacts => {
    const files = readField(context, 'files');
    const paths = Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
    return { modeOf: settings.modeOf, projectDir: settings.projectDir, chosen, hostOf, files: paths };
  };
  const index = createTriggerIndex(skills, {
    rank: (task, options) => ranking.for(snapshot).rank(task, options),
    find: (name) => snapshot.find(name)?.metadata,
    isVisible: (skill, audience, context) => visible(skill, { ...factsOf(context), audience, ranks: () => true }),
  });
  return { ...index, snapshot, skills, factsOf };
}

/** Returns the facts about this machine that a skill depends on. Searches for each program once. */
function createHostFacts(): (skill: SkillMetadata) => HostFacts {
  const env = hostEnvironment();
  const known = new Map<string, boolean>();
  return ({ baseDir }) => ({
    env,
    platform: process.platform,
    hasProgram(program) {
      const key = `${program}\0${/[\\/]/.test(program) ? baseDir : ''}`;
      const has = known.get(key) ?? hasProgram(program, baseDir, env);
      known.set(key, has);
      return has;
    },
  });
}

/** The parts of a loader that a watch needs. */
interface WatchedLoader {
  readonly catalog: Catalog;
  /** Indexes a snapshot. Throws if the loader's choice names a skill that never existed. */
  readonly index: (snapshot: Snapshot) => IndexedSnapshot;
}

/**
 * Indexes again after each change of the catalog, and reports changes to the loader's own skills. Changes to skills
 * that the loader's choice leaves out are not reported.
 */
export async function watchLoader(
  { catalog, index }: WatchedLoader,
  options: WatchOptions,
  listener: ChangeListener,
): Promise<CatalogWatch> {
  // Another watch of the catalog may see a change before this one has begun, so remember what was indexed before.
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

/** The change as the loader sees it; `undefined` if it affects none of its skills. */
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
