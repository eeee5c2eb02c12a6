/** What a ranker knows about a skill. Every text may be anything: rankers never throw on content. */
export interface RankableSkill {
  /** Names the skill in results; adding a second skill with the same id replaces the first. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The instructions. May be given later with `setBody`; until then ranking uses the other fields and says so. */
  readonly body?: string | undefined;
  /** Breaks ties. Default 0. */
  readonly installCount?: number | undefined;
}

/** Which ranker: `lexical` is the default and the better one, `additive` is the documented table of points. */
export type RankerKind = 'lexical' | 'additive';

/** Options of `createRanker`. */
export interface RankerOptions {
  /** Default `lexical`. */
  readonly ranker?: RankerKind | undefined;
}

/** Options of `rank`. */
export interface RankOptions {
  /** How many skills at most. Default 5. */
  readonly limit?: number | undefined;
  /**
   * Where "none fits" begins. `lexical`: the confidence that the best skill must reach, from 0 to 1, default 0.04; every
   * other must reach half of it by itself. With 0, whatever shares a word with the task is answered.
   * `additive`: the points that every skill must reach, default 3.
   */
  readonly threshold?: number | undefined;
  /** The provider of the request, such as `anthropic`. `additive` compares it with tags; `lexical` does not use it. */
  readonly provider?: string | undefined;
  /** Why a request that nobody typed is made. `additive` scores it by itself; `lexical` reads it as part of the task. */
  readonly backgroundReason?: string | undefined;
  /**
   * Says by its id whether a skill may be in the answer. The others are left out before anything is compared: they take
   * no place, are not the best, and reach no threshold for others. How rare words are is still counted over all skills.
   * Asked once for each skill that shares a word with the task. Default: every skill may.
   */
  readonly isCandidate?: ((id: string) => boolean) | undefined;
}

/**
 * Turns texts into vectors, one for each text and all of one length; lists of numbers and typed arrays alike. `signal`
 * says that nobody waits any longer.
 */
export type Embed = (
  texts: string[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly ArrayLike<number>[]>;

/** Options of `rankAsync`: those of `rank`, and an embedder. */
export interface AsyncRankOptions extends RankOptions {
  /** Without one, `rankAsync` answers what `rank` does. */
  readonly embed?: Embed | undefined;
  /** Ends the wait for the embedder: words alone decide then, and the reasons say so. */
  readonly signal?: AbortSignal | undefined;
  /** How long the embedder may take before words alone decide, in milliseconds. Default 5,000. */
  readonly embedTimeoutMs?: number | undefined;
}

/** The text of a skill that a reason is about. */
export type RankField = 'name' | 'description' | 'tags' | 'headings' | 'body';

/**
 * Why a skill got points. `words`: words of the task occur in the field. `phrase`: neighboring words do, next to each other. `name`: how much
 * of the skill's name the task says. `coverage`: how much of the task the skill covers. `out-of-scope`: the task is near
 * to what the skill says it is not for. `embedding`: meaning, by the host's embedder. `embedding-failed`: the embedder
 * failed, so that words alone decided. `body-pending`: the body is not indexed yet.
 * The reasons of `additive`: `name-verbatim`, `name-token`, `tag`, `description-token`, `background-name`, `background-tag`,
 * `provider`.
 */
export type RankRule =
  | 'words'
  | 'phrase'
  | 'name'
  | 'coverage'
  | 'out-of-scope'
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

/** One contribution to a score. The points of all reasons add up to the score, except for rounding. */
export interface RankReason {
  readonly rule: RankRule;
  readonly field?: RankField;
  /** Words of the task, the weightiest first; at most eight. */
  readonly terms: readonly string[];
  readonly points: number;
}

/** A skill that fits a task, with its score and the reasons for it. */
export interface RankedSkill {
  readonly id: string;
  /** Comparable within one answer only. */
  readonly score: number;
  /**
   * From 0 to 1. `lexical`: how surely this skill fits, by a curve that was fitted on tasks with a fitting skill and
   * without; with an embedder, by words or by meaning, whichever is surer. `additive`: only a scale that grows with the
   * points.
   */
  readonly confidence: number;
  readonly reasons: readonly RankReason[];
}

/** Says which skills fit a task, best first. The same skills and task give the same answer, in whatever order they came. */
export interface Ranker {
  /** `[]`: none fits. Never throws on a task, whatever it holds. */
  rank(task: string, options?: RankOptions): RankedSkill[];
  /** Like `rank`, with the host's embedder on top. An embedder that fails is a reason in the answer, not an error. */
  rankAsync(task: string, options?: AsyncRankOptions): Promise<RankedSkill[]>;
  /** Adds skills, or replaces those of the same id. */
  add(skills: Iterable<RankableSkill>): void;
  /** Unknown ids are ignored. */
  remove(ids: Iterable<string>): void;
  /** Gives, or replaces, the body of a skill. An unknown id is ignored: the skill may be gone already. */
  setBody(id: string, body: string): void;
  /**
   * Indexes bodies in slices: yields how many were taken whenever a slice of `sliceMs` (default 8) is over, so that the
   * caller can let other work run before it goes on.
   */
  indexBodies(bodies: Iterable<SkillBody>, sliceMs?: number): Generator<number, void, void>;
  readonly size: number;
  /** How many skills have their body indexed. `additive` does not read bodies: always 0. */
  readonly bodiesIndexed: number;
  /** An estimate of the memory that the index holds, without the texts of the skills. */
  readonly memoryBytes: number;
}

/** The instructions of a skill, by its id, for a ranker that indexes them later. */
export interface SkillBody {
  readonly id: string;
  readonly body: string;
}
