import { modeOf } from '../../policy/visibility/visibility.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { alwaysThere, rankedHigh, type InjectedSkill } from './injected-skill.ts';
import { isOfferable } from './selection-offer.ts';
import type { SelectionInput } from './selection.ts';
import { MAX_TASK_MATCHES } from '../triggers/triggers.ts';

/** What is put before the model as it is, without a listing: skills that are `on`, then those that rank, best first. */
export function injectedSkills(input: Omit<SelectionInput, 'session'>): readonly InjectedSkill[] {
  const { skills, facts = {} } = input;
  const always = skills.filter((skill) => modeOf(skill, facts) === 'on' && isOfferable(skill, facts));
  return [...always.map(alwaysThere), ...rankLazily(input)];
}

/** Looks only at skills that rank: there may be thousands that do not. */
function rankLazily(input: Omit<SelectionInput, 'session'>): readonly InjectedSkill[] {
  const { skills, facts = {}, task, rank, limit = MAX_TASK_MATCHES } = input;
  if (rank === undefined || task === undefined || task.trim() === '') return [];
  const byName = namesOf(skills);
  const isCandidate = (name: string): boolean => {
    const skill = byName.get(name);
    return skill !== undefined && modeOf(skill, facts) !== 'on' && isOfferable(skill, facts);
  };
  for (let room = limit; ; room *= 2) {
    const ranked = rank(task, { limit: room, isCandidate });
    const fitting = ranked.filter(({ id }) => isCandidate(id)).slice(0, limit);
    // A ranker that does not know `isCandidate` may have filled the room with others.
    if (fitting.length === limit || ranked.length < room)
      return fitting.map((found) => rankedHigh(byName.get(found.id) as SkillMetadata, found));
  }
}

/** By the list that they are made of, which never changes. */
const NAMES = new WeakMap<readonly SkillMetadata[], ReadonlyMap<string, SkillMetadata>>();

function namesOf(skills: readonly SkillMetadata[]): ReadonlyMap<string, SkillMetadata> {
  const known = NAMES.get(skills) ?? new Map(skills.map((skill) => [skill.name, skill]));
  NAMES.set(skills, known);
  return known;
}
