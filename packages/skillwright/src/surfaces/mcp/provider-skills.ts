import { randomUUID } from 'node:crypto';
import { runNote } from '../../agent/offer/system-prompt.ts';
import { withRunNote } from '../../agent/tools/load-skill.ts';
import { requireSkill } from '../../catalog/lookup/skill-lookup.ts';
import type { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import { presentSkill } from '../../parse/skill/skill-presentation.ts';
import { visible } from '../../policy/visibility/visibility.ts';
import { createContentDigests } from '../../run/admission/skill-content.ts';
import type { Runtime } from '../../runtime.ts';
import type { ServedSkills } from './served-skills.ts';

/** All calls of one process share its warm workers. */
const TENANT = 'mcp';

/** What the skills of a provider come from. */
export interface ProviderParts extends Pick<ServedSkills, 'followOutput'> {
  /** The runtime of the provider. */
  readonly runtime: Pick<Runtime, 'catalog' | 'runChecks'>;
  /** The directory that the user works in. */
  readonly projectDir: string;
}

/**
 * The skills of a provider, for one caller: the client that started this process. Follows changes of the files until
 * the catalog is closed.
 */
export function servedByProvider(provider: SkillsProvider, parts: ProviderParts): ServedSkills {
  const { catalog, runChecks } = parts.runtime;
  const digests = createContentDigests();
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());
  let watch: Promise<unknown> | undefined;
  const renew = async (): Promise<void> => {
    await provider.refresh();
    tell();
  };
  return {
    begin({ id = randomUUID(), active } = {}) {
      const session = provider.session(id, { tenant: TENANT });
      const record = active === undefined ? undefined : session.snapshot.find(active);
      if (record !== undefined) session.load(record.metadata, '');
      return session;
    },
    digestOf: (record) => digests.of(record),
    invocable: () => catalog.snapshot?.skills.filter((skill) => visible(skill, { audience: 'user' })) ?? [],
    async instructions(skill, args) {
      const record = requireSkill(catalog.snapshot ?? provider.session().snapshot, skill.qualifiedName);
      const text = presentSkill(await catalog.body(record), skill, { arguments: args, projectDir: parts.projectDir });
      return withRunNote(text, runNote(runChecks.known(record, 'user'), skill.tools.length === 0));
    },
    onChange(listener) {
      listeners.add(listener);
      // A catalog that cannot be watched is served as it is.
      watch ??= catalog.watch({}, renew).catch(() => undefined);
      return () => void listeners.delete(listener);
    },
    followOutput: parts.followOutput,
  };
}
