import { SkillManager } from '../../faces/skill-manager.ts';
import { isInside } from '../../sources/contained-path.ts';
import { realPathOf } from '../../sources/real-path.ts';
import type { TrustStore } from '../../sources/trust-store.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { standardPlaces } from './locations.ts';

/** A skill in a directory that something is recorded of. */
export interface CoveredSkill {
  readonly name: string;
  /** Path of SKILL.md. */
  readonly path: string;
  readonly trust: TrustLevel;
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
  const { skills, shadowed } = manager.snapshot;
  return [...skills, ...shadowed.map(({ skill }) => skill)].flatMap(({ name, filePath, baseDir }) =>
    realPathOf(baseDir)
      .filter((real) => isInside(real, directory))
      .map((real) => ({ name, path: filePath, trust: store.levelOf(real) ?? 'untrusted' })),
  );
}
