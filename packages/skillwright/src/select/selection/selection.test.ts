import { expect, it } from 'vitest';
import type { RankedSkill } from '../../spec/ranker.ts';
import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import { injectedSkills, selectSkills, type SelectionInput } from './selection.ts';
import { createListingSession } from '../listing/listing.ts';

const MODES: readonly (SkillMode | undefined)[] = ['on', 'off', 'auto', undefined];

/** Skills of every mode, with and without a reason to hide them. */
const SKILLS = Array.from({ length: 40 }, (_, index) => {
  const name = `skill-${index}`;
  const triggers = index % 7 === 0 ? ['session_start'] : undefined;
  const own = {
    name,
    qualifiedName: name,
    description: 'x',
    filePath: `/${name}/SKILL.md`,
    trust: 'trusted',
    triggers,
  };
  return {
    ...own,
    mode: MODES[index % 4],
    disableModelInvocation: index % 11 === 0,
    ...(index % 13 === 0 ? { paths: ['*.md'] } : {}),
  } as unknown as SkillMetadata;
});

/** Every skill matches, in the order of the names. */
const ALL = SKILLS.map(({ name }, index): RankedSkill => ({
  id: name,
  score: 1 - index / 100,
  confidence: 1,
  reasons: [],
}));

it.each([
  ['supports candidates', true],
  ['does not support candidates', false],
])('injectedSkills returns the same skills as selectSkills injects, with a ranker that %s', (_what, knows) => {
  const rank: SelectionInput['rank'] = (_task, { limit, isCandidate }) =>
    ALL.filter(({ id }) => !knows || isCandidate?.(id) === true).slice(0, limit);
  for (const limit of [1, 3, 5, 30]) {
    const input = { skills: SKILLS, task: 'anything', rank, limit };
    const selected = selectSkills({ ...input, session: createListingSession() });
    expect(injectedSkills(input)).toEqual(selected.injected);
    expect(selected.injected.length).toBeGreaterThan(limit === 1 ? 1 : 3);
  }
});

it('injectedSkills checks a skill that does not rank only once', () => {
  const asked: string[] = [];
  const modeOf = ({ name }: SkillMetadata): SkillMode => {
    asked.push(name);
    return 'auto';
  };
  const rank = (): readonly RankedSkill[] => ALL.slice(0, 1);
  expect(injectedSkills({ skills: SKILLS, task: 'anything', rank, facts: { modeOf } })).toHaveLength(0);
  // Once, to find out whether it is always selected.
  expect(asked.filter((name) => name === 'skill-9')).toHaveLength(1);
});

it('injectedSkills returns only the skills of mode on if the task is empty', () => {
  expect(injectedSkills({ skills: SKILLS, task: ' ', rank: () => ALL }).every(({ mode }) => mode === 'on')).toBe(true);
});
