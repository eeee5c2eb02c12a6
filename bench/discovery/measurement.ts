/** The task of one child process, passed as JSON in its first argument. */
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
  /** The median time of the first call for each skill. */
  coldP50Ms: number;
  coldP99Ms: number;
  /** The median time of every later call. */
  warmP50Ms: number;
  warmP99Ms: number;
}

export interface HeapGrowth {
  found: number;
  /** heapUsed after a full collection with the manager alive, minus heapUsed before it was made. */
  heapMb: number;
}

/** A child's answer. `absent`: the thing to measure does not exist. `failed`: it exists but threw. */
export type Answer =
  | { status: 'measured'; samples: Sample[] }
  | { status: 'measured'; invoke: InvokeLatency }
  | { status: 'measured'; heap: HeapGrowth }
  | { status: 'absent' | 'failed'; reason: string };
