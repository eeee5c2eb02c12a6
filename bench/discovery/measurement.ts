/** What one child process is asked to do; it travels as JSON in the child's first argument. */
export type Task =
  | { kind: 'discover'; module: string; dir: string; repetitions: number }
  | { kind: 'invoke'; dir: string; skills: number; rounds: number }
  | { kind: 'heap'; dir: string };

/** One discovery. */
export interface Sample {
  found: number;
  /** User + system time of the whole process, helper threads included. */
  cpuMs: number;
  wallMs: number;
}

export interface InvokeLatency {
  skills: number;
  /** First call of each skill. */
  coldP50Ms: number;
  coldP99Ms: number;
  /** Every later call. */
  warmP50Ms: number;
  warmP99Ms: number;
}

export interface HeapGrowth {
  found: number;
  /** heapUsed after a full collection, with the manager alive, less the same before it was made. */
  heapMb: number;
}

/** What a child answers. `absent`: the thing to measure is not there. `failed`: it is, and it threw. */
export type Answer =
  | { status: 'measured'; samples: Sample[] }
  | { status: 'measured'; invoke: InvokeLatency }
  | { status: 'measured'; heap: HeapGrowth }
  | { status: 'absent' | 'failed'; reason: string };
