import type { Embed, RankableSkill, RankedSkill, RankReason } from '../../spec/ranker.ts';

/** How many of the nearest by words are compared by meaning. */
export const FUSED_CANDIDATES = 50;
/** What meaning counts against words. */
const MEANING_SHARE = 0.4;
const LONGEST_TEXT = 2_000;

/**
 * Vectors of skills by id; the text they were made of and the embedder that made them tell whether they are still
 * right. Those of one embedder mean nothing beside those of another.
 */
export type VectorCache = Map<string, KnownVector>;

interface KnownVector {
  readonly text: string;
  /** By embedder, and for no longer than there is one. */
  readonly vectors: WeakMap<Embed, readonly number[]>;
}

/**
 * Orders candidates by words and meaning together: both are brought to 0–1 among the candidates and averaged, words
 * counting more. Scores and confidence stay those of the words: an embedder's similarities are on a scale of its own.
 * What the embedder throws, or an answer of the wrong shape, leaves the order as it was and adds the reason why.
 */
export async function fuseMeaning(
  task: string,
  candidates: readonly RankedSkill[],
  skillOf: (id: string) => RankableSkill | undefined,
  embed: Embed,
  cache: VectorCache,
): Promise<RankedSkill[]> {
  if (candidates.length === 0) return [];
  try {
    const texts = candidates.map(({ id }) => describe(skillOf(id)));
    const similarities = await compare(task, candidates, texts, embed, cache);
    return typeof similarities === 'string' ? keepOrder(candidates, similarities) : reorder(candidates, similarities);
  } catch (error) {
    return keepOrder(candidates, error instanceof Error ? error.message : String(error));
  }
}

function keepOrder(candidates: readonly RankedSkill[], problem: string): RankedSkill[] {
  const why: RankReason = { rule: 'embedding-failed', terms: [problem], points: 0 };
  return candidates.map((candidate) => withReason(candidate, why));
}

/** How near each candidate is to the task, or what is wrong with the embedder's answer. */
async function compare(
  task: string,
  candidates: readonly RankedSkill[],
  texts: readonly string[],
  embed: Embed,
  cache: VectorCache,
): Promise<number[] | string> {
  const known = candidates.map(({ id }, at) => vectorsOf(id, texts[at] ?? '', cache));
  const isMissing = (at: number): boolean => known[at]?.has(embed) !== true;
  const missing = texts.map((_, at) => at).filter(isMissing);
  const asked = [task.slice(0, LONGEST_TEXT), ...missing.map((at) => texts[at] ?? '')];
  const answer = await embed(asked);
  const problem = findProblem(answer, asked.length);
  if (problem !== undefined) return problem;
  const [taskVector, ...vectors] = answer;
  missing.forEach((at, place) => known[at]?.set(embed, vectors[place] ?? []));
  return known.map((vectorBy) => cosine(taskVector ?? [], vectorBy.get(embed) ?? []));
}

/** What is known of a skill as it is now described. What is known of an earlier text is forgotten. */
function vectorsOf(id: string, text: string, cache: VectorCache): KnownVector['vectors'] {
  const known = cache.get(id);
  if (known?.text === text) return known.vectors;
  const vectors: KnownVector['vectors'] = new WeakMap();
  cache.set(id, { text, vectors });
  return vectors;
}

/** The answer is the host's: it may be anything. */
function findProblem(answer: unknown, expected: number): string | undefined {
  if (!Array.isArray(answer) || answer.length !== expected) return `the embedder did not answer ${expected} vectors`;
  const length = Array.isArray(answer[0]) ? answer[0].length : 0;
  const isSound = answer.every(
    (vector) => Array.isArray(vector) && vector.length === length && vector.every(Number.isFinite),
  );
  return isSound ? undefined : 'the embedder answered vectors of different lengths, or with values that are no numbers';
}

function reorder(candidates: readonly RankedSkill[], similarities: readonly number[]): RankedSkill[] {
  const best = candidates[0]?.score ?? 1;
  const low = Math.min(...similarities);
  const spread = Math.max(...similarities) - low || 1;
  return candidates
    .map((candidate, at) => {
      const similarity = similarities[at] ?? 0;
      const meaning = (similarity - low) / spread;
      const fused = (1 - MEANING_SHARE) * (candidate.score / best) + MEANING_SHARE * meaning;
      const why: RankReason = { rule: 'embedding', terms: [`cosine ${similarity.toFixed(3)}`], points: 0 };
      return { fused, ranked: withReason(candidate, why) };
    })
    .sort((a, b) => b.fused - a.fused)
    .map(({ ranked }) => ranked);
}

function withReason(candidate: RankedSkill, why: RankReason): RankedSkill {
  return { ...candidate, reasons: [...candidate.reasons, why] };
}

function describe(skill: RankableSkill | undefined): string {
  return `${skill?.name ?? ''}: ${skill?.description ?? ''}`.slice(0, LONGEST_TEXT);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let product = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    product += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  const length = Math.sqrt(lengthA * lengthB);
  return length > 0 ? product / length : 0;
}
