import type { QualityNumbers, Recall } from './quality-numbers.ts';
import type { Target } from '../target.ts';

/** Speed and cost of a contender with this many skills. */
export interface SpeedNumbers {
  readonly skills: number;
  /** User and system time to build the whole index. */
  readonly buildCpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Memory after a full collection, minus the memory before the index was made, without the skills themselves. */
  readonly memoryMb: number;
  /** The longest slice of an index that is built in slices. */
  readonly longestSliceMs?: number;
}

export interface SpeedRow {
  readonly label: string;
  readonly numbers?: SpeedNumbers;
  /** The reason why there are no numbers. */
  readonly reason?: string;
}

export interface QualityRow {
  readonly label: string;
  readonly numbers: QualityNumbers;
}

/** Our ranker on a subset of the tasks. */
export interface FoldRow {
  readonly fold: string;
  readonly tasks: number;
  readonly recall: Recall;
}

export interface SetResult {
  readonly name: string;
  readonly skills: number;
  readonly rows: readonly QualityRow[];
  /** By source, and by tenths of the skills. */
  readonly folds: readonly FoldRow[];
}

export interface Results {
  readonly startedAt: string;
  readonly node: string;
  readonly machine: string;
  /** Contenders that are not installed. */
  readonly absent: readonly string[];
  readonly sets: readonly SetResult[];
  readonly sizes: readonly { readonly size: number; readonly rows: readonly SpeedRow[] }[];
  readonly targets: readonly Target[];
}
