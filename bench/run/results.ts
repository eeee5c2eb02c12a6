import type { Target } from '../target.ts';

/** `absent`: there is nothing to measure here, for example without Python. `failed`: it did not do what it should. */
export type Outcome<T> =
  | { readonly status: 'measured'; readonly value: T }
  | { readonly status: 'absent' | 'failed'; readonly reason: string };

/** Many calls of one operation. */
export interface Timing {
  readonly count: number;
  /** The fastest call: on a busy machine the closest to the true cost. */
  readonly leastMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** Median of the user + system time of the calling process, without the time of the processes it started. */
  readonly hostCpuMs: number;
}

/** A contender, beside others that were measured in turn with it. */
export interface Row {
  readonly id: string;
  readonly label: string;
  readonly timing: Outcome<Timing>;
}

/** Ways to run one script. */
export interface ScriptGroup {
  readonly script: ScriptName;
  readonly rows: readonly Row[];
  /** Whether the library gave each run a PID namespace. */
  readonly inPidNamespace?: boolean;
}

export type ScriptName = 'node' | 'python' | 'shell' | 'true';

export interface HandlerRow {
  readonly id: string;
  readonly label: string;
  readonly language: 'javascript' | 'python';
  /** The first call of a fresh manager, which starts a worker. */
  readonly cold: Outcome<Timing>;
  readonly warm: Outcome<Timing>;
}

export interface Crowd {
  readonly calls: number;
  readonly answered: number;
  readonly wallMs: number;
  /** The pool's limit. */
  readonly maxWorkers: number;
  /** The most processes seen at once; `null` if processes cannot be inspected. */
  readonly workersSeen: number | null;
}

/** Megabytes of 2^20 bytes. */
export interface MemoryReading {
  readonly rssMb: number;
  /** Memory of JavaScript: used heap and external memory. */
  readonly heapMb: number;
}

export interface Flood {
  readonly bytes: number;
  readonly wallMs: number;
  /** Whether the run returned a success with truncated output. `null` for contenders that do not truncate. */
  readonly isTruncatedSuccess: boolean | null;
  /** After a collection. */
  readonly before: MemoryReading;
  readonly after: MemoryReading;
  /** The peak during the run. */
  readonly peak: MemoryReading;
}

export interface FloodRow {
  readonly id: string;
  readonly label: string;
  readonly flood: Outcome<Flood>;
}

export interface Ending {
  readonly runs: number;
  /** How many runs returned a timeout. */
  readonly timedOut: number;
  /** How many of the runs that returned a timeout had started a process in its own session by then. */
  readonly strays: number;
  /** Processes found after the last run returned. */
  readonly leftAtOnce: number;
  /** How many of the processes found after the last run were still there a second later. */
  readonly survivors: number;
  /** How much longer than its timeout a run took. */
  readonly overrun: { readonly medianMs: number; readonly maxMs: number };
}

export interface EndingRow {
  readonly id: string;
  readonly label: string;
  readonly ending: Outcome<Ending>;
}

/** What each scenario measures. */
export interface Measurements {
  scripts: readonly ScriptGroup[];
  bubblewrap: readonly ScriptGroup[];
  handlers: readonly HandlerRow[];
  concurrency: Crowd;
  memory: readonly FloodRow[];
  timeouts: readonly EndingRow[];
}

export type ScenarioName = keyof Measurements;

export const SCENARIOS: readonly ScenarioName[] = [
  'scripts',
  'bubblewrap',
  'handlers',
  'concurrency',
  'memory',
  'timeouts',
];

export type ScenarioOutcomes = { readonly [Name in ScenarioName]?: Outcome<Measurements[Name]> };

export interface Results {
  readonly startedAt: string;
  readonly node: string;
  readonly machine: string;
  readonly processors: number;
  /** The load average at the start; 0 if unknown. */
  readonly load: number;
  readonly seconds: number;
  /** Scenarios that first missed a time target and were measured again. */
  readonly repeated: readonly ScenarioName[];
  readonly scenarios: ScenarioOutcomes;
  readonly targets: readonly Target[];
}
