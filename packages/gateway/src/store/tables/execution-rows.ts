import type { Tables } from '../schema.ts';

/** The status of an execution. The final ones are `success`, `error`, `timeout` and `cancelled`. */
export type ExecutionStatus = 'pending' | 'running' | FinalStatus;
export type FinalStatus = 'success' | 'error' | 'timeout' | 'cancelled';

/** The fields of an execution before it starts. */
export interface NewExecution {
  readonly id: string;
  readonly skillId: string;
  readonly skillName: string;
  /** The version of the skill; null for skills without versions. */
  readonly version: string | null;
  /** The id of the caller's key; null for an anonymous client. */
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  /** The input, which may be any JSON value. */
  readonly input: unknown;
  readonly createdAt: number;
}

/** An execution as REST returns it. */
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

/** Replaces an input or output that is too long for a list. */
export interface OmittedValue {
  readonly omitted: true;
  /** The size of the value as JSON. */
  readonly bytes: number;
}

/** An execution in the form that lists return. */
export interface ListedExecution extends StoredExecution {
  /** Which of input and output is an `OmittedValue`. */
  readonly shortened: readonly ('input' | 'output')[];
}

/** How an attempt or a whole execution ended. */
export interface AttemptEnd {
  readonly status: FinalStatus;
  readonly errorMessage?: string;
  readonly errorCode?: string;
  readonly durationMs: number;
  readonly endedAt: number;
}

export interface ExecutionEnd extends AttemptEnd {
  /** The output, which may be any JSON value. */
  readonly output?: unknown;
  /** The sandbox tier; absent if the attempt or execution did not run in a sandbox. */
  readonly tier?: string | null;
}

/** One attempt of an execution. */
export interface StoredAttempt extends Pick<StoredExecution, 'errorMessage' | 'errorCode' | 'durationMs' | 'endedAt'> {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly status: Exclude<ExecutionStatus, 'pending'>;
  readonly startedAt: number;
}

type ExecutionRow = Tables['skillExecutions'];

/** A row of a list: long values are measured but not read. */
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
