import type { RankableSkill, RankedSkill, Ranker, RankOptions } from '../../spec/ranker.ts';
import { confidenceOf } from './confidence.ts';
import { FUSED_CANDIDATES, fuseMeaning, type VectorCache } from './embedding-fusion.ts';
import { scoreCandidates } from './lexical-candidates.ts';
import { LexicalIndex } from './lexical-index.ts';
import { explain } from './lexical-reasons.ts';
import { rarity, scoreWords } from './lexical-scores.ts';
import { readTask } from './lexical-task.ts';
import { LEAST_CONFIDENCE } from './lexical-weights.ts';
import { takeLimit, takeThreshold } from './rank-options.ts';

const SLICE_MS = 8;

/** Ranks by the words of name, description, tags, headings and body (BM25F), with a calibrated confidence. */
export function createLexicalRanker(skills: Iterable<RankableSkill>): Ranker {
  const index = new LexicalIndex();
  const vectors: VectorCache = new Map();
  const ranker: Ranker = {
    rank: (task, options = {}) => rankByWords(task, options, index),
    async rankAsync(task, options = {}) {
      const { embed, ...rest } = options;
      const limit = takeLimit(rest);
      if (embed === undefined) return rankByWords(task, rest, index);
      const candidates = rankByWords(task, { ...rest, limit: Math.max(limit, FUSED_CANDIDATES) }, index);
      const fused = await fuseMeaning(task, candidates, (id) => index.get(id), embed, vectors);
      return fused.slice(0, limit);
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

function rankByWords(task: string, options: RankOptions, index: LexicalIndex): RankedSkill[] {
  const limit = takeLimit(options);
  const threshold = takeThreshold(options, LEAST_CONFIDENCE);
  index.settle();
  const read = readTask([options.backgroundReason ?? '', task].join('\n').trim(), index);
  const words = scoreWords(read, index);
  const candidates = scoreCandidates(read, words, index, {
    least: Math.min(limit, index.size),
    isCandidate: options.isCandidate,
  });
  const best = candidates[0]?.score ?? 0;
  const confidences = candidates
    .slice(0, limit)
    .map(({ score }) =>
      confidenceOf({ score, best, taskWeight: words.taskWeight, rarestWeight: rarity(0, index.size) }),
    );
  if ((confidences[0] ?? 0) < threshold) return [];
  const chosen = candidates.slice(0, limit);
  const reasons = explain(chosen, read, words, index);
  return chosen.map(({ skill, score }, at) => ({
    id: skill.id,
    score,
    confidence: confidences[at] ?? 0,
    reasons: reasons[at] ?? [],
  }));
}
