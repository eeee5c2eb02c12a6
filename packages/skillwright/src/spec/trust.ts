/**
 * How far a skill is trusted. `trusted`: named in code or by the operator. `untrusted`: runs only where it can do no
 * harm, from a copy that nobody can change. `blocked`: never loads.
 */
export type TrustLevel = 'trusted' | 'untrusted' | 'blocked';

export const TRUST_LEVELS: readonly TrustLevel[] = ['trusted', 'untrusted', 'blocked'];

/** A skill's location, for deciding its trust. */
export interface TrustSubject {
  /**
   * The skill's directory with links resolved. For a skill outside the file system, the name that its source gave it.
   */
  readonly realDir: string;
  /** The trust that the skill's source declares. */
  readonly declared: TrustLevel;
}

/**
 * Decides a skill's trust; `undefined` keeps the declared trust. Called once for each skill of a discovery, and again
 * for running skills, whose runs end if the result is `blocked`. If it throws or returns anything else, the skill is
 * untrusted, with a diagnostic.
 */
export type DecideTrust = (subject: TrustSubject) => TrustLevel | undefined;

/** The `metadata` entry that marks a skill as written by a model. Such a skill is untrusted, wherever it is stored. */
export const MODEL_PROVENANCE = { key: 'provenance', value: 'skillwright define_tool' } as const;
