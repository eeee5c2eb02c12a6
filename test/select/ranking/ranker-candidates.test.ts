import { describe, expect, it } from 'vitest';
import { createListingSession, selectSkills } from '../../../packages/skillwright/src/select.ts';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { RankableSkill, RankedSkill, Ranker, RankerKind } from '../../../packages/skillwright/src/spec/ranker.ts';
import { sampleSkill } from '../../support/sample-metadata.ts';

const HIDDEN = 'Fill in PDF forms, extract tables from PDF files and flatten the fields of acroforms.';
const TOUCHED = 'Plan the seating of a wedding and print a file for the caterer.';
const TASK = 'extract the tables from these PDF forms, flatten the acroform fields and write a file';

const SKILLS: readonly RankableSkill[] = [
  { id: 'pdf', name: 'pdf-forms', description: HIDDEN },
  { id: 'seating', name: 'seating-plan', description: TOUCHED },
];

const isNotPdf = (id: string): boolean => id !== 'pdf';
const ids = (ranked: readonly RankedSkill[]): string[] => ranked.map(({ id }) => id);

/** Many skills that fit a task, each better than the one called `plain`. */
function crowd(kind: RankerKind): Ranker {
  const better = Array.from({ length: 300 }, (_, at) => ({
    id: `better-${at}`,
    name: `invoice-totals-${at}`,
    description: 'Add up invoice totals. Invoice totals by month, invoice totals by year.',
  }));
  const plain = { id: 'plain', name: 'bookkeeping', description: 'Keeps books; every invoice counts, and its totals.' };
  return createRanker([...better, plain], { ranker: kind });
}

describe('a ranker with a filter of skills', () => {
  it('does not raise the threshold because of other skills', () => {
    const ranker = createRanker(SKILLS);
    expect(ids(ranker.rank(TASK, { threshold: 0 }))).toEqual(['pdf', 'seating']);
    expect(ids(ranker.rank(TASK))).toEqual(['pdf']);
    expect(ranker.rank(TASK, { isCandidate: isNotPdf })).toEqual([]);
  });

  it('reports the best allowed skill with the same confidence as if it were the best of all', () => {
    const ranker = createRanker(SKILLS);
    const [, second] = ranker.rank(TASK, { threshold: 0 });
    const [alone] = ranker.rank(TASK, { threshold: 0, isCandidate: isNotPdf });
    expect(alone?.id).toBe('seating');
    expect(alone?.score).toBe(second?.score);
    expect(alone?.confidence).toBeGreaterThan(second?.confidence ?? 1);
  });

  it('returns the same result if every skill is allowed', () => {
    const ranker = createRanker(SKILLS);
    expect(ranker.rank(TASK, { isCandidate: () => true })).toEqual(ranker.rank(TASK));
  });

  it.each(['lexical', 'additive'] as const)('finds allowed skills behind any number of others (%s)', async (kind) => {
    const ranker = crowd(kind);
    const options = { limit: 1, threshold: 0, isCandidate: (id: string) => id === 'plain' };
    expect(ids(ranker.rank('invoice totals', { ...options, isCandidate: undefined }))).not.toContain('plain');
    expect(ids(ranker.rank('invoice totals', options))).toEqual(['plain']);
    expect(ids(await ranker.rankAsync('invoice totals', options))).toEqual(['plain']);
  });

  it('sends only allowed skills to an embedder', async () => {
    const seen: string[] = [];
    const embed = async (texts: string[]): Promise<number[][]> => {
      seen.push(...texts);
      return texts.map(() => [1, 0]);
    };
    const ranked = await createRanker(SKILLS).rankAsync(TASK, { threshold: 0, isCandidate: isNotPdf, embed });
    expect(ids(ranked)).toEqual(['seating']);
    expect(seen.filter((text) => text.includes('acroforms'))).toEqual([]);
  });

  it('asks about each skill once, and about none that shares no word with the task', () => {
    const asked: string[] = [];
    createRanker(SKILLS).rank('seating of a wedding', { isCandidate: (id) => asked.push(id) > 0 });
    expect(asked).toEqual(['seating']);
  });
});

describe('a selection', () => {
  it('ignores hidden skills when it decides whether another fits', () => {
    const skills = [
      sampleSkill('pdf-forms', { description: HIDDEN, mode: 'off' }),
      sampleSkill('seating-plan', { description: TOUCHED, mode: 'auto' }),
    ];
    const ranker = createRanker(skills.map(({ name, description }) => ({ id: name, name, description })));
    const input = { skills, session: createListingSession(), task: TASK };
    expect(ranker.rank(TASK)[0]?.id).toBe('pdf-forms');
    expect(selectSkills({ ...input, rank: (task, options) => ranker.rank(task, options) }).injected).toEqual([]);
  });
});
