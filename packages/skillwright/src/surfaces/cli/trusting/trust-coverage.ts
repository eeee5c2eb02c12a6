import { scriptPaths } from '../../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../../catalog/snapshot/skill-record.ts';
import { SkillManager } from '../../../faces/manager/skill-manager.ts';
import { isInside } from '../../../sources/contained-path.ts';
import { realPathOf } from '../../../sources/real-path.ts';
import type { TrustStore } from '../../../sources/trust/trust-store.ts';
import { DEFAULT_LIMITS } from '../../../spec/limits.ts';
import type { TrustLevel } from '../../../spec/trust.ts';
import { standardPlaces } from '../finding/locations.ts';

/** A skill in a directory that something is recorded of. */
export interface CoveredSkill {
  readonly name: string;
  /** Path of SKILL.md. */
  readonly path: string;
  readonly trust: TrustLevel;
  /** How many scripts and tools it brings: what would run. */
  readonly scripts: number;
  readonly tools: number;
}

/** Every skill that lies in a directory, and how far the records trust it. Links that leave the directory do not count. */
export function coveredSkills(store: TrustStore, directory: string): CoveredSkill[] {
  const { projectSkillDir, anthropicConfigDir, agentsDir, opencodeDir, pluginDirs } = standardPlaces(directory);
  const manager = new SkillManager({
    projectSkillDir,
    anthropicConfigDir,
    agentsDir,
    opencodeDir,
    pluginDirs,
    cwd: directory,
    additionalSearchPaths: [directory],
    optional: true,
  });
  const { snapshot } = manager;
  const { skills, shadowed } = snapshot;
  return [...skills, ...shadowed.map(({ skill }) => skill)].flatMap((skill) =>
    realPathOf(skill.baseDir)
      .filter((real) => isInside(real, directory))
      .map((real) => ({
        name: skill.name,
        path: skill.filePath,
        trust: store.levelOf(real) ?? 'untrusted',
        scripts: countScripts(snapshot.recordAt(skill.filePath)),
        tools: skill.tools.length,
      })),
  );
}

function countScripts(record: SkillRecord | undefined): number {
  return record === undefined ? 0 : scriptPaths(record, DEFAULT_LIMITS.maxListedFiles).length;
}
