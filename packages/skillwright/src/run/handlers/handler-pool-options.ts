import { availableParallelism } from 'node:os';
import { SkillwrightError } from '../../spec/errors/error.ts';

export interface HandlerPoolOptions {
  /** Workers of all keys together. Default: the number of processors, at least 2. */
  readonly maxWorkers?: number | undefined;
  /** Workers of one key. Default: as `maxWorkers`. */
  readonly maxWorkersPerKey?: number | undefined;
  /** Calls after which a worker is replaced. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** Milliseconds after which an unused worker is ended. Default 60,000. */
  readonly idleMs?: number | undefined;
  /** Calls that may wait for their turn; more are not started. Default 10,000. */
  readonly maxWaiting?: number | undefined;
}

/** The options with every default filled in. */
export type HandlerPoolLimits = { readonly [Name in keyof HandlerPoolOptions]-?: number };

/** The longest a timer can be set for. */
const MAX_NUMBER = 2 ** 31 - 1;

/** Throws `InvalidOptions` for a number that cannot be. */
export function readHandlerPoolOptions(options: HandlerPoolOptions): HandlerPoolLimits {
  const maxWorkers = options.maxWorkers ?? Math.max(2, availableParallelism());
  const limits = {
    maxWorkers,
    maxWorkersPerKey: options.maxWorkersPerKey ?? maxWorkers,
    maxCalls: options.maxCalls ?? 1_000,
    idleMs: options.idleMs ?? 60_000,
    maxWaiting: options.maxWaiting ?? 10_000,
  };
  for (const [option, value] of Object.entries(limits)) {
    const least = option === 'maxWaiting' ? 0 : 1;
    if (Number.isSafeInteger(value) && value >= least && value <= MAX_NUMBER) continue;
    const message = `Option '${option}' must be a whole number from ${least} to ${MAX_NUMBER}, not ${String(value)}.`;
    throw new SkillwrightError('InvalidOptions', message, { data: { option } });
  }
  return limits;
}
