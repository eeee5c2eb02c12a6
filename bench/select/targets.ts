import type { Target } from '../target.ts';
import type { Results, SetResult } from './results.ts';

export const OURS = 'lexical (ours)';

/**
 * Targets for the ranker. The quality on the generated set has no target, because the set is made of templates, as the report
 * says.
 */
export function checkTargets(results: Omit<Results, 'targets'>): Target[] {
  const given = results.sets.find(({ name }) => name !== 'generated');
  return [...(given === undefined ? [] : checkQuality(given)), ...checkSpeed(results)];
}

function checkQuality({ rows }: SetResult): Target[] {
  const ours = rows.find(({ label }) => label === OURS)?.numbers;
  if (ours === undefined) return [];
  return [
    atLeast('own source, recall@1', 72, ours.repository.first),
    atLeast('own source, recall@5', 95, ours.repository.inFive),
    atLeast('own source, MRR', 81, ours.repository.reciprocalRank),
    atLeast('union, recall@1', 66, ours.union.first),
    atLeast('union, recall@5', 91, ours.union.inFive),
    atLeast('recall of what is shown', 94.7, ours.shown.recall),
    atMost('skills shown for a task', 2.7, ours.shown.skillsPerTask),
    atMost('tasks of another source with any skill', 70, ours.shown.foreign),
    atMost('near misses first', 13, ours.nearMissFirst),
    atMost('near misses in five', 28, ours.nearMissInFive),
    atLeast('recall@5 at 10 % answers to foreign tasks', 70, ours.recallAgainstForeign),
    atLeast('recall@5 at 10 % answers to everyday tasks', 70, ours.recallAgainstEveryday),
  ];
}

function checkSpeed({ sizes }: Omit<Results, 'targets'>): Target[] {
  const rows = sizes.find(({ size }) => size === 10_000)?.rows ?? [];
  const ours = rows.find(({ label }) => label === OURS)?.numbers;
  return [
    atMost('rank among 10,000, p50 ms', 5, ours?.p50Ms),
    atMost('index of 10,000, CPU ms', 3_000, ours?.buildCpuMs),
    atMost('index of 10,000, MB', 80, ours?.memoryMb),
  ];
}

function atLeast(name: string, limit: number, measured: number | undefined): Target {
  return target(name, `≥ ${limit}`, measured, (value) => value >= limit);
}

function atMost(name: string, limit: number, measured: number | undefined): Target {
  return target(name, `≤ ${limit}`, measured, (value) => value <= limit);
}

function target(name: string, limit: string, measured: number | undefined, holds: (value: number) => boolean): Target {
  if (measured === undefined || Number.isNaN(measured)) return { name, limit };
  return { name, limit, measured: measured.toFixed(1), pass: holds(measured) };
}
