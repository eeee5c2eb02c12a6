/** How strongly the seed requires it; `future` and `out-of-scope` are marks of the seed itself. */
export type RequirementLevel = 'must' | 'should' | 'may' | 'future' | 'out-of-scope';

interface Clause {
  /** Permanent: tests cite it. `S<seed>.<section>.<topic>`. */
  readonly id: `S${0 | 1 | 2 | 3 | 4}.${string}`;
  readonly level: RequirementLevel;
  /** The seed's requirement, in one sentence that a test could refute. */
  readonly statement: string;
}

interface Followed extends Clause {
  /** `required` needs a test that cites it; the other two are not built now. */
  readonly status: 'required' | 'future' | 'out-of-scope';
  /** Details from the project's design that make the statement precise. */
  readonly decision?: string;
}

interface Overruled extends Clause {
  /** The seeds disagree, or a safer or better behavior was chosen. A test may cite the clause for that behavior. */
  readonly status: 'decided-otherwise';
  /** The behavior that replaces the statement. */
  readonly decision: string;
}

/** A clause of a seed document and the project's decision about it. */
export type Requirement = Followed | Overruled;

export type RequirementStatus = Requirement['status'];
