import type { AsyncRankOptions, Embed, RankableSkill, RankedSkill, RankReason } from '../../../spec/ranker.ts';

const DEFAULT_TIMEOUT_MS = 5_000;
const LONGEST_PROBLEM = 200;

/** Vectors of length 1, one for each text, or why there are none. */
type Embedded = { readonly vectors: readonly Float32Array[] } | { readonly problem: string };

type EmbedWait = Pick<AsyncRankOptions, 'signal' | 'embedTimeoutMs'>;

/** The longest delay of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How many of the skills that rank best by words are compared by meaning if there are too many to compare all. */
export const FUSED_CANDIDATES = 50;
/** Up to this many skills, all are compared by meaning, even those that share no word with the task. */
export const WHOLLY_COMPARED = 200;
/** The weight of meaning in the order. Words have the remaining weight. */
const MEANING_SHARE = 0.4;
const LONGEST_TEXT = 2_000;

/**
 * At this value, meaning alone makes a match as likely as not. The value is how much a skill stands out: how far its
 * similarity is on the way from the mean similarity of the other skills to 1. This scale is the same for all embedders.
 * As a rule of thumb, unrelated texts reach a seventh, related ones a third or more.
 */
const HALF_SURE = 0.42;
const SURENESS = 16;

/**
 * Vectors of skills by id, each stored with its source text and embedder, which show whether the vector is still valid.
 * Vectors of different embedders cannot be compared.
 */
export type VectorCache = Map<string, KnownVector>;

interface KnownVector {
  readonly text: string;
  /** The text's vector from each embedder, kept as long as the embedder exists. */
  readonly vectors: WeakMap<Embed, Float32Array>;
}

export interface MeaningInput extends EmbedWait {
  readonly task: string;
  /** The skills to compare, best by words first. Skills without any matching word have score and confidence 0. */
  readonly candidates: readonly RankedSkill[];
  readonly skillOf: (id: string) => RankableSkill | undefined;
  readonly embed: Embed;
  readonly cache: VectorCache;
}

/** Candidates in their new order, or why meaning could not be used. */
export type Fused = { readonly ranked: readonly RankedSkill[] } | { readonly problem: string };

/**
 * Orders candidates by words and meaning together: both are scaled to 0–1 among the candidates and averaged, with more
 * weight on words. Scores remain those of the words. The confidence is the higher of words and meaning, so that a skill
 * that says the same in other words is found.
 */
export async function fuseMeaning(input: MeaningInput): Promise<Fused> {
  const { candidates } = input;
  if (candidates.length === 0) return { ranked: [] };
  const compared = await compare(input);
  return 'problem' in compared ? compared : { ranked: reorder(candidates, compared.similarities) };
}

/** The same ranking by words. Each skill gets a reason that says why meaning was not used. */
export function withoutMeaning(ranked: readonly RankedSkill[], problem: string): RankedSkill[] {
  const why: RankReason = { rule: 'embedding-failed', terms: [problem], points: 0 };
  return ranked.map((skill) => withReason(skill, why));
}

/** How similar each candidate is to the task. */
async function compare({
  task,
  candidates,
  skillOf,
  embed,
  cache,
  signal,
  embedTimeoutMs,
}: MeaningInput): Promise<{ readonly similarities: readonly number[] } | { readonly problem: string }> {
  const texts = candidates.map(({ id }) => describe(skillOf(id)));
  const known = candidates.map(({ id }, at) => vectorsOf(id, texts[at] ?? '', cache));
  const missing = known.flatMap((vectors, at) => (vectors.has(embed) ? [] : [at]));
  const asked = [task.slice(0, LONGEST_TEXT), ...missing.map((at) => texts[at] ?? '')];
  const answer = await askEmbedder(embed, asked, { signal, embedTimeoutMs });
  if ('problem' in answer) return answer;
  const [taskVector = new Float32Array(), ...vectors] = answer.vectors;
  missing.forEach((at, place) => known[at]?.set(embed, vectors[place] ?? new Float32Array()));
  const others = known.map((vectorBy) => vectorBy.get(embed) ?? new Float32Array());
  if (others.some(({ length }) => length !== taskVector.length)) {
    // The embedder uses another model now: the next task requests all vectors again.
    for (const vectorBy of known) vectorBy.delete(embed);
    return { problem: 'the embedder returned vectors of a different length than before' };
  }
  return { similarities: others.map((vector) => product(taskVector, vector)) };
}

/** The vectors of a skill's current text. Forgets vectors of an earlier text. */
function vectorsOf(id: string, text: string, cache: VectorCache): KnownVector['vectors'] {
  const known = cache.get(id);
  if (known?.text === text) return known.vectors;
  const vectors: KnownVector['vectors'] = new WeakMap();
  cache.set(id, { text, vectors });
  return vectors;
}

function reorder(candidates: readonly RankedSkill[], similarities: readonly number[]): RankedSkill[] {
  const most = candidates[0]?.score ?? 0;
  const best = most > 0 ? most : 1;
  const low = Math.min(...similarities);
  const spread = Math.max(...similarities) - low || 1;
  const sum = similarities.reduce((total, similarity) => total + similarity, 0);
  return candidates
    .map((candidate, at) => {
      const similarity = similarities[at] ?? 0;
      const meaning = (similarity - low) / spread;
      const fused = (1 - MEANING_SHARE) * (candidate.score / best) + MEANING_SHARE * meaning;
      const mean = (sum - similarity) / Math.max(1, candidates.length - 1);
      const confidence = Math.max(candidate.confidence, candidates.length > 1 ? sureness(similarity, mean) : 0);
      const why: RankReason = { rule: 'embedding', terms: [`cosine ${similarity.toFixed(3)}`], points: 0 };
      return { fused, ranked: withReason({ ...candidate, confidence }, why) };
    })
    .sort((a, b) => b.fused - a.fused)
    .map(({ ranked }) => ranked);
}

function sureness(similarity: number, mean: number): number {
  const standsOut = (similarity - mean) / Math.max(1e-6, 1 - mean);
  return 1 / (1 + Math.exp(-SURENESS * (standsOut - HALF_SURE)));
}

function withReason(candidate: RankedSkill, why: RankReason): RankedSkill {
  return { ...candidate, reasons: [...candidate.reasons, why] };
}

function describe(skill: RankableSkill | undefined): string {
  const { name = '', description = '', whenToUse = '', tags = [] } = skill ?? {};
  return [`${name}: ${description}`, whenToUse, tags.join(', ')]
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, LONGEST_TEXT);
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Calls the host's embedder. Never rejects and never waits forever, whatever the embedder does. */
async function askEmbedder(embed: Embed, texts: string[], wait: EmbedWait = {}): Promise<Embedded> {
  const ending = new AbortController();
  const patience = createPatience(wait);
  try {
    return await Promise.race([patience.over, answerOf(embed, texts, ending.signal)]);
  } finally {
    patience.end();
    ending.abort();
  }
}

/** Decides when to stop waiting, and why. `end` releases the timer and the signal. */
function createPatience({ signal, embedTimeoutMs = DEFAULT_TIMEOUT_MS }: EmbedWait): {
  readonly over: Promise<Embedded>;
  end(): void;
} {
  const { promise: over, resolve } = Promise.withResolvers<Embedded>();
  const onAbort = (): void => resolve({ problem: 'the embedding request was cancelled' });
  const onTimeout = (): void => resolve({ problem: `the embedder did not respond within ${embedTimeoutMs} ms` });
  const timer = setTimeout(onTimeout, Math.min(embedTimeoutMs, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  return {
    over,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

async function answerOf(embed: Embed, texts: string[], signal: AbortSignal): Promise<Embedded> {
  try {
    return readAnswer(await embed([...texts], { signal }), texts.length);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Checks the host's answer, which may be anything. */
function readAnswer(answer: unknown, expected: number): Embedded {
  if (!Array.isArray(answer) || answer.length !== expected)
    return { problem: `the embedder did not return ${expected} vectors` };
  const vectors: Float32Array[] = [];
  for (const given of answer as readonly unknown[]) {
    const vector = toUnitVector(given);
    if (vector === undefined) return { problem: 'the embedder returned values that are not numbers or are too large' };
    if (vector.length === 0 || vector.length !== (vectors[0] ?? vector).length)
      return { problem: 'the embedder returned empty vectors or vectors of different lengths' };
    vectors.push(vector);
  }
  return { vectors };
}

/** A vector with the same direction and length 1; an all-zero vector stays unchanged. */
function toUnitVector(given: unknown): Float32Array | undefined {
  if (!Array.isArray(given) && !(ArrayBuffer.isView(given) && !(given instanceof DataView))) return undefined;
  const values = given as ArrayLike<unknown>;
  const vector = new Float32Array(values.length);
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const value = values[at];
    if (typeof value !== 'number') return undefined;
    squares += value * value;
  }
  // A value that is not a number, or whose square overflows, leaves no length.
  if (!Number.isFinite(squares)) return undefined;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at += 1) vector[at] = length > 0 ? (values[at] as number) / length : 0;
  return vector;
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, LONGEST_PROBLEM);
  } catch {
    return 'the embedder failed without a readable error';
  }
}
