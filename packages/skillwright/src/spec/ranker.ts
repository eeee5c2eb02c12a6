/** What a ranker knows about a skill. Texts may contain anything: rankers never throw because of content. */
export interface RankableSkill {
  /** Identifies the skill in results; adding a second skill with the same id replaces the first. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The instructions. Can be set later with `setBody`; until then, ranking uses the other fields and reports it. */
  readonly body?: string | undefined;
  /** How often the skill was installed, to break ties. Default 0. */
  readonly installCount?: number | undefined;
}

/** The kind of ranker: `lexical`, the default, ranks better; `additive` adds up points from a documented table. */
export type RankerKind = 'lexical' | 'additive';

/** Options of `createRanker`. */
export interface RankerOptions {
  /** The kind of ranker. Default `lexical`. */
  readonly ranker?: RankerKind | undefined;
}

/**
 * How readily skills are shown to a model. `low`: only skills that very probably fit. `normal`: also skills that may
 * fit. `high`: also skills that are unlikely to fit. See `cutRanking`.
 */
export type Eagerness = 'low' | 'normal' | 'high';

/** What decides how many skills of a ranking are shown to a model. */
export interface CutOptions {
  /** The most skills to show. Default 5. */
  readonly maxSkills?: number | undefined;
  /** How readily skills are shown. Default `normal`. The ranker `additive` ignores it. */
  readonly eagerness?: Eagerness | undefined;
}

/**
 * Options of `rank`. Without `limit` and `threshold`, the result is what a model would be shown: as many skills as the
 * confidence supports. With `limit` or `threshold`, the result is the plain ranking.
 */
export interface RankOptions extends CutOptions {
  /** The most skills of a plain ranking. Default 5. */
  readonly limit?: number | undefined;
  /**
   * The minimum for a match. `lexical`: the confidence from 0 to 1 that the best skill must reach, default 0.03. Every
   * other skill must reach half of the threshold. With 0, every skill that shares a word with the task is returned.
   * `additive`: the points that every skill must reach, default 3.
   */
  readonly threshold?: number | undefined;
  /** The provider of the request, such as `anthropic`. `additive` compares it with tags; `lexical` does not use it. */
  readonly provider?: string | undefined;
  /**
   * The reason for a request that no user typed. `additive` scores it separately; `lexical` reads it as part of the
   * task.
   */
  readonly backgroundReason?: string | undefined;
  /**
   * Whether the skill with an id may be in the result. Others are left out before any comparison: they do not count
   * toward a limit, cannot be the best, and do not affect thresholds. How rare a word is still depends on all skills.
   * Called once for each skill that shares a word with the task. Default: every skill may.
   */
  readonly isCandidate?: ((id: string) => boolean) | undefined;
}

/**
 * Turns texts into vectors of the same length, one for each text, as arrays of numbers or typed arrays. `signal` aborts
 * when the result is no longer needed.
 */
export type Embed = (
  texts: string[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly ArrayLike<number>[]>;

/** Options of `rankAsync`: those of `rank`, and an embedder. */
export interface AsyncRankOptions extends RankOptions {
  /** The host's embedder. Without one, `rankAsync` returns the same as `rank`. */
  readonly embed?: Embed | undefined;
  /** Ends the wait for the embedder. After that, only words decide, and the reasons in the result say so. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the embedder. If it takes longer, only words decide. Default 5,000. */
  readonly embedTimeoutMs?: number | undefined;
}

/** The part of a skill that a reason is about. */
export type RankField = 'name' | 'description' | 'tags' | 'headings' | 'body';

/**
 * Why a skill got points. `words`: the field contains words of the task. `phrase`: the field contains neighboring words
 * of the task next to each other. `name`: how much of the skill's name the task says. `coverage`: how much of the task
 * the skill covers. `out-of-scope`: the task is close to what the skill says it is not for.
 * `language`: the skill is for another programming language than the task's. `embedding`: meaning, by
 * the host's embedder. `embedding-failed`: the embedder failed, so only words decided. `body-pending`: the body is not
 * indexed yet.
 * The reasons of `additive`: `name-verbatim`, `name-token`, `tag`, `description-token`, `background-name`,
 * `background-tag`, `provider`.
 */
export type RankRule =
  | 'words'
  | 'phrase'
  | 'name'
  | 'coverage'
  | 'out-of-scope'
  | 'language'
  | 'embedding'
  | 'embedding-failed'
  | 'body-pending'
  | 'name-verbatim'
  | 'name-token'
  | 'tag'
  | 'description-token'
  | 'background-name'
  | 'background-tag'
  | 'provider';

/** One contribution to a score. The points of all reasons add up to the score, apart from rounding. */
export interface RankReason {
  readonly rule: RankRule;
  readonly field?: RankField;
  /** Words of the task, highest weight first; at most eight. */
  readonly terms: readonly string[];
  readonly points: number;
}

/** A skill that matches a task, with its score and the reasons. */
export interface RankedSkill {
  readonly id: string;
  /** The points of the skill. Scores are comparable only within one result. */
  readonly score: number;
  /**
   * From 0 to 1. `lexical`: the probability that the skill matches, from a curve that was fitted on tasks with and
   * without a matching skill; with an embedder, the higher of the probabilities by words and by meaning. `additive`:
   * only a scale that grows with the points.
   */
  readonly confidence: number;
  readonly reasons: readonly RankReason[];
}

/**
 * Ranks skills for a task, best first. The same skills and task give the same result, in whatever order they were
 * added.
 */
export interface Ranker {
  /** Ranks skills for a task; `[]` if no skill matches. Never throws because of a task's content. */
  rank(task: string, options?: RankOptions): RankedSkill[];
  /**
   * Like `rank`, but also uses the host's embedder. If the embedder fails, a reason in the result says so, and nothing
   * is thrown.
   */
  rankAsync(task: string, options?: AsyncRankOptions): Promise<RankedSkill[]>;
  /** Adds skills, or replaces those with the same id. */
  add(skills: Iterable<RankableSkill>): void;
  /** Removes skills. Unknown ids are ignored. */
  remove(ids: Iterable<string>): void;
  /** Sets or replaces a skill's body. Ignores an unknown id, because the skill may be gone already. */
  setBody(id: string, body: string): void;
  /**
   * Indexes bodies in slices: yields the number of indexed bodies after each slice of `sliceMs` (default 8), so that
   * the caller can let other work run.
   */
  indexBodies(bodies: Iterable<SkillBody>, sliceMs?: number): Generator<number, void, void>;
  readonly size: number;
  /** How many skills have an indexed body. Always 0 for `additive`, which does not read bodies. */
  readonly bodiesIndexed: number;
  /** An estimate of the memory that the index holds, without the texts of the skills. */
  readonly memoryBytes: number;
}

/** The instructions of a skill, by id, for indexing later. */
export interface SkillBody {
  readonly id: string;
  readonly body: string;
}
