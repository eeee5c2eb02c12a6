import { assertCount } from './recording-error.ts';
import type { ExecutionBeginning, ExecutionEnding, Recorder } from '../spec/recorder.ts';
import { toPlainRecord } from './plain-json.ts';
import type { RecordedExecution } from './files/read-executions.ts';

/** Options of `createMemoryRecorder`. */
export interface MemoryRecorderOptions {
  /** How many executions are kept. Default 1,000. The execution that ended first is dropped first, then the oldest. */
  readonly maxExecutions?: number;
  /** The most bytes of one field, such as `stdout` or `args`. Default 1 MiB. */
  readonly maxFieldBytes?: number;
}

/** Keeps executions in memory while the process lives. */
export interface MemoryRecorder extends Recorder {
  begin(beginning: ExecutionBeginning): void;
  /** Records the end of an execution. Ignored if the execution is unknown or has already ended. */
  end(ending: ExecutionEnding): void;
  /** The recorded executions, in the order in which they started. */
  executions(): readonly RecordedExecution[];
  get(executionId: string): RecordedExecution | undefined;
  clear(): void;
}

/** Keeps the latest executions in memory. Beyond the limit, those that ended first are dropped. */
export function createMemoryRecorder(options: MemoryRecorderOptions = {}): MemoryRecorder {
  const { maxExecutions = 1000, maxFieldBytes = 1024 * 1024 } = options;
  assertCount('maxExecutions', maxExecutions);
  assertCount('maxFieldBytes', maxFieldBytes);
  const kept = new Map<string, RecordedExecution>();
  const finished = new Set<string>();

  /** Copies the object, so that later changes by the caller have no effect. */
  const snapshot = <T extends object>(record: T): T => Object.freeze(toPlainRecord(record, maxFieldBytes));

  function drop(id: string | undefined): void {
    if (id === undefined) return;
    kept.delete(id);
    finished.delete(id);
  }

  return {
    begin(beginning) {
      const id = beginning.executionId;
      drop(id);
      kept.set(id, Object.freeze({ beginning: snapshot(beginning), ending: null }));
      if (kept.size > maxExecutions) drop(firstOf(finished) ?? firstOf(kept.keys()));
    },
    end(ending) {
      const id = ending.executionId;
      const execution = kept.get(id);
      if (execution === undefined || execution.ending !== null) return;
      kept.set(id, Object.freeze({ beginning: execution.beginning, ending: snapshot(ending) }));
      finished.add(id);
    },
    executions: () => [...kept.values()],
    get: (id) => kept.get(id),
    clear() {
      kept.clear();
      finished.clear();
    },
  };
}

function firstOf(ids: Iterable<string>): string | undefined {
  for (const id of ids) return id;
  return undefined;
}
