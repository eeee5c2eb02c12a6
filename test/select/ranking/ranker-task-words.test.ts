import { describe, expect, it } from 'vitest';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { RankableSkill, RankedSkill } from '../../../packages/skillwright/src/spec/ranker.ts';

const ids = (ranked: readonly RankedSkill[]): string[] => ranked.map(({ id }) => id);
const plain = { limit: 5, threshold: 0 };

describe('siblings for several languages', () => {
  const ranker = createRanker(
    ['dotnet', 'java', 'py', 'ts'].map((language) => ({
      id: language,
      name: `blob-storage-${language}`,
      description: 'Upload, list and delete blobs in a storage account.',
    })),
  );

  it.each([
    ['upload a blob to the storage account with C#', 'dotnet'],
    ['list all blobs in Java', 'java'],
    ['delete blobs with a pip package', 'py'],
    ['use begin_upload_blob and list_blobs', 'py'],
    ['upload a blob from TypeScript', 'ts'],
  ])('follow the words of the task: %s', (task, language) => {
    const [best, second] = ranker.rank(task, plain);
    expect(best?.id).toBe(language);
    expect(second?.reasons.find(({ rule }) => rule === 'language')?.points).toBeLessThan(0);
  });

  it('are equals if the task does not show a language', () => {
    const scores = ranker.rank('upload a blob to the storage account', plain).map(({ score }) => score);
    expect(new Set(scores).size).toBe(1);
  });

  it('have scores that the reasons add up to', () => {
    for (const { score, reasons } of ranker.rank('list all blobs in Java', plain))
      expect(reasons.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score, 3);
  });
});

describe('words that a task negates', () => {
  const SKILLS: readonly RankableSkill[] = [
    { id: 'video', name: 'video-detect', description: 'Detect cars in a video.' },
    { id: 'kafka', name: 'kafka-publish', description: 'Publish detections of cars to Kafka.' },
  ];

  it('count little, unless the task also wants them', () => {
    const scoreOf = (task: string): number =>
      createRanker(SKILLS)
        .rank(task, plain)
        .find(({ id }) => id === 'kafka')?.score ?? 0;
    expect(scoreOf('detect cars in this video, without Kafka')).toBeLessThan(
      scoreOf('detect cars in this video with Kafka') / 2,
    );
    expect(scoreOf('publish to Kafka, no other Kafka topic')).toBeGreaterThan(scoreOf('publish, no other Kafka topic'));
  });
});

describe('a skill that is out of scope', () => {
  const clause = 'Roll a release out to the staging cluster. Do not use for production rollbacks.';
  const ranker = createRanker([
    { id: 'staging', name: 'deploy-staging', description: clause },
    { id: 'other', name: 'cluster-report', description: 'Report on rollbacks.' },
  ]);

  it('moves down but stays in the plain ranking, and is not shown', () => {
    const task = 'production rollbacks of a release';
    expect(ids(ranker.rank(task, plain))).toEqual(['other', 'staging']);
    expect(ids(ranker.rank(task))).not.toContain('staging');
  });
});

describe('a section of a body that says when not to use the skill', () => {
  const body = (title: string): string =>
    `# Guide\n\nSort the ledger.\n\n${title}\n\n- Tax returns of companies\n\n## Steps\n\nBalance the accounts.`;
  const scoreOf = (title: string, task: string): number =>
    createRanker([{ id: 'a', name: 'bookkeeping', description: 'Keep books.', body: body(title) }]).rank(task, plain)[0]
      ?.score ?? 0;

  it.each(['## When not to use', '## When NOT to Use this Skill', '**Do not use this skill for**', '### Out of scope'])(
    'counts for nothing: %s',
    (title) => {
      expect(scoreOf(title, 'tax returns')).toBe(0);
      expect(scoreOf(title, 'balance the accounts')).toBeGreaterThan(0);
    },
  );

  it('is read if its title says something else', () => {
    expect(scoreOf('## When to use', 'tax returns')).toBeGreaterThan(0);
  });
});
