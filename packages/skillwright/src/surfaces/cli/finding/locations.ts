import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { SkillManager } from '../../../faces/manager/skill-manager.ts';
import { createStandardSources, type SkillLocations } from '../../../sources/standard-sources.ts';
import { trustRule } from '../../../sources/trust/trust-rule.ts';
import type { TrustStore } from '../../../sources/trust/trust-store.ts';
import type { SkillSource } from '../../../spec/source.ts';
import { CliError } from '../cli-error.ts';
import { missingPath } from './missing-path.ts';
import type { Invocation } from '../command.ts';
import type { CliContext } from '../context.ts';
import { createErrorOutput, troubleLines } from '../output.ts';
import { createShownPaths, type ShownPaths, insideOf } from '../text/shown-path.ts';
import { assertTrustKnown, openTrustStore } from '../trusting/trust-records.ts';
import type { DiagnosticCode } from '../../../spec/diagnostics/diagnostic-data.ts';
import type { SkillSourceKind } from '../../../spec/skill.ts';

/** Where a command looks for skills, and how far it trusts them. */
export interface OpenedPlaces {
  /** Every directory to search, highest precedence first. */
  readonly sources: readonly SkillSource[];
  readonly shown: ShownPaths;
  /** The recorded trust. */
  readonly trust: TrustStore;
}

/** The skills that a command works on. */
export interface OpenedSkills extends OpenedPlaces {
  readonly manager: SkillManager;
  readonly snapshot: Snapshot;
}

interface OpenOptions {
  /** Search only these directories. Default: those of `--dir`. */
  readonly dirs?: readonly string[];
  /** Whether to read strictly. Default: the value of `--strict`. */
  readonly strict?: boolean;
  /** Look for other spellings of SKILL.md, and name skills that nothing loads. Default false. */
  readonly thorough?: boolean;
  /**
   * What happens if the trust file cannot be used. `refuse`: `TrustFileUnusable`, so that no blocked skill is used. For
   * commands that only check skills: `warn` writes a line on standard error, `report` leaves it to the command. Default `refuse`.
   */
  readonly unusableTrust?: 'refuse' | 'warn' | 'report';
}

/** Searches the directories that the command line names. */
export function openSkills(
  invocation: Pick<Invocation, 'context' | 'globals'>,
  options: OpenOptions = {},
): OpenedSkills {
  const { locations, isNamed, ...opened } = openLocations(invocation, options);
  const decide = trustRule(opened.trust, { named: isNamed });
  const manager = new SkillManager({ ...locations, thorough: options.thorough ?? false, trust: decide });
  manager.discoverSync();
  return { ...opened, manager, snapshot: manager.snapshot };
}

/** The directories that the command line names, for commands that search them themselves. */
export function openPlaces(invocation: Pick<Invocation, 'context' | 'globals'>): OpenedPlaces {
  const { sources, shown, trust } = openLocations(invocation, {});
  return { sources, shown, trust };
}

function openLocations(
  { context, globals }: Pick<Invocation, 'context' | 'globals'>,
  options: OpenOptions,
): OpenedPlaces & { readonly locations: SkillLocations; readonly isNamed: boolean } {
  const dirs = options.dirs ?? globals.dirs;
  const strict = options.strict ?? globals.strict;
  const isNamed = dirs.length > 0;
  const places = isNamed
    ? givenPlaces(dirs, globals.cwd)
    : standardPlaces(globals.cwd, globals.user ? context.home : undefined);
  const locations = { ...places, cwd: globals.cwd, strict };
  const trust = openTrustStore(context);
  const { unusableTrust = 'refuse' } = options;
  if (unusableTrust === 'refuse') assertTrustKnown(trust);
  const sources = createStandardSources(locations, { trust: isNamed ? 'trusted' : 'untrusted' });
  const shown = createShownPaths(globals.cwd, context.home);
  if (unusableTrust === 'warn') warnOfTrustFile(context, trust, shown);
  return { locations, isNamed, sources, shown, trust };
}

function warnOfTrustFile(context: CliContext, { diagnostics }: TrustStore, shown: ShownPaths): void {
  const output = createErrorOutput(context);
  for (const { message, hint } of diagnostics) {
    const hints = hint === undefined ? [] : [shown.text(hint)];
    output.lines(troubleLines(output, 'warning', { message: shown.text(message), hints }));
  }
}

/** The directory that a command-line path stands for. A SKILL.md stands for its directory. */
export function resolvePlace(given: string, cwd: string): string {
  const path = resolve(cwd, given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw missingPath(given, path);
  if (stat.isDirectory()) return path;
  if (basename(path).toLowerCase() === 'skill.md') return dirname(path);
  throw new CliError('PathNotFound', `${given} is neither a directory nor a SKILL.md.`, { data: { path } });
}

function givenPlaces(dirs: readonly string[], cwd: string): SkillLocations {
  return { projectSkillDir: null, additionalSearchPaths: dirs.map((dir) => resolvePlace(dir, cwd)) };
}

/** The directories that are searched by default. The user's own are included only if `home` is given. */
export function standardPlaces(cwd: string, home?: string): SkillLocations {
  const isPlugin = existsSync(join(cwd, '.claude-plugin'));
  return {
    // A plugin's skills have the plugin's name, even in its own directory.
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

/** The result of searching one directory. */
export interface LocationReport {
  readonly path: string;
  readonly source: SkillSourceKind;
  readonly state: 'searched' | 'missing' | 'unreadable';
  /** Skills that were read here, including hidden ones. */
  readonly skills: number;
  /** Skills that are here but could not be read. */
  readonly refused: number;
  /** Skills that were already found in a directory above in the list. */
  readonly repeated: number;
}

export function reportLocations(sources: readonly SkillSource[], snapshot: Snapshot): LocationReport[] {
  const skills = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  const readBy = skills.map((skill) =>
    sources.find(({ kind, location }) => kind === skill.source && isAt(skill.baseDir, location)),
  );
  const refusedBy = snapshot.refused.map(({ path }) => sources.find(({ location }) => isAt(path, location)));
  // If two directories contain a file, the later one finds it again.
  const repeats = snapshot.diagnostics.filter(({ code }) => code === 'same-skill-twice');
  const repeatedBy = repeats.map(({ path }) => sources.findLast(({ location }) => isAt(path, location)));
  return sources.map((source) => ({
    path: source.location,
    source: source.kind,
    state: stateOf(source, snapshot),
    skills: countOf(readBy, source),
    refused: countOf(refusedBy, source),
    repeated: countOf(repeatedBy, source),
  }));
}

function countOf(found: readonly (SkillSource | undefined)[], source: SkillSource): number {
  return found.filter((item) => item === source).length;
}

function stateOf(source: SkillSource, snapshot: Snapshot): LocationReport['state'] {
  const has = (wanted: DiagnosticCode): boolean =>
    snapshot.diagnostics.some(({ path, code }) => path === source.location && code === wanted);
  if (has('root-missing')) return 'missing';
  return has('root-unreadable') ? 'unreadable' : 'searched';
}

/** Whether a path is the directory itself or inside it. */
export function isAt(path: string, location: string): boolean {
  return path === location || insideOf(path, location) !== undefined;
}
