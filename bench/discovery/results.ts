import type { Contender } from './contenders/index.ts';
import type { GeneratedTree } from './generate.ts';
import type { HeapGrowth, InvokeLatency, Sample } from './measurement.ts';
import type { Target } from '../target.ts';

/** The result of one contender on one tree. It has numbers if and only if `status` is 'measured'. */
export interface Row {
  id: string;
  label: string;
  kind: Contender['kind'];
  note: string;
  status: 'measured' | 'absent' | 'failed';
  reason?: string;
  numbers?: RowNumbers;
}

export interface RowNumbers {
  found: number;
  /**
   * Whether `cpuMs` is the median of a process's 5th and later discoveries. If a discovery takes seconds, it is the median of the
   * first.
   */
  isSettled: boolean;
  cpuMs: number;
  /** `cpuMs` divided by the `cpuMs` of W, the bare walk, measured in the same way on the same tree. */
  ratio: number;
  cpuPerSkillUs: number;
  /** Medians over the first discovery of each fresh process, while Node is still compiling the code. */
  firstCpuMs: number;
  firstRatio: number;
  wallMs: number;
  cold: Sample[];
  steady: Sample[];
}

export interface SizeResult {
  size: number;
  tree: GeneratedTree;
  rows: Row[];
}

export type Extra<T> = { status: 'measured'; size: number; value: T } | { status: 'absent' | 'failed'; reason: string };

export interface Results {
  startedAt: string;
  node: string;
  machine: string;
  sizes: SizeResult[];
  invoke: Extra<InvokeLatency>;
  heap: Extra<HeapGrowth>;
  targets: Target[];
}
