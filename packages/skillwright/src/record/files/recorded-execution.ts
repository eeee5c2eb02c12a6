import type { ExecutionBeginning, ExecutionEnding } from '../../spec/recorder.ts';

/** What is known of one execution. */
export interface RecordedExecution {
  readonly beginning: ExecutionBeginning;
  /** `null`: it is still running, or was interrupted. */
  readonly ending: ExecutionEnding | null;
}
