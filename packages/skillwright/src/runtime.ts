import { withoutAbsent } from './parse/json/json-source.ts';
import { join, resolve } from 'node:path';
import { createCatalog, type Catalog } from './catalog/catalog.ts';
import { logDiagnostic } from './catalog/discovery-log.ts';
import { indexCacheOf, type IndexCacheOption } from './catalog/index-cache/location.ts';
import type { IndexCache } from './catalog/index-cache/index-cache.ts';
import { createApprovals } from './policy/approvals.ts';
import { createRestrictions, type Restrictions } from './policy/restriction/restriction.ts';
import { cacheDirectory, hostEnvironment } from './process/host-environment.ts';
import { createInterpreters } from './process/interpreters.ts';
import { createStandardSandboxes } from './process/standard-sandboxes.ts';
import type { Witnesses } from './run/execution.ts';
import { createHandlerPool } from './run/handlers/handler-pool.ts';
import type { RunContext } from './run/run-context.ts';
import { runSettings, assertRunningOptions, type RunningOptions } from './run/options/running-options.ts';
import { createRunChecks, type RunChecks } from './run/admission/run-checks.ts';
import { createRunner, type Runner } from './run/runner.ts';
import { createSkillKeyed, type KeyedContext } from './run/skill-keyed.ts';
import { createSkillStops } from './run/skill-stops.ts';
import { createStaging } from './run/admission/staging.ts';
import { createSurroundings } from './run/run-environment.ts';
import { createContentStamps } from './run/admission/skill-content.ts';
import { createModuleArguments } from './run/arguments/module-arguments.ts';
import type { SandboxOptions } from './run/options/sandbox-options.ts';
import { createTiers } from './run/admission/tiers.ts';
import { createArgumentCheck } from './run/arguments/tool-arguments.ts';
import { SkillwrightError } from './spec/errors/error.ts';
import { type EventListener, guardListener } from './spec/events/events.ts';
import { DEFAULT_LIMITS, type ReadingLimits } from './spec/limits.ts';
import { silentLogger, type Logger } from './spec/events/logger.ts';
import { createCatalogRanker, type CatalogRanker } from './select/selection/catalog-ranker.ts';
import type { RankerKind } from './spec/ranker.ts';
import type { SkillSource } from './spec/source.ts';
import type { DecideTrust } from './spec/trust.ts';

/** Options for reading skills, and for following what the library does. */
export interface ReadingOptions {
  /** Refuse skills that break the written specification. Default false: they load with diagnostics. */
  readonly strict?: boolean | undefined;
  /**
   * Also look for misspelled names of SKILL.md, and name skills that nothing loads, which takes about 50% longer.
   * Default: as `strict`.
   */
  readonly thorough?: boolean | undefined;
  readonly limits?: Partial<ReadingLimits> | undefined;
  /**
   * Cache what was read for the next process: in the user's cache directory, or in this file. Unchanged files are then
   * not opened. Default false.
   */
  readonly indexCache?: IndexCacheOption | undefined;
  /** Gets warnings and notes. Default: nothing is logged. */
  readonly logger?: Logger | undefined;
  readonly onEvent?: EventListener | undefined;
}

/** Options of `createRuntime`: the sources, and how skills are read and run. */
export interface RuntimeOptions extends RunningOptions, ReadingOptions {
  /** Where skills come from, highest precedence first. */
  readonly sources: readonly SkillSource[];
  /** Decides how far each skill is trusted. Default: the trust that its source declares. */
  readonly trust?: DecideTrust | undefined;
  /** The ranker that matches skills to a task. Default `lexical`. */
  readonly ranker?: RankerKind | undefined;
  /** The directory tools work in. Default: the working directory of the process. */
  readonly projectDir?: string | undefined;
}

/** The layers, wired together. Two runtimes share nothing. */
export interface Runtime {
  readonly catalog: Catalog;
  readonly limits: ReadingLimits;
  readonly logger: Logger;
  /** The active skills, and the tools they restrict the model to. */
  readonly restrictions: Restrictions;
  /** Ranks the catalog's skills for a task. */
  readonly ranking: CatalogRanker;
  /** Runs scripts and tools of the catalog's skills. The skill's trust and the options decide where and how. */
  readonly runner: Runner;
  /** Checks whether this host can run a skill at all, before a run is tried. */
  readonly runChecks: RunChecks;
}

/**
 * Wires everything below the faces: reads skills from the given sources, ranks them and runs them. `SkillManager` is a
 * thin layer over a runtime.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const logger = options.logger ?? silentLogger;
  const limits = { ...DEFAULT_LIMITS, ...withoutAbsent(options.limits ?? {}) };
  assertLimits(limits);
  assertDistinct(options.sources);
  assertRunningOptions(options);
  const emit = guardListener(options.onEvent, logger);
  const indexCache = openIndexCache(options, limits, logger);
  const catalog = createCatalog({
    sources: options.sources,
    limits,
    strict: options.strict ?? false,
    thorough: options.thorough ?? false,
    decideTrust: options.trust,
    indexCache,
    logger,
    emit,
    onRefresh: () => context.stops.judge(),
    onSnapshot: (found) => context.stops.judge(found),
  });
  const restrictions = createRestrictions({
    mode: options.policy?.allowedTools ?? 'enforce',
    onDenied: (error) => logger.error(error.message, { code: error.code, ...error.data }),
  });
  const context = createRunContext(options, catalog, { emit, recorder: options.recorder, logger });
  const runner = createRunner({
    context,
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    projectDir: resolve(options.projectDir ?? '.'),
    instructions: (record) => catalog.body(record),
  });
  const ranking = createCatalogRanker({
    kind: options.ranker,
    maxBytes: limits.maxSkillBytes,
    cache: indexCache,
  });
  return { catalog, limits, logger, restrictions, ranking, runner, runChecks: createRunChecks(context) };
}

const DEFAULT_TIMEOUT_MS = 30_000;

function openIndexCache(options: RuntimeOptions, limits: ReadingLimits, logger: Logger): IndexCache | undefined {
  const { indexCache = false, sources, strict = false } = options;
  return indexCacheOf(indexCache, {
    directory: () => join(cacheDirectory(hostEnvironment()), 'index'),
    identity: [sources.map(({ kind, location }) => [kind, location]), strict, limits],
    logger,
  });
}

function createRunContext(options: RuntimeOptions, catalog: Catalog, witnesses: Witnesses): RunContext {
  const host = hostEnvironment();
  const path = options.env?.['PATH'] ?? host['PATH'] ?? '';
  const { workers } = options;
  const sandbox: SandboxOptions = typeof options.sandbox === 'object' ? options.sandbox : {};
  const keyed = (option: string, hasOthers: boolean): KeyedContext => ({
    hasOthers,
    snapshot: () => catalog.snapshot,
    onUnknown: (names) =>
      witnesses.logger.warn(`Option '${option}' names skills that do not exist: ${names.join(', ')}.`, {
        option,
        names,
      }),
  });
  const secretsOf = createSkillKeyed(options.secrets, keyed('secrets', false));
  const stamps = createContentStamps();
  const pool = createHandlerPool({ maxWorkers: workers?.max, maxCalls: workers?.maxCalls, idleMs: workers?.idle });
  return {
    ...witnesses,
    ...runSettings(options, keyed('policy.execution', true)),
    // The host's own sandbox replaces the built-in one of its tier.
    tiers: createTiers(
      [
        ...(options.sandboxes ?? []),
        ...createStandardSandboxes({ path: host['PATH'] ?? '', container: sandbox.container }),
      ],
      sandbox.egress === undefined ? undefined : { options: sandbox.egress, logger: witnesses.logger },
    ),
    interpreters: createInterpreters({ path }),
    pool,
    stops: createSkillStops({ decideTrust: options.trust, endWorkers: (file) => pool.endWorkersOf(file) }),
    staging: createStaging(resolve(options.stagingDir ?? join(cacheDirectory(host), 'skills')), (diagnostic) =>
      logDiagnostic(witnesses.logger, diagnostic),
    ),
    hasSecrets: (skill) => Object.keys(secretsOf(skill) ?? {}).length > 0,
    surroundingsOf: createSurroundings({
      host,
      env: options.env,
      secretsOf,
      everySkillIsTrusted: () => isAllTrusted(options.sources, catalog),
      onInherit: (names) => witnesses.emit({ type: 'environment-inherit', names }),
    }),
    checkArguments: createArgumentCheck(),
    stamps,
    moduleArguments: createModuleArguments(stamps),
    approve: options.approve,
    approvals: createApprovals(),
  };
}

function isAllTrusted(sources: readonly SkillSource[], { snapshot }: Catalog): boolean {
  const hidden = snapshot?.shadowed.map(({ skill }) => skill) ?? [];
  return [...sources, ...(snapshot?.skills ?? []), ...hidden].every(({ trust }) => trust === 'trusted');
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
