import { describe, expect, it } from 'vitest';
import type { SkillMetadata } from '../../packages/skillwright/src/index.ts';
import {
  chooseSkills,
  createListingSession,
  selectSkills,
  type Selection,
  type SelectionInput,
} from '../../packages/skillwright/src/select.ts';
import { proves } from '../proves.ts';
import { sampleSkill } from '../support/sample-metadata.ts';

/** Ranks the skills that the task names, in the order of the skills. */
const rankOver =
  (skills: readonly SkillMetadata[]): NonNullable<SelectionInput['rank']> =>
  (task, { limit }) =>
    skills
      .filter(({ name }) => task.includes(name))
      .slice(0, limit)
      .map(({ name }) => ({
        id: name,
        score: 2.345,
        confidence: 1,
        reasons: [{ rule: 'name', terms: [name], points: 2.345 }],
      }));

function select(
  skills: readonly SkillMetadata[],
  task: string | undefined,
  more: Partial<SelectionInput> = {},
): Selection {
  return selectSkills({ skills, session: createListingSession(), task, rank: rankOver(skills), ...more });
}

const listed = ({ listed: shown }: Selection): string[] => shown.map(({ name }) => name);
const injected = (selection: Selection): string[] => selection.injected.map(({ skill }) => skill.name);

describe('a selection', () => {
  const skills = [
    sampleSkill('always', { mode: 'on' }),
    sampleSkill('never', { mode: 'off' }),
    sampleSkill('maybe', { mode: 'auto' }),
    sampleSkill('plain'),
  ];

  it('contains skills that are on for any task, and none that is off', () => {
    proves('S4.mode.on', 'S4.mode.off');
    for (const task of [undefined, '', 'something else', 'always never']) {
      const selection = select(skills, task);
      expect(injected(selection)).toEqual(['always']);
      expect(listed(selection)).toEqual(['always', 'plain']);
    }
  });

  it('contains automatic skills when they rank, with the reasons', () => {
    const selection = select(skills, 'do maybe and plain');
    expect(injected(selection)).toEqual(['always', 'maybe', 'plain']);
    expect(selection.injected[1]).toMatchObject({
      mode: 'auto',
      score: 2.345,
      reasons: ['the task has words of its name: maybe (+2.35)'],
    });
    expect(listed(selection)).toEqual(['always', 'maybe', 'plain']);
    expect(selection.needsSearch).toBe(false);
  });

  it('gives the reason for every skill it withholds', () => {
    const { reasons, needsSearch } = select(skills, 'nothing');
    expect(reasons.map(({ name, state }) => [name, state])).toEqual([
      ['always', 'injected'],
      ['never', 'withheld'],
      ['maybe', 'withheld'],
    ]);
    expect(reasons[2]?.reasons[0]).toContain("'auto'");
    expect(needsSearch).toBe(true);
  });

  it('takes the best few, and skills that cannot be shown do not count', () => {
    const crowd = Array.from({ length: 20 }, (_, index) =>
      sampleSkill(`s${String(index).padStart(2, '0')}x`, index < 10 ? { disableModelInvocation: true } : {}),
    );
    const task = crowd.map(({ name }) => name).join(' ');
    expect(injected(select(crowd, task))).toEqual(['s10x', 's11x', 's12x', 's13x', 's14x']);
    expect(injected(select(crowd, task, { limit: 2 }))).toEqual(['s10x', 's11x']);
  });

  it('omits skills that wait for other triggers, are for people, or were not chosen', () => {
    const others = [
      sampleSkill('errors', { triggers: ['tool_call_error'] }),
      sampleSkill('people', { disableModelInvocation: true }),
      sampleSkill('sql', { paths: ['*.sql'] }),
      sampleSkill('unchosen'),
    ];
    const task = 'errors people sql unchosen';
    const chosen = chooseSkills(others, { exclude: ['unchosen'] });
    expect(injected(select(others, task, { facts: { chosen } }))).toEqual([]);
    expect(injected(select(others, task, { facts: { chosen, files: ['a.sql'] } }))).toEqual(['sql']);
  });

  it('works without a ranker', () => {
    expect(injected(select(skills, 'maybe', { rank: undefined }))).toEqual(['always']);
  });
});

describe('the selections of one conversation', () => {
  it('keep the listing and add new skills to it', () => {
    const skills = ['red', 'green', 'blue'].map((name) => sampleSkill(name, { mode: 'auto' }));
    const session = createListingSession();
    const texts = ['about red', 'about blue', 'about red again', 'about green', 'about nothing'].map(
      (task) => select(skills, task, { session }).listing.text,
    );
    for (const [turn, text] of texts.entries()) expect(text.startsWith(texts[turn - 1] ?? '')).toBe(true);
    expect(session.listing?.shown.map(({ name }) => name)).toEqual(['red', 'blue', 'green']);
    expect(session.unavailable('red')).toBeUndefined();
  });

  it('mark a skill that was turned off meanwhile as unavailable', () => {
    const skills = [sampleSkill('red'), sampleSkill('blue')];
    const session = createListingSession();
    const { text } = select(skills, 'x', { session }).listing;
    const after = select(skills, 'x', {
      session,
      facts: { modeOf: ({ name }) => (name === 'red' ? 'off' : undefined) },
    });
    expect(after.listing.text).toBe(text);
    expect(session.unavailable('red')).toContain('no longer available');
  });
});
