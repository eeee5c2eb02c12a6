import type { SkillFinder } from '../../agent/recovery/guidance.ts';
import { requireSkill } from '../../catalog/lookup/skill-lookup.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { Runtime } from '../../runtime.ts';
import { createLoadedSkills } from './loaded-skills.ts';
import { indexSnapshot, type IndexedSnapshot, type IndexSettings } from '../loader/loader-index.ts';

/** Finds the skills of one snapshot by what happens, as a `SkillLoader` does with its own. Indexes on first use. */
export function createSnapshotFinder(runtime: Runtime, snapshot: Snapshot, settings: IndexSettings): SkillFinder {
  const loaded = createLoadedSkills(runtime.catalog, runtime.limits);
  let index: IndexedSnapshot | undefined;
  return {
    async find(trigger, context) {
      index ??= indexSnapshot(snapshot, settings, {
        isFirst: false,
        logger: runtime.logger,
        ranking: runtime.ranking,
      });
      return index.find(trigger, context);
    },
    load: async (name) => loaded.load(requireSkill(snapshot, name), {}),
  };
}
