import type { Target } from '../target.ts';

/** `absent`: there is nothing to measure here, as without Python. `failed`: there is, and it did not do what it should. */
export type Outcome<T> =
  | { readonly status: 'measured'; readonly value: T }
  | { readonly status: 'absent' | 'failed'; readonly reason: string };

/** Many calls of one thing. */
export interface Timing {
  readonly count: number;
  /** The quickest: on a busy machine the nearest to what it takes by itself. */
  readonly leastMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** User + system time of the calling process, a median too: what the started processes take is not in it. */
  readonly hostCpuMs: number;
}

/** One way to do something, beside others that were measured in turn with it. */
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
  /** The pool's bound. */
  readonly maxWorkers: number;
  /** The most that were seen at once; `null` where processes cannot be looked at. */
  readonly workersSeen: number | null;
}

/** Megabytes of 2^20 bytes. */
export interface MemoryReading {
  readonly rssMb: number;
  /** Of JavaScript: heap in use and what is kept outside of it. */
  readonly heapMb: number;
}

export interface Flood {
  readonly bytes: number;
  readonly wallMs: number;
  /** Whether it came back as a success with its output cut. `null` for what does not cut. */
  readonly isTruncatedSuccess: boolean | null;
  /** After a collection. */
  readonly before: MemoryReading;
  readonly after: MemoryReading;
  /** The most that was seen meanwhile. */
  readonly peak: MemoryReading;
}

export interface FloodRow {
  readonly id: string;
  readonly label: string;
  readonly flood: Outcome<Flood>;
}

export interface Ending {
  readonly runs: number;
  /** How many came back as timeouts. */
  readonly timedOut: number;
  /** How many had started a process in a session of its own by then. */
  readonly strays: number;
  /** Processes found when the last run had come back. */
  readonly leftAtOnce: number;
  /** Of those, the ones that still were there a second later. */
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
  /** The load average when it started; 0 where there is none. */
  readonly load: number;
  readonly seconds: number;
  /** Scenarios that missed a time at first, and were measured once more. */
  readonly repeated: readonly ScenarioName[];
  readonly scenarios: ScenarioOutcomes;
  readonly targets: readonly Target[];
}
