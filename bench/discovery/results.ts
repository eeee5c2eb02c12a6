import type { Contender } from './contenders/index.ts';
import type { GeneratedTree } from './generate.ts';
import type { HeapGrowth, InvokeLatency, Sample } from './measurement.ts';
import type { Target } from '../target.ts';

/** A contender on a tree. The numbers are there if and only if `status` is 'measured'. */
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
  /** Whether `cpuMs` is the median of the 5th and later discoveries of a process; of the first where one takes seconds. */
  isSettled: boolean;
  cpuMs: number;
  /** `cpuMs` by W's, measured the same way on the same tree. */
  ratio: number;
  cpuPerSkillUs: number;
  /** Medians over fresh processes of each one's first discovery, while Node still compiles what it runs. */
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
