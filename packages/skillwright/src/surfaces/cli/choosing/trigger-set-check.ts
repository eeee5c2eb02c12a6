import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { filesOfSkill } from './trigger-set-files.ts';
import { readTriggerSets } from './trigger-sets.ts';

/**
 * What is wrong with the trigger sets of the visible skills themselves. Which other skills are there is no matter of
 * validity, and neither is JSON that is no trigger set.
 */
export function checkTriggerSets(snapshot: Snapshot): readonly Diagnostic[] {
  const files = snapshot.skills.flatMap((skill) => filesOfSkill(skill, snapshot));
  const { diagnostics } = readTriggerSets(files, snapshot);
  return diagnostics.filter(({ code }) => code !== 'trigger-set-foreign' && code !== 'trigger-skill');
}
