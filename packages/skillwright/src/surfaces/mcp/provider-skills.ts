import { randomUUID } from 'node:crypto';
import type { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import { createContentDigests } from '../../run/admission/skill-content.ts';
import type { ServedSkills } from './served-skills.ts';

/** All calls of one process share its warm workers. */
const TENANT = 'mcp';

/** The skills of a provider, for one caller: the client that started this process. */
export function servedByProvider(provider: SkillsProvider, followOutput: ServedSkills['followOutput']): ServedSkills {
  const digests = createContentDigests();
  return {
    begin({ id = randomUUID(), active } = {}) {
      const session = provider.session(id, { tenant: TENANT });
      const record = active === undefined ? undefined : session.snapshot.find(active);
      if (record !== undefined) session.load(record.metadata, '');
      return session;
    },
    digestOf: (record) => digests.of(record),
    followOutput,
  };
}
