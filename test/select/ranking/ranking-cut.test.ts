import { describe, expect, it } from 'vitest';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import { cutRanking, describeCut } from '../../../packages/skillwright/src/select.ts';
import type { Eagerness, RankableSkill, RankedSkill } from '../../../packages/skillwright/src/spec/ranker.ts';

const SKILLS: readonly RankableSkill[] = [
  { id: 'pdf', name: 'pdf-forms', description: 'Fill in PDF forms and extract tables from them.' },
  { id: 'csv', name: 'csv-tables', description: 'Read tables from CSV files and plot them.' },
  { id: 'mail', name: 'mail-reply', description: 'Draft replies to business mail.' },
];
const ALL: readonly Eagerness[] = ['low', 'normal', 'high'];

const ranked = (...confidences: number[]): RankedSkill[] =>
  confidences.map((confidence, at) => ({ id: `s${at}`, score: 10 - at, confidence, reasons: [] }));
const shownOf = (confidences: number[], eagerness?: Eagerness): number =>
  cutRanking(ranked(...confidences), { eagerness }).shown.length;

describe('a cut', () => {
  it('shows a clear winner alone, and equally good skills together', () => {
    expect(shownOf([0.95, 0.02, 0.01])).toBe(1);
    expect(shownOf([0.5, 0.48, 0.45, 0.01])).toBe(3);
  });

  it('shows nothing if the best skill is too unlikely', () => {
    for (const eagerness of ALL) expect(shownOf([0.009, 0.009], eagerness)).toBe(0);
    expect(shownOf([])).toBe(0);
  });

  it('shows more with more eagerness, and never a skill below 1 %', () => {
    const unsure = [0.3, 0.11, 0.05, 0.02, 0.009];
    expect(ALL.map((eagerness) => shownOf(unsure, eagerness))).toEqual([1, 4, 4]);
    expect(ALL.map((eagerness) => shownOf([0.03, 0.02], eagerness))).toEqual([0, 0, 2]);
  });

  it('shows at most maxSkills, 5 by default', () => {
    const equals = ranked(...Array.from({ length: 9 }, () => 0.5));
    expect(cutRanking(equals).shown).toHaveLength(5);
    expect(cutRanking(equals, { maxSkills: 2 })).toMatchObject({ reason: 'max-skills', next: { id: 's2' } });
    expect(cutRanking(equals, { maxSkills: Infinity })).toMatchObject({ reason: 'none', next: undefined });
  });

  it('does not depend on the order of a ranking that an embedder changed', () => {
    expect(cutRanking(ranked(0.01, 0.9)).shown.map(({ id }) => id)).toEqual(['s1']);
  });

  it('says why the next skill is not shown', () => {
    expect(describeCut(cutRanking(ranked(0.9, 0.02)))).toBe(
      "'s1' is at 2 %, too far behind the best skill: it would need 4 %.",
    );
    expect(describeCut(cutRanking(ranked(0.03)))).toBe("'s0' is at 3 %, and needs 4 % to be shown.");
    expect(describeCut(cutRanking(ranked(0.5, 0.5), { maxSkills: 1 }))).toBe(
      "A task gets at most 1 skill; 's1' would be next.",
    );
    expect(describeCut(cutRanking(ranked(0.5)))).toBe('No other skill has any word of the task.');
    expect(describeCut(cutRanking([]))).toBe('No skill has any word of the task.');
  });

  it('goes by points for the additive ranker', () => {
    const cut = cutRanking(
      [
        { id: 'a', score: 4, confidence: 0.25, reasons: [] },
        { id: 'b', score: 2, confidence: 0.14, reasons: [] },
      ],
      { ranker: 'additive', eagerness: 'low' },
    );
    expect(cut).toMatchObject({ shown: [{ id: 'a' }], reason: 'points', needed: 3 });
    expect(describeCut(cut)).toBe("'b' has 2 points, fewer than 3.");
  });
});

describe.each(['lexical', 'additive'] as const)('rank without a limit (%s)', (kind) => {
  const ranker = createRanker(SKILLS, { ranker: kind });
  const task = 'extract the tables from these pdf forms';
  const plain = ranker.rank(task, { limit: SKILLS.length, threshold: 0 });

  it.each(ALL)('returns what the cut of the plain ranking shows, with eagerness %s', (eagerness) => {
    const shown = ranker.rank(task, { eagerness });
    expect(shown).toEqual(cutRanking(plain, { eagerness, ranker: kind }).shown);
    expect(shown[0]?.id).toBe('pdf');
  });

  it('returns the same as rankAsync without an embedder', async () => {
    expect(await ranker.rankAsync(task, { maxSkills: 1 })).toEqual(ranker.rank(task, { maxSkills: 1 }));
    expect(ranker.rank(task, { maxSkills: 1 })).toHaveLength(1);
  });

  it.each([{ maxSkills: 0 }, { maxSkills: 1.5 }, { eagerness: 'eager' as Eagerness }])('rejects %j', (options) => {
    expect(() => ranker.rank(task, options)).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
  });
});

describe('the confidence', () => {
  it('is high for an obvious match, and low for its neighbors', () => {
    const [best, ...others] = createRanker(SKILLS).rank('fill in pdf forms', { limit: 3, threshold: 0 });
    expect(best?.confidence).toBeGreaterThan(0.8);
    for (const { confidence } of others) expect(confidence).toBeLessThan(0.1);
  });

  it('never increases down the ranking', () => {
    const confidences = createRanker(SKILLS)
      .rank('read tables from a mail', { limit: 3, threshold: 0 })
      .map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
  });

  it.each(['yes', 'go on', 'thank you', 'hello', 'please continue'])(
    'is too low for a skill if the task is "%s"',
    (task) => {
      const talking = {
        id: 'talk',
        name: 'phrases',
        description: 'Small talk.',
        body: 'Say hello, yes or thank you; go on, continue.',
      };
      expect(createRanker([...SKILLS, talking]).rank(task)).toEqual([]);
    },
  );
});
