import type { Target } from '../target.ts';
import type { Extra, Results, Row, RowNumbers, SizeResult } from './results.ts';

type Measured = Omit<Results, 'targets'>;

/**
 * Compares the results with the design's numbers. If one of our contenders failed, it misses every target it was measured for.
 */
export function checkTargets(results: Measured): Target[] {
  const last = results.sizes.toSorted((a, b) => a.size - b.size).at(-1);
  return [
    ours('cold discovery of 10,000, CPU', '≤ 1.5 × W', at(results, 10_000), (row) => [
      `${row.ratio.toFixed(2)} × W`,
      row.ratio <= 1.5,
    ]),
    ours(
      'warm discovery of 10,000 (index cache), CPU',
      '≤ 0.8 × W',
      at(results, 10_000),
      (row) => [`${row.ratio.toFixed(2)} × W`, row.ratio <= 0.8],
      'skillwright-warm',
    ),
    everySkill(last),
    ...(last?.rows ?? []).filter((row) => row.kind === 'peer').map((peer) => fasterThan(peer, last)),
    extra('heap of 10,000 skills after gc', '≤ 40 MB', results.heap, ({ heapMb }, size) =>
      size === 10_000 ? [`${heapMb.toFixed(1)} MB`, heapMb <= 40] : undefined,
    ),
    ours('cold discovery of 100, wall', '< 100 ms', at(results, 100), (row) => [ms(row.wallMs), row.wallMs < 100]),
    ours('cold discovery of 1,000, wall', '< 1 s', at(results, 1000), (row) => [ms(row.wallMs), row.wallMs < 1000]),
    extra('invokeSkill cold, p99', '≤ 3 ms', results.invoke, ({ coldP99Ms }) => [ms(coldP99Ms), coldP99Ms <= 3]),
    extra('invokeSkill warm, p99', '≤ 1 ms', results.invoke, ({ warmP99Ms }) => [ms(warmP99Ms), warmP99Ms <= 1]),
  ];
}

type Verdict = [measured: string, pass: boolean];

function at(results: Measured, size: number): SizeResult | undefined {
  return results.sizes.find((result) => result.size === size);
}

function ours(
  name: string,
  limit: string,
  result: SizeResult | undefined,
  judge: (numbers: RowNumbers) => Verdict,
  id = 'skillwright',
): Target {
  const row = result?.rows.find((candidate) => candidate.id === id);
  if (row?.status === 'failed') return { name, limit, measured: 'failed', pass: false };
  return row?.numbers === undefined ? { name, limit } : toTarget(name, limit, judge(row.numbers));
}

/** Speed counts only if no skill is lost for it. */
function everySkill(result: SizeResult | undefined): Target {
  const size = result?.size ?? 0;
  return ours(`skills found of ${size.toLocaleString('en')}`, 'all', result, ({ found }) => [
    found.toLocaleString('en'),
    found === size,
  ]);
}

/** Time per skill found: a peer that ignores groups or drops skills has less to do in total. */
function fasterThan(peer: Row, result: SizeResult | undefined): Target {
  const name = `CPU per skill found, against ${peer.label}`;
  const rival = peer.numbers;
  if (rival === undefined) return { name, limit: '' };
  return ours(name, `< ${micro(rival.cpuPerSkillUs)}`, result, ({ cpuPerSkillUs }) => [
    micro(cpuPerSkillUs),
    cpuPerSkillUs < rival.cpuPerSkillUs,
  ]);
}

function micro(value: number): string {
  return `${value.toFixed(1)} µs`;
}

/** `judge` returns undefined if the target is for a size other than the measured one. */
function extra<T>(
  name: string,
  limit: string,
  result: Extra<T>,
  judge: (value: T, size: number) => Verdict | undefined,
): Target {
  if (result.status === 'failed') return { name, limit, measured: 'failed', pass: false };
  const verdict = result.status === 'measured' ? judge(result.value, result.size) : undefined;
  return verdict === undefined ? { name, limit } : toTarget(name, limit, verdict);
}

function toTarget(name: string, limit: string, [measured, pass]: Verdict): Target {
  return { name, limit, measured, pass };
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}
