import type { Target } from '../target.ts';

export type Workload = 'json' | 'sse';

export const WORKLOADS: readonly Workload[] = ['json', 'sse'];

/** One contender at one workload and number of connections: medians of its rounds. */
export interface Cell {
  readonly contender: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstByteMs: number;
  /** User + system time of the process between client and upstream, a request; `null` where there is none. */
  readonly cpuMs: number | null;
  /** The part of it that is the kernel's. */
  readonly systemMs: number | null;
  /** What `cpuMs` is the median of: rounds of the same number were close together in time. */
  readonly cpuMsOfRounds: readonly number[];
  /** In which the client got an answer. */
  readonly pieces: number;
  readonly failed: number;
}

/** What is left in memory after many requests. */
export interface Heap {
  readonly few: number;
  readonly many: number;
  readonly heapMbAfterFew: number;
  readonly heapMbAfterMany: number;
}

/** Streams that were open at the same time. */
export interface Held {
  readonly asked: number;
  /** The most that the upstream saw at once. */
  readonly atOnce: number;
  readonly answered: number;
}

export interface Results {
  readonly startedAt: string;
  readonly node: string;
  readonly machine: string;
  readonly load: number;
  readonly seconds: number;
  /** Contenders that are not here, and why. */
  readonly absent: readonly { readonly contender: string; readonly reason: string }[];
  readonly cells: readonly Cell[];
  readonly heap: Heap;
  readonly held: Held;
  readonly targets: readonly Target[];
}
