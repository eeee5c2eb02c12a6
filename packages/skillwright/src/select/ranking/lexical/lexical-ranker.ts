import type { AsyncRankOptions, Embed, RankableSkill, RankedSkill, Ranker, RankOptions } from '../../../spec/ranker.ts';
import {
  FUSED_CANDIDATES,
  fuseMeaning,
  type VectorCache,
  WHOLLY_COMPARED,
  withoutMeaning,
} from '../embedding/embedding-fusion.ts';
import { rankByWords, type WordRanking } from './answer.ts';
import { LexicalIndex } from '../index/lexical-index.ts';
import { LEAST_CONFIDENCE } from './weights.ts';
import { cutRanking } from '../cut.ts';
import {
  assertAsyncRanking,
  assertRanking,
  isPlainRanking,
  takeLimit,
  takeMaxSkills,
  takeThreshold,
} from '../rank-options.ts';

const SLICE_MS = 8;

/** Ranks by the words of name, description, tags, headings and body (BM25F), with a calibrated confidence. */
export function createLexicalRanker(skills: Iterable<RankableSkill>, index: LexicalIndex = new LexicalIndex()): Ranker {
  const vectors: VectorCache = new Map();
  const rank = (task: string, options: RankOptions): RankedSkill[] => {
    if (isPlainRanking(options)) {
      const threshold = takeThreshold(options, LEAST_CONFIDENCE);
      return rankByWords(task, options, index).answer(takeLimit(options), threshold);
    }
    const limit = takeMaxSkills(options);
    return [...cutRanking(rankByWords(task, { ...options, limit }, index).answer(limit, 0), options).shown];
  };
  const ranker: Ranker = {
    rank(task, options = {}) {
      assertRanking(task, options);
      return rank(task, options);
    },
    async rankAsync(task, options = {}) {
      assertAsyncRanking(task, options);
      const { embed } = options;
      return embed === undefined ? rank(task, options) : rankByMeaning(task, { ...options, embed }, index, vectors);
    },
    add(added) {
      for (const skill of added) index.add(skill);
    },
    remove(ids) {
      for (const id of ids) {
        index.remove(id);
        vectors.delete(id);
      }
    },
    setBody: (id, body) => index.setBody(id, body),
    *indexBodies(bodies, sliceMs = SLICE_MS) {
      let taken = 0;
      let sliceEnd = performance.now() + sliceMs;
      for (const { id, body } of bodies) {
        index.setBody(id, body);
        taken += 1;
        if (performance.now() < sliceEnd) continue;
        yield taken;
        sliceEnd = performance.now() + sliceMs;
      }
    },
    get size() {
      return index.size;
    },
    get bodiesIndexed() {
      return index.bodies;
    },
    get memoryBytes() {
      return index.bytes;
    },
  };
  ranker.add(skills);
  return ranker;
}

/**
 * Ranks by words and meaning together, before the threshold drops any skill. If the embedder fails, ranks only by
 * words.
 */
async function rankByMeaning(
  task: string,
  options: AsyncRankOptions & { readonly embed: Embed },
  index: LexicalIndex,
  cache: VectorCache,
): Promise<RankedSkill[]> {
  const { embed, signal, embedTimeoutMs } = options;
  const isPlain = isPlainRanking(options);
  const limit = isPlain ? takeLimit(options) : takeMaxSkills(options);
  const threshold = isPlain ? takeThreshold(options, LEAST_CONFIDENCE) : 0;
  const best = (ranked: readonly RankedSkill[]): readonly RankedSkill[] =>
    isPlain ? ranked.slice(0, limit) : cutRanking(ranked, options).shown;
  const ranking = rankByWords(task, { ...options, limit }, index);
  const byWords = ranking.answer(Infinity, threshold);
  const candidates = candidatesOf(ranking, Math.max(limit, FUSED_CANDIDATES), index);
  const skillOf = (id: string): RankableSkill | undefined => index.get(id);
  const fused = await fuseMeaning({ task, candidates, skillOf, embed, cache, signal, embedTimeoutMs });
  if ('problem' in fused) return withoutMeaning(best(byWords), fused.problem);
  const fitsByWords = new Set(byWords.map(({ id }) => id));
  return [...best(fused.ranked.filter(({ id, confidence }) => confidence >= threshold || fitsByWords.has(id)))];
}

/**
 * The skills to compare by meaning: those that rank best by words and are not out of scope. If there are few skills,
 * all others that may be in the answer follow.
 */
function candidatesOf(ranking: WordRanking, most: number, index: LexicalIndex): RankedSkill[] {
  const nearest = ranking
    .answer(index.size > WHOLLY_COMPARED ? most : Infinity, 0)
    .filter(({ id }) => !ranking.isOutOfScope(id));
  return index.size > WHOLLY_COMPARED ? nearest : nearest.concat(ranking.others());
}
