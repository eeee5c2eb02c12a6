import type { ExecutionEnd, NewExecution, StoredExecution } from '../store/tables/execution-rows.ts';

/** The state of a new execution, as its row holds it, without reading the row. */
export function pendingExecution(execution: NewExecution): StoredExecution {
  return {
    ...execution,
    output: null,
    status: 'pending',
    errorMessage: null,
    errorCode: null,
    durationMs: null,
    tier: null,
    startedAt: null,
    endedAt: null,
  };
}

export function runningExecution(execution: StoredExecution, startedAt: number): StoredExecution {
  return { ...execution, status: 'running', startedAt };
}

export function endedExecution(execution: StoredExecution, end: ExecutionEnd): StoredExecution {
  return {
    ...execution,
    status: end.status,
    output: end.output ?? null,
    errorMessage: end.errorMessage ?? null,
    errorCode: end.errorCode ?? null,
    durationMs: end.durationMs,
    tier: end.tier ?? null,
    endedAt: end.endedAt,
  };
}
