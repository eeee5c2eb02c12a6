import { SkillwrightError } from '../../spec/errors/error.ts';
import type { AsyncRankOptions, CutOptions, Eagerness, RankOptions } from '../../spec/ranker.ts';
import { assertKnownOptions, describe, type OptionNames } from '../option-names.ts';

const DEFAULT_LIMIT = 5;
const MAX_SKILLS = 5;
export const EAGERNESS: readonly Eagerness[] = ['low', 'normal', 'high'];

const RANK_OPTIONS: OptionNames<RankOptions> = {
  limit: true,
  maxSkills: true,
  eagerness: true,
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

/** Rejects misuse of `rankAsync` at once. */
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

/** Whether the caller asks for the plain ranking, not for the skills that a model would be shown. */
export function isPlainRanking({ limit, threshold }: RankOptions): boolean {
  return limit !== undefined || threshold !== undefined;
}

/** Checks the number of skills to show: a whole number from 1 on, or Infinity. */
export function takeMaxSkills({ maxSkills = MAX_SKILLS }: CutOptions): number {
  if (maxSkills === Infinity || (Number.isInteger(maxSkills) && maxSkills >= 1)) return maxSkills;
  throw invalid('maxSkills', `must be a whole number of at least 1, not ${String(maxSkills)}`);
}

/** Checks the eagerness: one of three words. */
export function takeEagerness({ eagerness = 'normal' }: CutOptions): Eagerness {
  if (EAGERNESS.includes(eagerness)) return eagerness;
  throw invalid('eagerness', `must be ${EAGERNESS.join(', ')}, not ${describe(eagerness)}`);
}

/** Checks the threshold: any finite number. */
export function takeThreshold({ threshold }: RankOptions, fallback: number): number {
  if (threshold === undefined) return fallback;
  if (Number.isFinite(threshold)) return threshold;
  throw invalid('threshold', `must be a number, not ${String(threshold)}`);
}

function assertTask(task: unknown): void {
  if (typeof task !== 'string') throw invalid('task', `must be a string, not ${describe(task)}`);
}

function assertKinds({ provider, backgroundReason, isCandidate }: RankOptions): void {
  assertKind('provider', provider, 'string');
  assertKind('backgroundReason', backgroundReason, 'string');
  assertKind('isCandidate', isCandidate, 'function');
}

function assertKind(option: string, given: unknown, kind: 'string' | 'function'): void {
  if (given === undefined || typeof given === kind) return;
  throw invalid(option, `must be a ${kind}, not ${describe(given)}`);
}

function invalid(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `'${option}' ${problem}.`, { data: { option } });
}
