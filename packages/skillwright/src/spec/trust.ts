/**
 * How far a skill is trusted. `trusted`: named in code or by the operator. `untrusted`: runs only where it can do no
 * harm, from a copy nobody can change. `blocked`: never loads.
 */
export type TrustLevel = 'trusted' | 'untrusted' | 'blocked';

export const TRUST_LEVELS: readonly TrustLevel[] = ['trusted', 'untrusted', 'blocked'];

/** A skill's place, for deciding how far to trust it. */
export interface TrustSubject {
  /** Directory of the skill, links resolved. A skill that lies in no file system has the name its source gave it. */
  readonly realDir: string;
  /** What its source says. */
  readonly declared: TrustLevel;
}

/**
 * Has the last word on a skill's trust; `undefined` leaves it as declared. Called once for each skill of a discovery, and
 * again for what runs, which ends when the answer is `blocked`. When it throws or answers anything else the skill is untrusted, with a diagnostic.
 */
export type DecideTrust = (subject: TrustSubject) => TrustLevel | undefined;

/** An entry of a skill's `metadata` that says a model wrote it. Such a skill is not trusted, wherever it lies. */
export const MODEL_PROVENANCE = { key: 'provenance', value: 'skillwright define_tool' } as const;
