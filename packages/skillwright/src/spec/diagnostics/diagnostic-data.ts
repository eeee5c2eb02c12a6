import { CONTENT_DIAGNOSTICS } from './content-diagnostics.ts';
import { DISCOVERY_DIAGNOSTICS } from './discovery-diagnostics.ts';
import { MANIFEST_DIAGNOSTICS, TRIGGER_DIAGNOSTICS } from './manifest-diagnostics.ts';
import type { DiagnosticCategory, Severity } from './diagnostic.ts';

/** One permanent diagnostic code. The reference page is generated from this table. */
export interface DiagnosticEntry {
  readonly category: DiagnosticCategory;
  /** The severity in lenient reading, the default. */
  readonly severity: Severity;
  /** The severity in strict mode and `validate`, if it differs. */
  readonly strict?: Severity;
  readonly title: string;
  /** What to do, if the advice is the same in every case. */
  readonly hint?: string;
}

export const DIAGNOSTIC_DATA: typeof DISCOVERY_DIAGNOSTICS &
  typeof CONTENT_DIAGNOSTICS &
  typeof MANIFEST_DIAGNOSTICS &
  typeof TRIGGER_DIAGNOSTICS = {
  ...DISCOVERY_DIAGNOSTICS,
  ...CONTENT_DIAGNOSTICS,
  ...MANIFEST_DIAGNOSTICS,
  ...TRIGGER_DIAGNOSTICS,
};

/** The permanent code of a diagnostic; docs/reference/diagnostics.md lists them all. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_DATA;
