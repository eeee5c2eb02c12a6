import type { ExecutionBeginning, ExecutionEnding } from '../../spec/recorder.ts';
import { readRecord } from './recorded-lines.ts';

/** Options of `readExecutions`. */
export interface ReadExecutionsOptions {
  /** Longer lines are skipped. Default 16 MiB. */
  readonly maxLineBytes?: number;
  /**
   * How many executions without an ending are remembered; beyond that, the oldest counts as interrupted. Default
   * 10,000.
   */
  readonly maxPending?: number;
}

/** The unusable parts of a record; complete once reading has ended. */
export interface RecordDamage {
  /** Incomplete last lines. */
  readonly torn: number;
  /** Lines that no recorder wrote, or that are too long. */
  readonly garbage: number;
  /** Endings without a beginning, for example because the file with the beginning was dropped. */
  readonly unmatched: number;
}

/** Recorded executions, read one at a time, and the unusable parts of the file. */
export interface ExecutionReading extends AsyncIterable<RecordedExecution> {
  readonly damage: RecordDamage;
}

type Line =
  | { readonly type: 'execution-begin'; readonly record: ExecutionBeginning }
  | { readonly type: 'execution-end'; readonly record: ExecutionEnding };

/**
 * Reads the files of a JSONL recorder: executions in the order in which they ended, then those without an end. A
 * missing record is empty; if a record cannot be read, the iteration throws.
 */
export function readExecutions(path: string, options: ReadExecutionsOptions = {}): ExecutionReading {
  const { maxLineBytes = 16 * 1024 * 1024, maxPending = 10_000 } = options;
  const damage = { torn: 0, garbage: 0, unmatched: 0 };

  async function* read(): AsyncGenerator<RecordedExecution> {
    Object.assign(damage, { torn: 0, garbage: 0, unmatched: 0 });
    const pending = new Map<string, ExecutionBeginning>();
    for await (const line of readRecord(path, { maxLineBytes, damage }, parseLine)) {
      const id = line.record.executionId;
      const beginning = pending.get(id);
      pending.delete(id);
      if (line.type === 'execution-end') {
        if (beginning === undefined) damage.unmatched += 1;
        else yield { beginning, ending: line.record };
        continue;
      }
      if (beginning !== undefined) yield { beginning, ending: null };
      pending.set(id, line.record);
      const [oldest] = pending.size > maxPending ? pending.values() : [];
      if (oldest === undefined) continue;
      pending.delete(oldest.executionId);
      yield { beginning: oldest, ending: null };
    }
    for (const beginning of pending.values()) yield { beginning, ending: null };
  }

  return { damage, [Symbol.asyncIterator]: read };
}

function parseLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, ...record } = value as Readonly<Record<string, unknown>>;
  const hasTexts = (...names: string[]): boolean => names.every((name) => typeof record[name] === 'string');
  if (type === 'execution-begin' && hasTexts('executionId', 'kind', 'skill', 'target', 'startedAt'))
    return { type, record: record as unknown as ExecutionBeginning };
  if (
    type === 'execution-end' &&
    hasTexts('executionId', 'reason', 'endedAt') &&
    typeof record['success'] === 'boolean'
  )
    return { type, record: record as unknown as ExecutionEnding };
  return undefined;
}

/** What is known about one execution. */
export interface RecordedExecution {
  readonly beginning: ExecutionBeginning;
  /** `null` if the execution is still running or was interrupted. */
  readonly ending: ExecutionEnding | null;
}
