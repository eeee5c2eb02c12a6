import { median, quantile } from '../statistics.ts';
import { AbsentError } from './measured-manager.ts';
import type { Outcome, Row, Timing } from './results.ts';

/** A contender. Throws when it did not do the measured work. */
export interface Contender {
  readonly id: string;
  readonly label: string;
  run(): Promise<void>;
}

/** One call. */
export interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Warm-up rounds that are not counted: one-time compilation, lookups and starts are not part of a run's cost. */
const WARM_UP_ROUNDS = 3;
/** On a slow or busy machine there are fewer rounds than requested, but at least this many. */
const LEAST_ROUNDS = 15;
const BUDGET_MS = 15_000;

/**
 * Runs the contenders in turn, round by round. Each round starts one contender later, so that a slow spell of the machine affects
 * all alike. A contender that throws is not run again; the others continue.
 */
export async function measureInterleaved(
  contenders: readonly Contender[],
  rounds: number,
  onRound: () => void = () => {},
): Promise<Row[]> {
  const series = contenders.map((contender) => ({ contender, samples: [] as Sample[], end: undefined as unknown }));
  const started = performance.now();
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    if (round >= LEAST_ROUNDS && performance.now() - started > BUDGET_MS) break;
    if (round >= 0) onRound();
    for (let turn = 0; turn < series.length; turn += 1) {
      const record = series[(Math.max(round, 0) + turn) % series.length];
      if (record === undefined || record.end !== undefined) continue;
      try {
        const sample = await timed(() => record.contender.run());
        if (round >= 0) record.samples.push(sample);
      } catch (error) {
        record.end = error;
      }
    }
  }
  return series.map(({ contender: { id, label }, samples, end }) => ({ id, label, timing: toOutcome(samples, end) }));
}

export async function timed(work: () => Promise<unknown>): Promise<Sample> {
  const startedCpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(startedCpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

export function toOutcome(samples: readonly Sample[], error?: unknown): Outcome<Timing> {
  if (error !== undefined) return notMeasured(error);
  const walls = samples.map(({ wallMs }) => wallMs);
  const value = {
    count: samples.length,
    leastMs: Math.min(...walls),
    medianMs: median(walls),
    p95Ms: quantile(walls, 0.95),
    hostCpuMs: median(samples.map(({ cpuMs }) => cpuMs)),
  };
  return { status: 'measured', value };
}

export function notMeasured(error: unknown): { status: 'absent' | 'failed'; reason: string } {
  const reason = error instanceof Error ? error.message : String(error);
  return { status: error instanceof AbsentError ? 'absent' : 'failed', reason };
}
