import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Contender } from './contenders/index.ts';
import type { Sample } from './measurement.ts';
import type { ProcessRunner } from './process-runner.ts';
import type { Progress } from '../progress.ts';
import type { Row, RowNumbers } from './results.ts';
import { median } from '../statistics.ts';

/** If round 0 shows that a contender is quick enough, this many of its processes continue to the steady state. */
const STEADY_ROUNDS = 2;
const STEADY_REPETITIONS = 9;
const STEADY_FROM = 4;
const STEADY_MAX_WALL_MS = 2000;
/** A contender this slow is not near any limit, so three processes are enough. */
const SLOW_WALL_MS = 5000;
const SLOW_RUNS = 3;

/** Reads every file once, so that each contender finds the tree in the page cache. */
export function warmPageCache(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) warmPageCache(path);
    else readFileSync(path);
  }
}

interface Series {
  contender: Contender;
  cold: Sample[];
  steady: Sample[];
  ended?: { status: 'absent' | 'failed'; reason: string };
}

/**
 * Measures every contender `runs` times on one tree, each time in a fresh process. Rounds are interleaved and each
 * starts one contender later, so that a slow spell of the machine falls on all alike. The first contender has to be W,
 * the bare walk.
 */
export async function measureContenders(
  contenders: readonly Contender[],
  dir: string,
  runs: number,
  runner: ProcessRunner,
  progress: Progress,
): Promise<Row[]> {
  const records: Series[] = contenders.map((contender) => ({ contender, cold: [], steady: [] }));
  for (const { contender } of records) if (contender.isPrepared === true) await prepare(contender, dir, runner);
  for (let round = 0; round < runs; round++) {
    for (let turn = 0; turn < records.length; turn++) {
      const record = records[(round + turn) % records.length] as Series;
      progress.step(record.contender.label);
      if (!isFinished(record)) await measureOnce(record, dir, round, runner);
    }
  }
  const floor = { first: cpuOf(records[0]?.cold ?? []), settled: cpuOf(records[0]?.steady ?? []) };
  return records.map((record) => toRow(record, floor));
}

/** Waits before filling caches: a cache that checks file times does not keep a tree that was written a moment ago. */
async function prepare({ module }: Contender, dir: string, runner: ProcessRunner): Promise<void> {
  await pause(SETTLING_MS);
  await runner.run({ kind: 'discover', module: module.href, dir, repetitions: 1 });
}

const SETTLING_MS = 2_500;

function isFinished({ cold, ended }: Series): boolean {
  return ended !== undefined || (cold.length >= SLOW_RUNS && cold.every((sample) => sample.wallMs > SLOW_WALL_MS));
}

async function measureOnce(record: Series, dir: string, round: number, runner: ProcessRunner): Promise<void> {
  const quick = (record.cold[0]?.wallMs ?? Infinity) < STEADY_MAX_WALL_MS;
  const repetitions = quick && round <= STEADY_ROUNDS ? STEADY_REPETITIONS : 1;
  const module = record.contender.module.href;
  const answer = await runner.run({ kind: 'discover', module, dir, repetitions });
  if (answer.status !== 'measured') {
    record.ended = answer;
  } else if ('samples' in answer) {
    record.cold.push(...answer.samples.slice(0, 1));
    record.steady.push(...answer.samples.slice(STEADY_FROM));
  }
}

/** The medians of W, the bare walk, on the same tree. */
interface Floor {
  first: number;
  settled: number;
}

function cpuOf(samples: readonly Sample[]): number {
  return median(samples.map((sample) => sample.cpuMs));
}

function toRow({ contender, cold, steady, ended }: Series, floor: Floor): Row {
  const { id, label, kind, note } = contender;
  if (ended !== undefined) return { id, label, kind, note, ...ended };
  return { id, label, kind, note, status: 'measured', numbers: toNumbers(cold, steady, floor) };
}

function toNumbers(cold: Sample[], steady: Sample[], floor: Floor): RowNumbers {
  const firstCpuMs = cpuOf(cold);
  const isSettled = steady.length > 0;
  const cpuMs = isSettled ? cpuOf(steady) : firstCpuMs;
  const found = Math.min(...cold.map((sample) => sample.found));
  return {
    found,
    isSettled,
    cpuMs,
    ratio: cpuMs / (isSettled ? floor.settled : floor.first),
    cpuPerSkillUs: (cpuMs * 1000) / found,
    firstCpuMs,
    firstRatio: firstCpuMs / floor.first,
    wallMs: median(cold.map((sample) => sample.wallMs)),
    cold,
    steady,
  };
}
