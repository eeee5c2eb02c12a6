import { describe, expect, it } from 'vitest';
import type { RankedSkill } from '../../spec/ranker.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { runCase, type EvalCase, type EvalOutcome } from './outcome.ts';
import { reportOutcomes, type EvalReport } from './report.ts';
import { asWritten, tellingWords } from './words.ts';

const skills = [
  { name: 'diff', description: 'Compare two files and show what changed in each line.', tags: ['compare'] },
  { name: 'review', description: 'Review the files of a change for bugs.' },
  { name: 'words', description: 'Count words.' },
] as unknown as SkillMetadata[];

type Answer = readonly [name: string, confidence: number, ...terms: string[]];

function outcome(skill: string, query: string, shouldTrigger: boolean, ...answers: readonly Answer[]): EvalOutcome {
  const item: EvalCase = { skill, query, shouldTrigger, path: 'set.json', line: 1 };
  const ranked = answers.map(([id, confidence, ...terms], index): RankedSkill => ({
    id,
    confidence,
    score: 10 - index,
    reasons: [
      { rule: 'words', field: 'description', terms, points: 1 },
      { rule: 'words', field: 'body', terms: ['body'], points: 1 },
    ],
  }));
  return runCase(item, () => ranked);
}

const report = (...outcomes: EvalOutcome[]): EvalReport => reportOutcomes(outcomes, skills);

describe('reportOutcomes', () => {
  it('measures recall over all queries and for each skill', () => {
    const result = report(
      outcome('diff', 'a', true, ['diff', 0.9]),
      outcome('diff', 'b', true, ['review', 0.9], ['diff', 0.1]),
      outcome('words', 'c', true),
    );
    expect(result).toMatchObject({ shouldTrigger: 3, first: 1, found: 2, recallAt1: 1 / 3, recallAt5: 2 / 3 });
    expect(result.skills.map(({ name, recallAt1, recallAt5 }) => [name, recallAt1, recallAt5])).toEqual([
      ['diff', 0.5, 1],
      ['words', 0, 0],
    ]);
    expect(result.nothingFits.map(({ query }) => query)).toEqual(['c']);
  });

  it('counts a skill as found only among the first five', () => {
    const others = ['a', 'b', 'c', 'd', 'e'].map((name): Answer => [name, 0.5]);
    expect(outcome('diff', 'x', true, ...others.slice(1), ['diff', 0.1])).toMatchObject({ rank: 5, confidence: 0.1 });
    expect(outcome('diff', 'x', true, ...others, ['diff', 0.1])).toMatchObject({ rank: 0, confidence: 0 });
  });

  it('counts false positives that are injected, ranked first, or ranked first with a confidence of at least 0.5', () => {
    const { falsePositives, shouldNotTrigger, recallAt1 } = report(
      outcome('diff', 'a', false, ['diff', 0.5]),
      outcome('diff', 'b', false, ['diff', 0.49]),
      outcome('diff', 'c', false, ['review', 0.9], ['diff', 0.6]),
      outcome('diff', 'd', false, ['review', 0.9]),
    );
    expect({ falsePositives, shouldNotTrigger, recallAt1 }).toEqual({
      falsePositives: { injected: 3, first: 2, sure: 1, rate: 0.25 },
      shouldNotTrigger: 4,
      recallAt1: null,
    });
  });

  it("lists pairs of skills of which one attracts the other's queries, with the words they share", () => {
    const { confusions } = report(
      outcome('diff', 'which files changed', true, ['review', 0.9, 'file', 'chang'], ['diff', 0.5]),
      outcome('diff', 'changed lines', true, ['review', 0.9]),
      outcome('review', 'look at what changed', true, ['diff', 0.9]),
      outcome('words', 'count files', true, ['diff', 0.9]),
      outcome('words', 'not one of them', false, ['diff', 0.9]),
    );
    expect(confusions.map(({ skills: pair, lost, sharedWords }) => ({ pair, lost, sharedWords }))).toEqual([
      { pair: ['diff', 'review'], lost: [2, 1], sharedWords: ['files', 'changed'] },
      { pair: ['words', 'diff'], lost: [1, 0], sharedWords: [] },
    ]);
  });

  it('leaves words out of the shared words if a skill says that it is not for them', () => {
    const fighting = [
      { name: 'pdf', description: 'Fill in forms. Do not use for spreadsheets.' },
      { name: 'sheet', description: 'Fill spreadsheets. Not for forms.' },
    ] as unknown as SkillMetadata[];
    const lost = outcome('pdf', 'fill it', true, ['sheet', 0.9]);
    expect(reportOutcomes([lost], fighting).confusions[0]?.sharedWords).toEqual(['fill']);
  });

  it("suggests words in unspaced scripts that attract other skills' queries", () => {
    const chinese = [{ name: 'a', description: '翻译合同' }] as unknown as SkillMetadata[];
    const [a] = reportOutcomes([outcome('a', '翻译小说', false, ['a', 0.3, '翻译'])], chinese).skills;
    expect(a?.suggestion.attractingWords).toEqual(['翻译']);
  });

  it('suggests words of missed queries that the description lacks', () => {
    const [diff] = report(
      outcome('diff', 'please spot the difference between these drafts', true),
      outcome('diff', 'difference of 2 files', true, ['review', 0.9], ['diff', 0.2]),
      outcome('diff', 'compare wine', true, ['diff', 0.9]),
    ).skills;
    expect(diff?.suggestion).toEqual({
      missingWords: ['difference', 'spot', 'drafts'],
      attractingWords: [],
      attracted: 0,
    });
    expect(diff?.misses.map(({ rank }) => rank)).toEqual([0, 2]);
  });

  it("suggests words that attract other skills' queries", () => {
    const [diff] = report(
      outcome('diff', 'compare prices', false, ['diff', 0.3, 'compar']),
      outcome('review', 'comparing changes', true, ['diff', 0.3, 'compar', 'chang'], ['review', 0.2]),
    ).skills;
    expect(diff?.suggestion).toEqual({ missingWords: [], attractingWords: ['compare', 'changes'], attracted: 2 });
    expect(diff?.falseFirsts.map(({ query }) => query)).toEqual(['compare prices']);
  });

  it('gives the same report for the same outcomes in another order', () => {
    const outcomes = [
      outcome('diff', 'a', true, ['review', 0.9]),
      outcome('review', 'b', true, ['words', 0.9]),
      outcome('words', 'c', true, ['diff', 0.9]),
    ];
    const shape = ({ confusions, skills: evaluated }: EvalReport) => [confusions, evaluated.map(({ name }) => name)];
    expect(shape(report(...outcomes))).toEqual(shape(report(...outcomes.toReversed())));
  });

  it('returns an empty report without outcomes', () => {
    expect(report()).toMatchObject({ recallAt1: null, recallAt5: null, skills: [], confusions: [], nothingFits: [] });
  });
});

describe('tellingWords', () => {
  it.each([
    ['cuánto IRPF tengo que retener en una factura', ['irpf', 'retener', 'factura']],
    ['comment puis-je traduire une facture avec des accents', ['traduire', 'facture', 'accents']],
    ['kannst du bitte die Rechnung für mich übersetzen', ['rechnung', 'übersetzen']],
    ['帮我翻译这份合同', ['翻译', '合同']],
    ['use data to pour a son', ['data', 'pour', 'son']],
  ])('finds the topic words of %j', (text, words) => {
    const found = [...tellingWords(text).values()];
    expect(found).toEqual(expect.arrayContaining(words));
    for (const word of ['cuánto', 'tengo', 'que', 'une', 'avec', 'kannst', 'bitte', 'die', 'für', '帮', '我', '这份'])
      expect(found).not.toContain(word);
  });

  it('folds accents like the ranker', () => {
    expect([...tellingWords('traducción').keys()]).toEqual([...tellingWords('traduccion').keys()]);
    expect(asWritten(['traduccion'], 'una Traducción')).toEqual(['traducción']);
  });

  it('leaves out common words, numbers and data', () => {
    expect([...tellingWords(`please help me count the 12 words of ${'x'.repeat(41)}`).values()]).toEqual([
      'count',
      'words',
    ]);
  });

  it('handles texts of any length and kind', () => {
    expect(tellingWords('\uD800 🎉 .*+?^${}()|[]\\').size).toBe(0);
    expect(tellingWords('word '.repeat(200_000)).size).toBe(1);
  });
});

describe('asWritten', () => {
  it('restores stems to their form in the text', () => {
    expect(asWritten(['compar', 'file nam', 'unknown'], 'Comparing File naming')).toEqual([
      'comparing',
      'file naming',
      'unknown',
    ]);
  });
});
