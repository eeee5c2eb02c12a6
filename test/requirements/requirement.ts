/** How strongly the seed puts it; `future` and `out-of-scope` are what the seed itself defers or excludes. */
export type RequirementLevel = 'must' | 'should' | 'may' | 'future' | 'out-of-scope';

interface Clause {
  /** Permanent: tests cite it. `S<seed>.<section>.<topic>`. */
  readonly id: `S${0 | 1 | 2 | 3 | 4}.${string}`;
  readonly level: RequirementLevel;
  /** What the seed demands, in one sentence that a test could refute. */
  readonly statement: string;
}

interface Followed extends Clause {
  /** `required` needs a test that cites it; the other two are not built now. */
  readonly status: 'required' | 'future' | 'out-of-scope';
  /** What the project's design adds to make the statement precise. */
  readonly decision?: string;
}

interface Overruled extends Clause {
  /** The seeds disagree, or a safer or better behavior was chosen; a test may cite it for that behavior. */
  readonly status: 'decided-otherwise';
  /** What holds instead of the statement. */
  readonly decision: string;
}

/** One clause of a seed document and what the project decided about it. */
export type Requirement = Followed | Overruled;

export type RequirementStatus = Requirement['status'];
