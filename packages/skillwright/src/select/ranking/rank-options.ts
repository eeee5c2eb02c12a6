import { SkillwrightError } from '../../spec/errors/error.ts';
import type { AsyncRankOptions, RankOptions } from '../../spec/ranker.ts';
import { assertKnownOptions, describe, type OptionNames } from '../option-names.ts';

const DEFAULT_LIMIT = 5;

const RANK_OPTIONS: OptionNames<RankOptions> = {
  limit: true,
  threshold: true,
  provider: true,
  backgroundReason: true,
  isCandidate: true,
};
const ASYNC_RANK_OPTIONS: OptionNames<AsyncRankOptions> = {
  ...RANK_OPTIONS,
  embed: true,
  signal: true,
  embedTimeoutMs: true,
};

/** Rejects misuse at once. The content of a task is never misuse. */
export function assertRanking(task: string, options: RankOptions): void {
  assertTask(task);
  assertKnownOptions(options, RANK_OPTIONS);
  assertKinds(options);
}

/** The same for `rankAsync`. */
export function assertAsyncRanking(task: string, options: AsyncRankOptions): void {
  assertTask(task);
  assertKnownOptions(options, ASYNC_RANK_OPTIONS);
  assertKinds(options);
  const { embed, embedTimeoutMs } = options;
  assertKind('embed', embed, 'function');
  if (embedTimeoutMs !== undefined && !(embedTimeoutMs > 0))
    throw invalid('embedTimeoutMs', `must be a number of milliseconds above 0, not ${String(embedTimeoutMs)}`);
}

/** Checks the limit: a whole number from 0 on, or Infinity. */
export function takeLimit({ limit = DEFAULT_LIMIT }: RankOptions): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit >= 0)) return limit;
  throw invalid('limit', `must be a whole number of at least 0, not ${String(limit)}`);
}

/** Checks the threshold: any finite number. */
export function takeThreshold({ threshold }: RankOptions, fallback: number): number {
  if (threshold === undefined) return fallback;
  if (Number.isFinite(threshold)) return threshold;
  throw invalid('threshold', `must be a number, not ${String(threshold)}`);
}

function assertTask(task: unknown): void {
  if (typeof task !== 'string') throw invalid('task', `must be a text, not ${describe(task)}`);
}

function assertKinds({ provider, backgroundReason, isCandidate }: RankOptions): void {
  assertKind('provider', provider, 'string');
  assertKind('backgroundReason', backgroundReason, 'string');
  assertKind('isCandidate', isCandidate, 'function');
}

function assertKind(option: string, given: unknown, kind: 'string' | 'function'): void {
  if (given === undefined || typeof given === kind) return;
  throw invalid(option, `must be a ${kind === 'string' ? 'text' : kind}, not ${describe(given)}`);
}

function invalid(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `'${option}' ${problem}.`, { data: { option } });
}
