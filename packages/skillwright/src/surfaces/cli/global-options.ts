import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import type { OptionDefinitions } from './command.ts';
import type { OptionValues } from './option-values.ts';

/** Options that every command takes. */
export const GLOBAL_OPTIONS: OptionDefinitions = {
  dir: {
    type: 'string',
    multiple: true,
    value: 'path',
    description: 'Look only here: a skill, a directory of skills, a plugin or a marketplace. May be repeated.',
  },
  cwd: { type: 'string', value: 'path', description: 'Work as if started in this directory.' },
  'no-user': { type: 'boolean', description: 'Leave out the skills in your home directory.' },
  strict: { type: 'boolean', description: 'Refuse skills that break the written specification.' },
  json: { type: 'boolean', description: 'Print JSON; errors are { "error": { "code", "message", "data" } }.' },
  help: { type: 'boolean', short: 'h', description: 'Print help.' },
  version: { type: 'boolean', short: 'v', description: 'Print the version.' },
};

export interface GlobalOptions {
  readonly json: boolean;
  /** The values of `--dir`, as typed. Empty means the standard directories. */
  readonly dirs: readonly string[];
  readonly strict: boolean;
  /** Whether to search the user's own directories. */
  readonly user: boolean;
  /** The working directory, an absolute path. */
  readonly cwd: string;
}

export function readGlobalOptions(values: OptionValues, cwd: string): GlobalOptions {
  return {
    json: values.flag('json'),
    dirs: values.list('dir'),
    strict: values.flag('strict'),
    user: !values.flag('no-user'),
    cwd: directoryOf(values.text('cwd'), cwd),
  };
}

function directoryOf(given: string | undefined, cwd: string): string {
  if (given === undefined) return cwd;
  const directory = resolve(cwd, given);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return directory;
  throw new CliError('PathNotFound', `${given} is not a directory.`, { data: { option: 'cwd', path: directory } });
}

/** Where commands look for skills. */
export const PLACES_NOTE: string =
  'Without --dir, commands look in skills, .claude/skills, .agents/skills and .opencode/skills, here and up to the root of the repository, then in ~/.claude/skills and ~/.agents/skills.';

/** The exit codes of every command that does not document its own. */
export const EXIT_CODES_NOTE: string = 'Exit codes: 0 success, 1 failure or problems found, 2 invalid command line.';
