import { resolve } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillChoiceOptions } from '../../policy/visibility/skill-choice.ts';
import { createRuntime, type ReadingOptions } from '../../runtime.ts';
import { createCatalogRanker, type CatalogRanker } from '../../select/selection/catalog-ranker.ts';
import { createStandardSources, type SkillLocations } from '../../sources/standard-sources.ts';
import { SkillwrightError, invalidOption } from '../../spec/errors/error.ts';
import { type EventListener, guardListener } from '../../spec/events/events.ts';
import { DEFAULT_LIMITS, type ReadingLimits } from '../../spec/limits.ts';
import { silentLogger, type Logger } from '../../spec/events/logger.ts';
import type { RankerKind } from '../../spec/ranker.ts';
import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import type { DecideTrust, TrustLevel } from '../../spec/trust.ts';
import type { IndexSettings } from './loader-index.ts';
import { assertManagerOptions } from '../manager/manager-options.ts';
import { assertKnownNames, unknownOption } from '../../parse/unknown-option.ts';
import { commandOf, taskOf, type TriggerContext } from '../../select/triggers/trigger-context.ts';
import { isCommandTrigger, isTaskTrigger, type FindSkillsOptions } from '../../select/triggers/triggers.ts';

/** Options of `SkillLoader`. */
export interface SkillLoaderOptions extends SkillLocations, SkillChoiceOptions, Omit<ReadingOptions, 'thorough'> {
  /** One or more directories of skills, highest precedence first: a short form of the locations. */
  readonly skillsDir?: string | readonly string[] | undefined;
  /** An existing catalog to use in place of locations. The loader follows its refreshes. */
  readonly catalog?: Catalog | undefined;
  /** Decides the mode of a skill; overrides the skill's own mode. */
  readonly modeOf?: ((skill: SkillMetadata) => SkillMode | undefined) | undefined;
  /** The ranker for `task_match`. Default `lexical`. */
  readonly ranker?: RankerKind | undefined;
  /**
   * How far the skills are trusted. Default: `trusted` for directories that the options name, `untrusted` for the
   * default ones.
   */
  readonly trust?: TrustLevel | DecideTrust | undefined;
}

/** Options for locations. */
const PLACE_OPTIONS = [
  'projectSkillDir',
  'anthropicConfigDir',
  'agentsDir',
  'opencodeDir',
  'pluginDirs',
  'userDirs',
  'additionalSearchPaths',
  'skillsDir',
] as const;
/** Options for reading. */
const READING_OPTIONS = ['precedence', 'walkUp', 'followOutside', 'optional', 'strict', 'trust', 'indexCache'] as const;
const OWN_OPTIONS = ['catalog', 'modeOf', 'include', 'exclude', 'ranker'] as const;
const KNOWN_OPTIONS: readonly string[] = [
  ...PLACE_OPTIONS,
  ...READING_OPTIONS,
  ...OWN_OPTIONS,
  'cwd',
  'logger',
  'limits',
  'onEvent',
];
/** The default directories: the one that the product requirements name, and the usual one. */
const DEFAULT_DIRECTORIES = ['backend/skills', 'skills'];

/** The parts that a loader works with. */
export interface LoaderParts {
  readonly catalog: Catalog;
  readonly limits: ReadingLimits;
  readonly ranking: CatalogRanker;
  readonly logger: Logger;
  /** Reports an event to the listener. Never throws. */
  readonly emit: EventListener;
  readonly settings: IndexSettings;
}

export function openLoader(given: string | readonly string[] | SkillLoaderOptions): LoaderParts {
  const options = toOptions(given);
  const logger = options.logger ?? silentLogger;
  return {
    ...openCatalog(options),
    logger,
    emit: guardListener(options.onEvent, logger),
    settings: {
      include: options.include,
      exclude: options.exclude,
      modeOf: options.modeOf,
      projectDir: resolve(options.cwd ?? '.'),
    },
  };
}

function toOptions(given: string | readonly string[] | SkillLoaderOptions): SkillLoaderOptions {
  const options: unknown = typeof given === 'string' || Array.isArray(given) ? { skillsDir: given } : given;
  if (typeof options !== 'object' || options === null)
    throw invalidOption('skillsDir', `must be a path, not ${typeof given}`);
  assertLoaderOptions(options);
  return options;
}

function openCatalog(options: SkillLoaderOptions): Pick<LoaderParts, 'catalog' | 'limits' | 'ranking'> {
  const { ranker } = options;
  if (options.catalog !== undefined) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const ranking = createCatalogRanker({ kind: ranker, maxBytes: limits.maxSkillBytes });
    return { catalog: options.catalog, limits, ranking };
  }
  const [level, trust] = typeof options.trust === 'function' ? [undefined, options.trust] : [options.trust, undefined];
  const { strict, limits, indexCache, logger, onEvent, cwd } = options;
  const sources = createStandardSources(toLocations(options), {
    trust: level ?? (namesPlaces(options) ? undefined : 'untrusted'),
  });
  const runtime = createRuntime({
    sources,
    trust,
    strict,
    limits,
    indexCache,
    ranker,
    logger,
    onEvent,
    projectDir: cwd,
  });
  return { catalog: runtime.catalog, limits: runtime.limits, ranking: runtime.ranking };
}

function namesPlaces(options: SkillLoaderOptions): boolean {
  return PLACE_OPTIONS.some((option) => options[option] !== undefined);
}

function toLocations(given: SkillLoaderOptions): SkillLocations {
  const { skillsDir, ...options } = given;
  const isDefault = !namesPlaces(given);
  const directories = isDefault ? DEFAULT_DIRECTORIES : [skillsDir ?? []].flat();
  const [first, ...others] = directories;
  if (first === undefined) return options;
  return {
    ...options,
    projectSkillDir: first,
    additionalSearchPaths: [...others, ...(options.additionalSearchPaths ?? [])],
    optional: options.optional ?? isDefault,
  };
}

/** Rejects misuse at once, with the option's name. */
function assertLoaderOptions(options: SkillLoaderOptions): void {
  assertKnownNames(options, KNOWN_OPTIONS);
  const { skillsDir, catalog, modeOf, include, exclude, ranker, ...rest } = options;
  const directories: readonly unknown[] = skillsDir === undefined ? ['.'] : [skillsDir].flat();
  if (directories.length === 0 || !directories.every(isPath))
    throw invalidOption('skillsDir', 'must be a path, or a list of paths');
  if (skillsDir !== undefined && options.projectSkillDir !== undefined)
    throw invalidOption('skillsDir', "and 'projectSkillDir' mean the same; give only one of them");
  const rival = [...PLACE_OPTIONS, ...READING_OPTIONS].find((option) => options[option] !== undefined);
  if (catalog !== undefined && rival !== undefined)
    throw invalidOption('catalog', `and '${rival}' both say which skills to use; give one of them`);
  if (modeOf !== undefined && typeof modeOf !== 'function') throw invalidOption('modeOf', 'must be a function');
  if (ranker !== undefined && ranker !== 'lexical' && ranker !== 'additive')
    throw invalidOption('ranker', "must be 'lexical' or 'additive'");
  if (include !== undefined && !Array.isArray(include)) throw invalidOption('include', 'must be a list of names');
  if (exclude !== undefined && !Array.isArray(exclude)) throw invalidOption('exclude', 'must be a list of names');
  assertManagerOptions(rest);
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

/** The event: fields, or a text that stands for the trigger's main field. */
export type FiredContext = TriggerContext | string;

const FIND_OPTIONS = ['limit', 'threshold'];
/** In errors, these names mean a whole argument of a call; other names are fields of an argument. */
const ARGUMENTS: ReadonlySet<string> = new Set(['trigger', 'context', 'options', 'names']);

/** The context as fields. Throws `InvalidOptions` if a field that the trigger requires is missing. */
export function readContext(trigger: string, given: unknown): TriggerContext {
  const context = toFields(trigger, given);
  if (isTaskTrigger(trigger) && taskOf(context) === undefined)
    throw invalidArgument('context', `of '${trigger}' must be a string, or { task: 'what the user wants' }`);
  if (isCommandTrigger(trigger) && commandOf(context) === undefined)
    throw invalidArgument('context', `of '${trigger}' must be a string, or { command: '/name arguments' }`);
  return context;
}

/** Checks the options of `findSkills`. Throws `InvalidOptions` for misuse. */
export function readFindOptions(given: unknown): FindSkillsOptions {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null) throw invalidArgument('options', 'must be an object');
  const { limit, threshold } = given as FindSkillsOptions;
  for (const name of Object.keys(given)) {
    if (FIND_OPTIONS.includes(name)) continue;
    throw invalidArgument(name, unknownOption(name, FIND_OPTIONS));
  }
  if (limit !== undefined && limit !== Infinity && !(Number.isSafeInteger(limit) && limit >= 0))
    throw invalidArgument('limit', `must be a whole number of at least 0, not ${String(limit)}`);
  if (threshold !== undefined && !Number.isFinite(threshold))
    throw invalidArgument('threshold', `must be a number, not ${String(threshold)}`);
  return { limit, threshold };
}

function toFields(trigger: string, given: unknown): TriggerContext {
  if (typeof given === 'object' && given !== null) return given as TriggerContext;
  if (typeof given !== 'string') return {};
  if (isTaskTrigger(trigger)) return { task: given };
  return isCommandTrigger(trigger) ? { command: given } : { message: given };
}

export function invalidArgument(option: string, problem: string): SkillwrightError {
  const what = ARGUMENTS.has(option) ? `The ${option}` : `Option '${option}'`;
  return new SkillwrightError('InvalidOptions', `${what} ${problem}.`, { data: { option } });
}
