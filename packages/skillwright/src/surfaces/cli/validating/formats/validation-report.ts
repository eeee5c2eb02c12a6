import type { Diagnostic } from '../../../../spec/diagnostics/diagnostic.ts';
import type { FindingCounts } from '../findings.ts';

/** A diagnostic whose `path` is relative to the working directory. */
export interface ValidationFinding extends Diagnostic {
  readonly absolutePath: string;
}

/** What `validate` found, for every format. */
export interface ValidationReport {
  /** How many skills were checked. */
  readonly skills: number;
  /** Sorted by path and line. */
  readonly findings: readonly ValidationFinding[];
  readonly counts: FindingCounts;
}
