import type { RankReason, RankRule } from '../spec/ranker.ts';

const SENTENCES: Readonly<Record<RankRule, string>> = {
  words: 'has words of the task',
  phrase: 'has words of the task next to each other',
  name: 'its name is in the task',
  coverage: 'covers the task',
  'out-of-scope': 'says it is not for this',
  embedding: 'is near in meaning',
  'embedding-failed': 'the embedder failed, so that words alone decided',
  'body-pending': 'its instructions are not indexed yet',
  'name-verbatim': 'its name is in the task word for word',
  'name-token': 'a word of its name is in the task',
  tag: 'a tag is in the task',
  'description-token': 'words of its description are in the task',
  'background-name': 'a word of its name is in the background reason',
  'background-tag': 'a tag is in the background reason',
  provider: 'its tags name a provider',
};

/** A ranker's reason for people: `has words of the task: pdf, tables (description, +2.1)`. */
export function describeRankReason({ rule, field, terms, points }: RankReason): string {
  const where = field === undefined ? '' : `${field}, `;
  const which = terms.length === 0 ? '' : `: ${terms.join(', ')}`;
  const rounded = Math.round(points * 100) / 100;
  const sentence = rule === 'coverage' && points < 0 ? 'covers only part of the task' : SENTENCES[rule];
  return `${sentence}${which}${rounded === 0 ? '' : ` (${where}${rounded > 0 ? '+' : ''}${rounded})`}`;
}
