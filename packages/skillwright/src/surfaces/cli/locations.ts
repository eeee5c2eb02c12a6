import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { SkillManager } from '../../faces/skill-manager.ts';
import { createStandardSources, type SkillLocations } from '../../sources/standard-sources.ts';
import type { SkillSource } from '../../spec/source.ts';
import { CliError } from './cli-error.ts';
import type { Invocation } from './command.ts';
import { createShownPaths, type ShownPaths } from './shown-path.ts';

/** The skills a command works on. */
export interface OpenedSkills {
  readonly manager: SkillManager;
  readonly snapshot: Snapshot;
  /** Every place that was searched, highest precedence first. */
  readonly sources: readonly SkillSource[];
  readonly shown: ShownPaths;
}

export interface OpenOptions {
  /** Only these places. Default: those of `--dir`. */
  readonly dirs?: readonly string[];
  /** Default: as `--strict` says. */
  readonly strict?: boolean;
  /** Look for other spellings of SKILL.md too. Default false. */
  readonly thorough?: boolean;
}

/** Searches the places the command line asks for. */
export function openSkills(
  invocation: Pick<Invocation, 'context' | 'globals'>,
  options: OpenOptions = {},
): OpenedSkills {
  const { context, globals } = invocation;
  const dirs = options.dirs ?? globals.dirs;
  const strict = options.strict ?? globals.strict;
  const places =
    dirs.length > 0
      ? givenPlaces(dirs, globals.cwd)
      : standardPlaces(globals.cwd, globals.user ? context.home : undefined);
  const locations = { ...places, cwd: globals.cwd, strict, thorough: options.thorough ?? false };
  const manager = new SkillManager(locations);
  manager.discoverSync();
  const shown = createShownPaths(globals.cwd, context.home);
  return { manager, snapshot: manager.snapshot, sources: createStandardSources(locations), shown };
}

/** Where a path on the command line leads: a SKILL.md stands for its directory. */
export function resolvePlace(given: string, cwd: string): string {
  const path = resolve(cwd, given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new CliError('PathNotFound', `${given} does not exist.`, { data: { path } });
  if (stat.isDirectory()) return path;
  if (basename(path).toLowerCase() === 'skill.md') return dirname(path);
  throw new CliError('PathNotFound', `${given} is neither a directory nor a SKILL.md.`, { data: { path } });
}

function givenPlaces(dirs: readonly string[], cwd: string): SkillLocations {
  return { projectSkillDir: null, additionalSearchPaths: dirs.map((dir) => resolvePlace(dir, cwd)) };
}

function standardPlaces(cwd: string, home: string | undefined): SkillLocations {
  const isPlugin = existsSync(join(cwd, '.claude-plugin'));
  return {
    // The skills of a plugin have the plugin's name, also in its own directory.
    projectSkillDir: isPlugin ? null : 'skills',
    anthropicConfigDir: '.claude/skills',
    agentsDir: '.agents/skills',
    opencodeDir: '.opencode/skills',
    walkUp: true,
    optional: true,
    pluginDirs: isPlugin ? [cwd] : [],
    userDirs: home === undefined ? [] : [join(home, '.claude/skills'), join(home, '.agents/skills')],
  };
}
