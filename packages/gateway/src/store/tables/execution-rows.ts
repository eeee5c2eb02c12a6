import type { Tables } from '../schema.ts';

/** Where an execution stands. It ends as `success`, `error`, `timeout` or `cancelled`. */
export type ExecutionStatus = 'pending' | 'running' | FinalStatus;
export type FinalStatus = 'success' | 'error' | 'timeout' | 'cancelled';

/** What is known before an execution starts. */
export interface NewExecution {
  readonly id: string;
  readonly skillId: string;
  readonly skillName: string;
  /** Null for skills without versions. */
  readonly version: string | null;
  /** Null for an anonymous client. */
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  /** Anything that JSON can say. */
  readonly input: unknown;
  readonly createdAt: number;
}

/** An execution as REST answers it. */
export interface StoredExecution extends NewExecution {
  readonly output: unknown;
  readonly status: ExecutionStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
  readonly durationMs: number | null;
  readonly tier: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** What stands in a list in place of an input or an output that is too long for one. */
export interface OmittedValue {
  readonly omitted: true;
  /** The size of the value as JSON. */
  readonly bytes: number;
}

/** An execution as lists have it. */
export interface ListedExecution extends StoredExecution {
  /** Which of both is an `OmittedValue`. */
  readonly shortened: readonly ('input' | 'output')[];
}

/** How an attempt ended, or the whole execution. */
export interface AttemptEnd {
  readonly status: FinalStatus;
  readonly errorMessage?: string;
  readonly errorCode?: string;
  readonly durationMs: number;
  readonly endedAt: number;
}

export interface ExecutionEnd extends AttemptEnd {
  /** Anything that JSON can say. */
  readonly output?: unknown;
  /** Where it ran; nothing for what did not run in a sandbox. */
  readonly tier?: string | null;
}

/** One try of an execution that may be tried again. */
export interface StoredAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly status: Exclude<ExecutionStatus, 'pending'>;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
  readonly durationMs: number | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

type ExecutionRow = Tables['skillExecutions'];

/** A row of a list: long values are measured, not read. */
export interface ListedRow extends Omit<ExecutionRow, 'input'> {
  readonly input: string | null;
  readonly inputBytes: number;
  readonly outputBytes: number | null;
}

export function toListedExecution({ inputBytes, outputBytes, ...row }: ListedRow): ListedExecution {
  const isShort = { input: row.input === null, output: row.output === null && outputBytes !== null };
  const execution = toExecution({ ...row, input: row.input ?? 'null' });
  return {
    ...execution,
    ...(isShort.input ? { input: omitted(inputBytes) } : {}),
    ...(isShort.output ? { output: omitted(outputBytes) } : {}),
    shortened: (['input', 'output'] as const).filter((name) => isShort[name]),
  };
}

function omitted(bytes: number | null): OmittedValue {
  return { omitted: true, bytes: Number(bytes) };
}

export function toExecution({ input, output, ...row }: ExecutionRow): StoredExecution {
  return {
    ...row,
    input: JSON.parse(input) as unknown,
    output: output === null ? null : (JSON.parse(output) as unknown),
  };
}
