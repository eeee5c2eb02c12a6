import {
  missingRequirements as missingOn,
  type HostFacts,
  type MissingRequirement,
} from '../../../policy/requirements.ts';
import { hasProgram } from '../../../process/interpreters.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';

export { describeRequirement, type MissingRequirement } from '../../../policy/requirements.ts';

/** The requirements of a skill that this machine does not meet. */
export function missingRequirements(
  { requires, baseDir }: SkillMetadata,
  { env, platform }: Pick<HostFacts, 'env' | 'platform'>,
): MissingRequirement[] {
  return missingOn(requires, { env, platform, hasProgram: (program) => hasProgram(program, baseDir, env) });
}
