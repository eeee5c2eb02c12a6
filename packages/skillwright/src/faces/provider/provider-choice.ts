import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import {
  assertChoice,
  chooseSkills,
  type AgentSkills,
  type SkillChoiceOptions,
} from '../../policy/visibility/skill-choice.ts';
import { isGlob } from '../../policy/visibility/glob.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { SkillMetadata } from '../../spec/skill.ts';

/** Which skills of a snapshot the agent gets. A shadowed skill is reached by a longer name, which is no way around. */
export function chooseFrom(snapshot: Snapshot, options: SkillChoiceOptions): AgentSkills {
  return chooseSkills(everySkill(snapshot), options);
}

/**
 * At the start, a choice that cannot be meant is an error: a name that fits nothing, and an `include` that fits no skill
 * of those there are. A glob of several that fits nothing is a warning.
 */
export function assertFirstChoice(
  chosen: AgentSkills,
  snapshot: Snapshot,
  { include = [], exclude = [], logger }: SkillChoiceOptions & { readonly logger: Logger },
): void {
  const [unknown] = chosen.unknown;
  const unread = snapshot.diagnostics.find(({ code }) => code === 'root-missing' || code === 'root-unreadable');
  if (unknown !== undefined && unread !== undefined) {
    const message = `Option '${unknown.option}' names the skill '${unknown.name}', which was not found. ${unread.message}`;
    throw new SkillwrightError('InvalidOptions', message, { data: { option: unknown.option, skill: unknown.name } });
  }
  assertChoice(chosen, snapshot.skills);
  const skills = everySkill(snapshot);
  if (include.length > 0 && skills.length > 0 && skills.every((skill) => chosen.leftOut(skill) === 'not-included'))
    throw new SkillwrightError(
      'InvalidOptions',
      `Option 'include' fits none of the ${skills.length} skills: ${include.join(', ')}.`,
      { data: { option: 'include' } },
    );
  for (const [option, entries] of Object.entries({ include, exclude }))
    for (const glob of entries.filter(isGlob))
      if (fitsNone(glob, skills))
        logger.warn(`Option '${option}' has a glob that fits no skill: ${glob}.`, { option, glob });
}

function everySkill({ skills, shadowed }: Snapshot): SkillMetadata[] {
  return [...skills, ...shadowed.map(({ skill }) => skill)];
}

function fitsNone(glob: string, skills: readonly SkillMetadata[]): boolean {
  const alone = chooseSkills(skills, { include: [glob] });
  return skills.every((skill) => alone.leftOut(skill) !== undefined);
}
