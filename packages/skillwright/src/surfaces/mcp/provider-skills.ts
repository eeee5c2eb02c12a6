import { randomUUID } from 'node:crypto';
import type { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import type { ServedSkills } from './served-skills.ts';

/** All calls of one process share its warm workers. */
const TENANT = 'mcp';

/** The skills of a provider, for one caller: the client that started this process. */
export function servedByProvider(provider: SkillsProvider, followOutput: ServedSkills['followOutput']): ServedSkills {
  return {
    begin: () => provider.session(randomUUID(), { tenant: TENANT }),
    followOutput,
  };
}
