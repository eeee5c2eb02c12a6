import { resolve } from 'node:path';
import { createCatalog, type Catalog } from './catalog/catalog.ts';
import {
  createRestrictions,
  TOOL_RESTRICTION_MODES,
  type Restrictions,
  type ToolRestrictionMode,
} from './policy/restriction.ts';
import { inheritableEnvironment } from './policy/script-environment.ts';
import { hostEnvironment } from './process/host-environment.ts';
import { createInterpreters } from './process/interpreters.ts';
import { createProcessSandbox } from './process/process-sandbox.ts';
import { createRunner, type Runner } from './run/runner.ts';
import { SkillwrightError } from './spec/error.ts';
import type { EventListener } from './spec/events.ts';
import { guardListener } from './spec/guarded-listener.ts';
import { DEFAULT_LIMITS, type ReadingLimits } from './spec/limits.ts';
import { silentLogger, type Logger } from './spec/logger.ts';
import type { SkillSource } from './spec/source.ts';

/** What is decided for the host rather than by a skill. */
export interface PolicyOptions {
  /** What the tool lists of active skills do. Default `enforce`. */
  readonly allowedTools?: ToolRestrictionMode | undefined;
}

export interface RuntimeOptions {
  /** Where skills come from, highest precedence first. */
  readonly sources: readonly SkillSource[];
  /** Refuse skills that break the written specification. Default false: they load with diagnostics. */
  readonly strict?: boolean | undefined;
  /** Also look for other spellings beside each SKILL.md, which takes half as long again. Default: as `strict`. */
  readonly thorough?: boolean | undefined;
  readonly limits?: Partial<ReadingLimits> | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  readonly onEvent?: EventListener | undefined;
  readonly policy?: PolicyOptions | undefined;
  /** The environment of scripts and tools. Default: the host's, without what takes over interpreters. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds a script or tool may take. Default 30,000. */
  readonly timeout?: number | undefined;
  /** Bytes kept of stdout and of stderr each. Default 20,480. */
  readonly maxOutput?: number | undefined;
  /** Where tools work. Default: the working directory of the process. */
  readonly projectDir?: string | undefined;
}

/** The layers, wired. Two runtimes share nothing. */
export interface Runtime {
  readonly catalog: Catalog;
  readonly limits: ReadingLimits;
  readonly logger: Logger;
  /** The skills that are active, and what they restrict. */
  readonly restrictions: Restrictions;
  /** Runs scripts and tools of the catalog's skills as processes of this user: the sources given here are trusted. */
  readonly runner: Runner;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const logger = options.logger ?? silentLogger;
  const limits = { ...DEFAULT_LIMITS, ...withoutUndefined(options.limits ?? {}) };
  assertLimits(limits);
  assertDistinct(options.sources);
  assertPolicy(options.policy);
  assertRunOptions(options);
  const emit = guardListener(options.onEvent, (error, type) =>
    logger.warn('An event listener threw.', { event: type, error: String(error) }),
  );
  const catalog = createCatalog({
    sources: options.sources,
    limits,
    strict: options.strict ?? false,
    thorough: options.thorough ?? false,
    logger,
    emit,
  });
  const restrictions = createRestrictions({
    mode: options.policy?.allowedTools ?? 'enforce',
    onDenied: (error) => logger.error(error.message, { code: error.code, ...error.data }),
  });
  const env = options.env ?? inheritableEnvironment(hostEnvironment());
  const runner = createRunner({
    context: { sandbox: createProcessSandbox(), interpreters: createInterpreters({ path: env['PATH'] ?? '' }), emit },
    env,
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    maxOutputBytes: options.maxOutput ?? DEFAULT_MAX_OUTPUT_BYTES,
    projectDir: resolve(options.projectDir ?? '.'),
    instructions: (record) => catalog.body(record),
  });
  return { catalog, limits, logger, restrictions, runner };
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_OUTPUT_BYTES = 20_480;
/** The longest a timer can be set for. */
const MAX_NUMBER = 2 ** 31 - 1;

function assertRunOptions(options: RuntimeOptions): void {
  for (const option of ['timeout', 'maxOutput'] as const) {
    const value = options[option];
    if (value === undefined || (Number.isSafeInteger(value) && value > 0 && value <= MAX_NUMBER)) continue;
    const message = `Option '${option}' must be a whole number from 1 to ${MAX_NUMBER}, not ${String(value)}.`;
    throw new SkillwrightError('InvalidOptions', message, { data: { option } });
  }
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

function assertPolicy(policy: unknown): void {
  if (policy === undefined) return;
  if (typeof policy !== 'object' || policy === null) throw invalidPolicy('policy', 'must be an object of policies');
  for (const [name, value] of Object.entries(policy)) {
    if (name !== 'allowedTools') throw invalidPolicy(`policy.${name}`, 'is not a policy. Policies: allowedTools');
    if (value !== undefined && !TOOL_RESTRICTION_MODES.includes(value as ToolRestrictionMode))
      throw invalidPolicy('policy.allowedTools', `must be one of ${TOOL_RESTRICTION_MODES.join(', ')}`);
  }
}

function invalidPolicy(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `Option '${option}' ${problem}.`, { data: { option } });
}
