import type { RankField, RankReason, RankRule } from '../../spec/ranker.ts';

const SENTENCES: Readonly<Record<RankRule, string>> = {
  words: 'it has words of the task',
  phrase: 'words of the task stand next to each other',
  name: 'the task has words of its name',
  coverage: 'it covers the task',
  'out-of-scope': 'it says that it is not for this',
  embedding: 'it is near in meaning',
  'embedding-failed': 'the embedder failed, so that words alone decided',
  'body-pending': 'its instructions are not indexed yet',
  'name-verbatim': 'its name is in the task word for word',
  'name-token': 'words of its name are in the task',
  tag: 'its tags are in the task',
  'description-token': 'words of its description are in the task',
  'background-name': 'words of its name are in the background reason',
  'background-tag': 'its tags are in the background reason',
  provider: 'its tags name a provider',
};

const HOLDERS: Readonly<Record<RankField, string>> = {
  name: 'its name has',
  description: 'its description has',
  tags: 'its tags have',
  headings: 'its headings have',
  body: 'its instructions have',
};

/** A ranker's reason for people: `its description has pdf, tables (+2.1)`. */
export function describeRankReason({ rule, field, terms, points }: RankReason): string {
  const words = terms.join(', ');
  const isHeld = rule === 'words' && field !== undefined && words !== '';
  const sentence = rule === 'coverage' && points < 0 ? 'it covers only part of the task' : SENTENCES[rule];
  const said = isHeld ? `${HOLDERS[field]} ${words}` : words === '' ? sentence : `${sentence}: ${words}`;
  const rounded = Math.round(points * 100) / 100;
  return rounded === 0 ? said : `${said} (${rounded > 0 ? '+' : ''}${rounded})`;
}
