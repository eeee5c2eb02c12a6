import { modeOf } from '../../policy/visibility/visibility.ts';
import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import { selectForTask } from './for-task.ts';
import { isOfferable } from './selection-offer.ts';
import { describeRankReason } from './selection-reason.ts';
import type { SelectionInput } from './selection.ts';

/** A skill that is put before a model, and why. */
export interface InjectedSkill {
  readonly skill: SkillMetadata;
  readonly mode: SkillMode;
  /** As the ranker gave it; absent for a skill that is `on`. */
  readonly score?: number;
  readonly reasons: readonly string[];
}

const ALWAYS_THERE = ["Its mode is 'on': it is always there."];

/** What is put before the model as it is, without a listing: skills that are `on`, then those that rank, best first. */
export function injectedSkills(input: Omit<SelectionInput, 'session'>): readonly InjectedSkill[] {
  const { skills, facts = {}, task, rank, limit } = input;
  const selected = selectForTask<SkillMetadata>({
    all: skills,
    find: (name) => namesOf(skills).get(name),
    modeOf: (skill) => modeOf(skill, facts),
    isOfferable: (skill) => isOfferable(skill, facts),
    task,
    rank,
    limit,
  });
  return selected.map(({ item: skill, ranked }): InjectedSkill =>
    ranked === undefined
      ? { skill, mode: 'on', reasons: ALWAYS_THERE }
      : { skill, mode: 'auto', score: ranked.score, reasons: ranked.reasons.map(describeRankReason) },
  );
}

/** By the list that they are made of, which never changes. */
const NAMES = new WeakMap<readonly SkillMetadata[], ReadonlyMap<string, SkillMetadata>>();

function namesOf(skills: readonly SkillMetadata[]): ReadonlyMap<string, SkillMetadata> {
  const known = NAMES.get(skills) ?? new Map(skills.map((skill) => [skill.name, skill]));
  NAMES.set(skills, known);
  return known;
}
