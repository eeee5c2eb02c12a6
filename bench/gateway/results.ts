import type { Target } from '../target.ts';

export type Workload = 'json' | 'sse';

export const WORKLOADS: readonly Workload[] = ['json', 'sse'];

/** One contender with one workload and concurrency: medians of its rounds. */
export interface Cell {
  readonly contender: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstByteMs: number;
  /** User + system time per request of the process between client and upstream; `null` if there is none. */
  readonly cpuMs: number | null;
  /** The kernel's part of `cpuMs`. */
  readonly systemMs: number | null;
  /**
   * The values of `cpuMs` in each round, of which `cpuMs` is the median. Rounds with the same index in different cells
   * ran close together in time.
   */
  readonly cpuMsOfRounds: readonly number[];
  /** Number of chunks in which the client received a response. */
  readonly pieces: number;
  readonly failed: number;
}

/** Memory that remains after many requests. */
export interface Heap {
  readonly few: number;
  readonly many: number;
  readonly heapMbAfterFew: number;
  readonly heapMbAfterMany: number;
}

/** Streams that were open at the same time. */
export interface Held {
  readonly asked: number;
  /** The most streams that the upstream had open at once. */
  readonly atOnce: number;
  readonly answered: number;
}

export interface Results {
  readonly startedAt: string;
  readonly node: string;
  readonly machine: string;
  readonly load: number;
  readonly seconds: number;
  /** Contenders that were not measured, with the reason. */
  readonly absent: readonly { readonly contender: string; readonly reason: string }[];
  readonly cells: readonly Cell[];
  readonly heap: Heap;
  readonly held: Held;
  readonly targets: readonly Target[];
}
