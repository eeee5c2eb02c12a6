import { describe, expect, it } from 'vitest';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { RankableSkill, RankOptions, RankReason } from '../../../packages/skillwright/src/spec/ranker.ts';
import { proves } from '../../proves.ts';

const skill = (id: string, fields: Partial<RankableSkill> = {}): RankableSkill => ({
  id,
  name: id,
  description: '',
  ...fields,
});

function reasonsOf(entry: RankableSkill, task: string, options: RankOptions = {}): readonly RankReason[] {
  const [ranked] = createRanker([entry], { ranker: 'additive' }).rank(task, { threshold: -100, ...options });
  return ranked?.reasons ?? [];
}

const pointsOf = (reasons: readonly RankReason[], rule: RankReason['rule']): number | undefined =>
  reasons.find((reason) => reason.rule === rule)?.points;

describe('the table of points', () => {
  it('gives 6 for a name that the task contains verbatim', () => {
    proves('S4.scoring.name-verbatim');
    expect(pointsOf(reasonsOf(skill('pdf-forms'), 'Use PDF-Forms here'), 'name-verbatim')).toBe(6);
    expect(pointsOf(reasonsOf(skill('pdf-forms'), 'forms in pdf'), 'name-verbatim')).toBeUndefined();
  });

  it('gives 2 for each token of the name', () => {
    proves('S4.scoring.name-token');
    expect(pointsOf(reasonsOf(skill('deploy-staging-cluster'), 'deploy the cluster'), 'name-token')).toBe(4);
  });

  it('gives 3 for each tag that is part of the task', () => {
    proves('S4.scoring.tag');
    const tagged = skill('x', { tags: ['deploy', 'k8s', 'unused'] });
    expect(pointsOf(reasonsOf(tagged, 'redeployment on k8s'), 'tag')).toBe(6);
  });

  it('gives 1 for each token of the description, however often it occurs', () => {
    proves('S4.scoring.description-token');
    const described = skill('x', { description: 'Fill forms, merge forms, split pages' });
    expect(pointsOf(reasonsOf(described, 'merge the forms, forms, forms'), 'description-token')).toBe(2);
  });

  it('gives 2 for each token of the name in the background reason', () => {
    proves('S4.scoring.background-name');
    const reasons = reasonsOf(skill('nightly-report-mail', { tags: ['zzz'] }), 'zzz', {
      backgroundReason: 'the nightly report is due',
    });
    expect(pointsOf(reasons, 'background-name')).toBe(4);
  });

  it('gives 2 for each tag in the background reason', () => {
    proves('S4.scoring.background-tag');
    const reasons = reasonsOf(skill('x', { tags: ['cron', 'mail', 'zzz'] }), 'zzz', {
      backgroundReason: 'cron: send mail',
    });
    expect(pointsOf(reasons, 'background-tag')).toBe(4);
  });

  it('gives 2 for a tag of the provider, takes 2 for tags of other providers only, and does neither without a hint', () => {
    proves('S4.scoring.provider-hint');
    const provider = (tags: string[]): number | undefined =>
      pointsOf(reasonsOf(skill('name', { tags }), 'name', { provider: 'Anthropic' }), 'provider');
    expect(provider(['anthropic', 'openai'])).toBe(2);
    expect(provider(['openai', 'gemini'])).toBe(-2);
    expect(provider(['forms'])).toBeUndefined();
  });

  it('adds up the points', () => {
    const entry = skill('pdf-forms', { description: 'Fill forms', tags: ['pdf'] });
    const [ranked] = createRanker([entry], { ranker: 'additive' }).rank('fill pdf-forms');
    // 6 verbatim, 2 × 2 name tokens, 3 tag, 2 × 1 description tokens.
    expect(ranked?.score).toBe(15);
    expect(ranked?.confidence).toBeGreaterThan(0.5);
  });
});

describe('the additive ranker', () => {
  it('omits skills with fewer than 3 points', () => {
    proves('S4.scoring.min');
    const ranker = createRanker(
      [skill('two', { description: 'alpha beta' }), skill('three', { description: 'alpha beta gamma' })],
      {
        ranker: 'additive',
      },
    );
    expect(ranker.rank('alpha beta gamma').map(({ id }) => id)).toEqual(['three']);
    expect(ranker.rank('nothing of this')).toEqual([]);
  });

  it('returns at most five skills', () => {
    proves('S4.scoring.max');
    const many = Array.from({ length: 9 }, (_, at) => skill(`s${at}`, { tags: ['common'] }));
    expect(createRanker(many, { ranker: 'additive' }).rank('common')).toHaveLength(5);
  });

  it('breaks ties by installs, then by name', () => {
    proves('S4.scoring.tie-break');
    const tied = [
      skill('1', { name: 'delta', tags: ['common'] }),
      skill('2', { name: 'beta', tags: ['common'], installCount: 3 }),
      skill('3', { name: 'alpha', tags: ['common'] }),
      skill('4', { name: 'gamma', tags: ['common'], installCount: 9 }),
    ];
    expect(
      createRanker(tied, { ranker: 'additive' })
        .rank('common')
        .map(({ id }) => id),
    ).toEqual(['4', '2', '3', '1']);
  });

  it('ignores bodies and embedders', async () => {
    const ranker = createRanker([skill('pdf-forms', { body: 'whales' })], { ranker: 'additive' });
    ranker.setBody('pdf-forms', 'whales');
    expect([...ranker.indexBodies([{ id: 'pdf-forms', body: 'whales' }])]).toEqual([]);
    expect(ranker.rank('whales')).toEqual([]);
    expect(ranker.bodiesIndexed).toBe(0);
    expect(ranker.memoryBytes).toBeGreaterThan(0);
    const embed = (): Promise<number[][]> => Promise.reject(new Error('never asked'));
    expect(await ranker.rankAsync('pdf-forms', { embed })).toEqual(ranker.rank('pdf-forms'));
    ranker.remove(['pdf-forms']);
    expect(ranker.size).toBe(0);
  });
});
