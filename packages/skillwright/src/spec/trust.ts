/**
 * How far a skill is trusted. `trusted`: named in code or by the operator. `untrusted`: runs only where it can do no
 * harm, from a copy that nobody can change. `blocked`: never loads.
 */
export type TrustLevel = 'trusted' | 'untrusted' | 'blocked';

export const TRUST_LEVELS: readonly TrustLevel[] = ['trusted', 'untrusted', 'blocked'];

/** A skill's location, for deciding its trust. */
export interface TrustSubject {
  /**
   * The skill's directory with links resolved. A skill outside the file system has the name that its source gave it.
   */
  readonly realDir: string;
  /** The trust that its source declares. */
  readonly declared: TrustLevel;
}

/**
 * Decides a skill's trust; `undefined` keeps the declared trust. Called once for each skill of a discovery, and again
 * for running skills, whose runs end if the result is `blocked`. If it throws or returns anything else, the skill is
 * untrusted, with a diagnostic.
 */
export type DecideTrust = (subject: TrustSubject) => TrustLevel | undefined;

/**
 * An entry of a skill's `metadata` that says that a model wrote it. Such a skill is untrusted, wherever it is stored.
 */
export const MODEL_PROVENANCE = { key: 'provenance', value: 'skillwright define_tool' } as const;
