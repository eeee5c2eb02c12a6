import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertKnownNames } from '../../parse/unknown-option.ts';
import type { SkillChoiceOptions } from '../../policy/visibility/skill-choice.ts';
import type { RunningOptions } from '../../run/options/running-options.ts';
import type { RuntimeOptions, ReadingOptions } from '../../runtime.ts';
import type { ListingOptions } from '../../select/listing/listing-options.ts';
import { createStandardSources } from '../../sources/standard-sources.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../spec/approval.ts';
import { invalidOption } from '../../spec/errors/error.ts';
import type { SkillSource } from '../../spec/source.ts';
import { TRUST_LEVELS, type DecideTrust, type TrustLevel } from '../../spec/trust.ts';

/** Options of `createSkillsProvider`. */
export interface SkillsProviderOptions
  extends Omit<RunningOptions, 'approve'>, Omit<ReadingOptions, 'thorough'>, SkillChoiceOptions, ListingOptions {
  /** Asks a person to approve a model's run. `true` is short for `once`, `false` for `deny`. */
  readonly approve?: ApproveSimply | undefined;
  /**
   * The working directory for scripts and tools, and the base of relative paths. Default: the working directory of the
   * process.
   */
  readonly cwd?: string | undefined;
  /** If several directories have a skill of the same name, the first (default) or the last wins. */
  readonly precedence?: 'first' | 'last' | undefined;
  /** Follow links that lead out of the directories. Default false. */
  readonly followOutside?: boolean | undefined;
  /** How far the skills are trusted. Default `trusted`, because the program chose the directories. */
  readonly trust?: TrustLevel | DecideTrust | undefined;
  /** How many tools from tools.json files are offered; `use_skill` calls the others. Default 100. */
  readonly maxTools?: number | undefined;
  /**
   * Lets the model define tools, which run in a sandbox; it may save them in `dir`. Default: the model cannot define
   * tools.
   */
  readonly dynamicTools?: { readonly dir?: string | undefined } | undefined;
}

type SimpleAnswer = ApprovalAnswer | boolean;
/** Like `Approve`, but may also return true or false. */
export type ApproveSimply = (request: ApprovalRequest) => SimpleAnswer | Promise<SimpleAnswer>;

/** A path, or a URL with the scheme `file:`. */
export type SkillsDirectory = string | URL;

const KNOWN_OPTIONS: Readonly<Record<keyof SkillsProviderOptions, true>> = {
  include: true,
  exclude: true,
  timeout: true,
  maxOutput: true,
  cwd: true,
  precedence: true,
  followOutside: true,
  strict: true,
  trust: true,
  contextWindow: true,
  budgetTokens: true,
  maxEntryTokens: true,
  countTokens: true,
  maxTools: true,
  dynamicTools: true,
  logger: true,
  limits: true,
  indexCache: true,
  onEvent: true,
  policy: true,
  sandbox: true,
  sandboxes: true,
  env: true,
  secrets: true,
  approve: true,
  recorder: true,
  stagingDir: true,
  workers: true,
};

/** The runtime options for these directories. */
export function openProvider(
  skillsDir: SkillsDirectory | readonly SkillsDirectory[],
  options: SkillsProviderOptions,
): RuntimeOptions {
  assertProviderOptions(options);
  const dirs = toPaths(skillsDir);
  const { cwd, precedence, followOutside, strict, trust, approve, ...rest } = options;
  const own = options.dynamicTools?.dir;
  const sources = createStandardSources(
    {
      cwd,
      projectSkillDir: null,
      additionalSearchPaths: precedence === 'last' ? dirs.toReversed() : dirs,
      followOutside,
      strict,
    },
    typeof trust === 'string' ? { trust } : {},
  );
  return {
    ...rest,
    approve: typeof approve === 'function' ? withWords(approve) : approve,
    sources: own === undefined ? sources : [...sources, ...definedSources(own, cwd, sources)],
    strict,
    projectDir: cwd,
    ...(typeof trust === 'function' ? { trust } : {}),
  };
}

function toPaths(skillsDir: SkillsDirectory | readonly SkillsDirectory[]): string[] {
  const dirs: unknown = Array.isArray(skillsDir) ? skillsDir : [skillsDir];
  return (dirs as readonly unknown[]).map((dir) => {
    if (dir instanceof URL && dir.protocol === 'file:') return fileURLToPath(dir);
    if (typeof dir === 'string' && dir !== '') return dir;
    throw invalidOption('skillsDir', 'must be a path or a file: URL, or a list of them');
  });
}

/** Rejects misuse at once, with the option's name: a typo must not change what a model gets. */
function assertProviderOptions(options: SkillsProviderOptions): void {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'must be an object');
  assertKnownNames(options, Object.keys(KNOWN_OPTIONS));
  const { include, exclude, precedence, trust, dynamicTools, maxTools } = options;
  for (const [option, list] of Object.entries({ include, exclude }))
    if (list !== undefined && !Array.isArray(list)) throw invalidOption(option, 'must be a list of names');
  if (precedence !== undefined && precedence !== 'first' && precedence !== 'last')
    throw invalidOption('precedence', "must be 'first' or 'last'");
  if (trust !== undefined && typeof trust !== 'function' && !TRUST_LEVELS.includes(trust))
    throw invalidOption('trust', `must be a function or one of ${TRUST_LEVELS.join(', ')}`);
  if (maxTools !== undefined && !(Number.isSafeInteger(maxTools) && maxTools >= 0))
    throw invalidOption('maxTools', `must be a whole number of at least 0, not ${String(maxTools).slice(0, 40)}`);
  assertDynamicTools(dynamicTools);
}

function assertDynamicTools(dynamicTools: unknown): void {
  if (dynamicTools === undefined) return;
  if (typeof dynamicTools !== 'object' || dynamicTools === null || Array.isArray(dynamicTools))
    throw invalidOption(
      'dynamicTools',
      "must be an object: {} for tools of a conversation, { dir: '…' } for a place to save them",
    );
  for (const [name, value] of Object.entries(dynamicTools)) {
    if (name !== 'dir') throw invalidOption(`dynamicTools.${name}`, 'is not known. Options: dir');
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalidOption('dynamicTools.dir', 'must be a path');
  }
}

/** Turns booleans into decisions. Any other value is passed on to be checked later. */
export function withWords(approve: ApproveSimply): Approve {
  return async (request) => {
    const answer = await approve(request);
    if (typeof answer !== 'boolean') return answer;
    return answer ? 'once' : 'deny';
  };
}

/** The directory of tools that models saved earlier: lowest precedence, and never trusted. */
function definedSources(dir: string, cwd: string | undefined, others: readonly SkillSource[]): SkillSource[] {
  const location = resolve(cwd ?? '.', dir);
  if (others.some((source) => source.location === location)) return [];
  return createStandardSources(
    { cwd, projectSkillDir: null, additionalSearchPaths: [dir], optional: true },
    { trust: 'untrusted' },
  );
}
