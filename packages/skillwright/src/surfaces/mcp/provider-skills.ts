import { randomUUID } from 'node:crypto';
import { runNote } from '../../agent/offer/system-prompt.ts';
import { withRunNote } from '../../agent/tools/load-skill.ts';
import { requireSkill } from '../../catalog/lookup/skill-lookup.ts';
import type { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import { presentSkill } from '../../parse/skill/skill-presentation.ts';
import { visible } from '../../policy/visibility/visibility.ts';
import { createContentDigests } from '../../run/admission/skill-content.ts';
import type { Runtime } from '../../runtime.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ServedSkills } from './served-skills.ts';

/** The parts from which one caller's skills are served. */
export interface ProviderParts extends Pick<ServedSkills, 'followOutput'> {
  /** The provider of the current skills. */
  readonly provider: () => SkillsProvider;
  /** The runtime of the provider. */
  readonly runtime: Pick<Runtime, 'catalog' | 'runChecks'>;
  /** The tenant of the caller. All calls of a tenant share warm workers. */
  readonly tenant: string;
  /** The directory that the user works in. */
  readonly projectDir: string;
  /** Whether the caller may use a skill. Default: every skill. */
  readonly has?: ((skill: SkillMetadata) => boolean) | undefined;
}

/**
 * The skills of a provider, for one caller. The first change listener starts watching the catalog's files, until the
 * catalog closes.
 */
export function servedByProvider(parts: ProviderParts): ServedSkills {
  const { provider, tenant, has = () => true } = parts;
  const { catalog, runChecks } = parts.runtime;
  const digests = createContentDigests();
  const listeners = new Set<() => void>();
  let watch: Promise<unknown> | undefined;
  const renew = async (): Promise<void> => {
    await provider().refresh();
    for (const listener of listeners) listener();
  };
  return {
    begin({ id = randomUUID(), active } = {}) {
      const session = provider().session(id, { tenant });
      const record = active === undefined ? undefined : session.snapshot.find(active);
      if (record !== undefined) session.load(record.metadata, '');
      return session;
    },
    digestOf: (record) => digests.of(record),
    invocable: () =>
      catalog.snapshot?.skills.filter((skill) => has(skill) && visible(skill, { audience: 'user' })) ?? [],
    async instructions(skill, args) {
      const record = requireSkill(catalog.snapshot ?? provider().session().snapshot, skill.qualifiedName);
      const text = presentSkill(await catalog.body(record), skill, { arguments: args, projectDir: parts.projectDir });
      return withRunNote(text, runNote(runChecks.known(record, 'user'), skill.tools.length === 0));
    },
    onChange(listener) {
      listeners.add(listener);
      // If the catalog cannot be watched, its skills are served without updates.
      watch ??= catalog.watch({}, renew).catch(() => undefined);
      return () => void listeners.delete(listener);
    },
    followOutput: parts.followOutput,
  };
}
