import { createCatalog, type Catalog } from './catalog/catalog.ts';
import { SkillwrightError } from './spec/error.ts';
import type { EventListener } from './spec/events.ts';
import { DEFAULT_LIMITS, type ReadingLimits } from './spec/limits.ts';
import { silentLogger, type Logger } from './spec/logger.ts';
import type { SkillSource } from './spec/source.ts';

export interface RuntimeOptions {
  /** Where skills come from, highest precedence first. */
  readonly sources: readonly SkillSource[];
  /** Refuse skills that break the written specification. Default false: they load with diagnostics. */
  readonly strict?: boolean | undefined;
  readonly limits?: Partial<ReadingLimits> | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  readonly onEvent?: EventListener | undefined;
}

/** The layers, wired. Two runtimes share nothing. */
export interface Runtime {
  readonly catalog: Catalog;
  readonly limits: ReadingLimits;
  readonly logger: Logger;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const logger = options.logger ?? silentLogger;
  const limits = { ...DEFAULT_LIMITS, ...withoutUndefined(options.limits ?? {}) };
  assertLimits(limits);
  assertDistinct(options.sources);
  const catalog = createCatalog({
    sources: options.sources,
    limits,
    strict: options.strict ?? false,
    logger,
    onEvent: options.onEvent,
  });
  return { catalog, limits, logger };
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<T>;
}

function assertLimits(limits: ReadingLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    const isKnown = Object.hasOwn(DEFAULT_LIMITS, name);
    if (isKnown && Number.isSafeInteger(value) && value >= (name === 'maxDepth' ? 0 : 1)) continue;
    const message = isKnown
      ? `Option 'limits.${name}' must be a whole number above 0, not ${String(value)}.`
      : `Option 'limits.${name}' is not a limit. Limits: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`;
    throw new SkillwrightError('InvalidOptions', message, { data: { option: `limits.${name}` } });
  }
}

function assertDistinct(sources: readonly SkillSource[]): void {
  const ids = new Set<string>();
  for (const { id } of sources) {
    if (ids.has(id))
      throw new SkillwrightError('InvalidOptions', `Two sources have the id '${id}'. Give each its own.`, {
        data: { option: 'sources', id },
      });
    ids.add(id);
  }
}
