import { resolve } from 'node:path';
import type { SkillChoiceOptions } from '../policy/visibility-choice.ts';
import type { RunningOptions } from '../run/running-options.ts';
import type { RuntimeOptions } from '../runtime.ts';
import type { ListingOptions } from '../select/listing-options.ts';
import { createStandardSources } from '../sources/standard-sources.ts';
import { SkillwrightError } from '../spec/error.ts';
import type { EventListener } from '../spec/events.ts';
import type { ReadingLimits } from '../spec/limits.ts';
import type { Logger } from '../spec/logger.ts';
import type { SkillSource } from '../spec/source.ts';
import { TRUST_LEVELS, type DecideTrust, type TrustLevel } from '../spec/trust.ts';

export interface SkillsProviderOptions extends RunningOptions, SkillChoiceOptions, ListingOptions {
  /** Where scripts and tools work, and where relative paths start. Default: the working directory of the process. */
  readonly cwd?: string | undefined;
  /** Of several directories with a skill of one name: the first wins (default), or the last. */
  readonly precedence?: 'first' | 'last' | undefined;
  /** Follow links that leave the directories. Default false. */
  readonly followOutside?: boolean | undefined;
  /** Refuse skills that break the written specification. Default false: they load with diagnostics. */
  readonly strict?: boolean | undefined;
  /** How far the skills are trusted. Default `trusted`, because a program names the directories. */
  readonly trust?: TrustLevel | DecideTrust | undefined;
  /** Lets the model define tools, which run in a sandbox; `dir` is where it may save them. Default: it may not. */
  readonly dynamicTools?: { readonly dir?: string | undefined } | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  readonly limits?: Partial<ReadingLimits> | undefined;
  readonly onEvent?: EventListener | undefined;
}

/** What a runtime needs for these directories. */
export function openProvider(skillsDir: string | readonly string[], options: SkillsProviderOptions): RuntimeOptions {
  const dirs: readonly string[] = typeof skillsDir === 'string' ? [skillsDir] : skillsDir;
  if (!Array.isArray(dirs) || dirs.some((dir) => typeof dir !== 'string' || dir === ''))
    throw invalid('skillsDir', 'must be a path or a list of paths');
  const { cwd, precedence, followOutside, strict, trust, ...rest } = options;
  if (precedence !== undefined && precedence !== 'first' && precedence !== 'last')
    throw invalid('precedence', "must be 'first' or 'last'");
  if (trust !== undefined && typeof trust !== 'function' && !TRUST_LEVELS.includes(trust))
    throw invalid('trust', `must be a function or one of ${TRUST_LEVELS.join(', ')}`);
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
    sources: own === undefined ? sources : [...sources, ...definedSources(own, cwd, sources)],
    strict,
    projectDir: cwd,
    ...(typeof trust === 'function' ? { trust } : {}),
  };
}

/** What models saved earlier: after everything else, and never trusted. */
function definedSources(dir: string, cwd: string | undefined, others: readonly SkillSource[]): SkillSource[] {
  const location = resolve(cwd ?? '.', dir);
  if (others.some((source) => source.location === location)) return [];
  return createStandardSources(
    { cwd, projectSkillDir: null, additionalSearchPaths: [dir], optional: true },
    { trust: 'untrusted' },
  );
}

function invalid(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `Option '${option}' ${problem}.`, { data: { option } });
}
