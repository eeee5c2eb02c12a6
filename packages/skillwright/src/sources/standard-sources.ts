import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { SkillSourceKind } from '../spec/skill.ts';
import type { SkillSource } from '../spec/source.ts';
import type { TrustLevel } from '../spec/trust.ts';
import { createDirectorySource } from './directory/directory-source.ts';
import { createPluginSource } from './plugin/plugin-source.ts';

/** Where to look for skills. Relative paths are based on `cwd`. */
export interface SkillLocations {
  /** The base of relative paths. Default: the working directory of the process. */
  readonly cwd?: string | undefined;
  /** The project's directory of skills. Default `./skills`; `null` turns it off. */
  readonly projectSkillDir?: string | null | undefined;
  /** A directory of skills such as `./.claude/skills`. Default: none. */
  readonly anthropicConfigDir?: string | null | undefined;
  /** A directory of skills such as `./.agents/skills`. Default: none. */
  readonly agentsDir?: string | null | undefined;
  /** A directory of skills such as `./.opencode/skills`. Default: none. */
  readonly opencodeDir?: string | null | undefined;
  /** Plugins, directories of plugins, and marketplaces, in load order. Default none. */
  readonly pluginDirs?: readonly string[] | undefined;
  /** More directories to search. A directory with a plugin manifest is read as a plugin. Default none. */
  readonly additionalSearchPaths?: readonly string[] | undefined;
  /** The user's directories, such as `~/.claude/skills`. Default none. */
  readonly userDirs?: readonly string[] | undefined;
  /**
   * `first` (default): project, anthropic, agents, opencode, plugins, additional, user; the first wins. `last`: the
   * order of the Skill Tools specification, in which `.opencode` overrides `skills`, `.claude` overrides `.opencode`,
   * and `.agents` overrides `.claude`; plugins, additional and user directories come below them.
   */
  readonly precedence?: 'first' | 'last' | undefined;
  /**
   * Also look for the project's directories in the parents of `cwd`, up to the repository root; the nearest wins.
   * Default false.
   */
  readonly walkUp?: boolean | undefined;
  /** Follow links that lead out of the configured directories. Default false. */
  readonly followOutside?: boolean | undefined;
  /**
   * Report missing directories as notes instead of warnings. Default false, but always true for the default `./skills`.
   */
  readonly optional?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

/** Locations, and the trust that their sources declare. */
interface DeclaredLocations extends SkillLocations {
  readonly trust: TrustLevel;
  /** The trust of the default project directory. */
  readonly implicitTrust: TrustLevel;
}

/**
 * The sources for some locations, highest precedence first. They declare their skills as `trust`. Default: `trusted`,
 * but `untrusted` for `./skills` if it is searched only by default.
 */
export function createStandardSources(
  given: SkillLocations,
  { trust }: { readonly trust?: TrustLevel | undefined } = {},
): SkillSource[] {
  const locations: DeclaredLocations = { ...given, trust: trust ?? 'trusted', implicitTrust: trust ?? 'untrusted' };
  const project = projectSources(locations);
  const inOrder =
    locations.precedence === 'last'
      ? ['agents', 'anthropic', 'opencode', 'project']
      : ['project', 'anthropic', 'agents', 'opencode'];
  return distinct([
    ...inOrder.flatMap((kind) => project.filter((source) => source.kind === kind)),
    ...(locations.pluginDirs ?? []).map((path) => pluginSource(locations, path)),
    ...(locations.additionalSearchPaths ?? []).flatMap((path) => openLocation(locations, path, 'additional')),
    ...(locations.userDirs ?? []).flatMap((path) => openLocation(locations, path, 'personal')),
  ]);
}

function projectSources(locations: DeclaredLocations): SkillSource[] {
  const { projectSkillDir, anthropicConfigDir, agentsDir, opencodeDir } = locations;
  const isImplicit = projectSkillDir === undefined;
  const implicit = { ...locations, trust: locations.implicitTrust, optional: true };
  const wanted: [SkillSourceKind, string | null | undefined, DeclaredLocations][] = [
    ['project', isImplicit ? 'skills' : projectSkillDir, isImplicit ? implicit : locations],
    ['anthropic', anthropicConfigDir, locations],
    ['agents', agentsDir, locations],
    ['opencode', opencodeDir, locations],
  ];
  const start = locations.cwd ?? '.';
  const bases = locations.walkUp === true ? directoriesUpToRepository(start) : [resolve(start)];
  return wanted.flatMap(([kind, path, declared]) =>
    path === null || path === undefined
      ? []
      : bases.map((base, index) => directorySource(declared, resolve(base, path), kind, index > 0)),
  );
}

function directorySource(
  locations: DeclaredLocations,
  path: string,
  kind: SkillSourceKind,
  isOptional: boolean,
): SkillSource {
  return createDirectorySource({
    path: skillsInside(path),
    kind,
    optional: isOptional || locations.optional === true,
    followOutside: locations.followOutside ?? false,
    trust: locations.trust,
  });
}

/** Reads `.claude` as `.claude/skills`, and so on. */
function skillsInside(path: string): string {
  const isConfig = ['.claude', '.agents', '.opencode'].includes(basename(path));
  const inner = join(path, 'skills');
  return isConfig && existsSync(inner) ? inner : path;
}

function pluginSource(locations: DeclaredLocations, path: string): SkillSource {
  const { followOutside = false, strict = false, trust } = locations;
  return createPluginSource({ path: resolve(locations.cwd ?? '.', path), followOutside, strict, trust });
}

/**
 * Opens a path of any kind: a plugin or a marketplace if it has such a manifest, otherwise a directory of skills. If
 * subdirectories are plugins, these come first, so that their skills are named after the plugins.
 */
function openLocation(locations: DeclaredLocations, path: string, kind: SkillSourceKind): SkillSource[] {
  const full = resolve(locations.cwd ?? '.', path);
  if (isPlugin(full)) return [pluginSource(locations, path)];
  const directory = directorySource(locations, full, kind, false);
  return holdsPlugins(full) ? [withoutThoroughness(pluginSource(locations, path)), directory] : [directory];
}

/** Turns thorough scanning off for a source, because another source already scans the same directory thoroughly. */
function withoutThoroughness(source: SkillSource): SkillSource {
  return { ...source, scan: (context) => source.scan({ ...context, thorough: false }) };
}

function isPlugin(path: string): boolean {
  return ['.claude-plugin', '.codex-plugin'].some((name) => existsSync(join(path, name)));
}

function holdsPlugins(path: string): boolean {
  try {
    return readdirSync(path).some((name) => isPlugin(join(path, name)));
  } catch {
    return false;
  }
}

/** If two settings name the same directory, it is searched once, at the higher precedence. */
function distinct(sources: readonly SkillSource[]): SkillSource[] {
  const seen = new Set<string>();
  return sources.filter((source) => !seen.has(keyOf(source)) && seen.add(keyOf(source)));
}

function keyOf(source: SkillSource): string {
  return `${source.kind === 'plugin' ? 'plugin' : 'directory'} ${source.location}`;
}

/**
 * `start` and its parent directories, nearest first, up to the repository root (the first with `.git`). Outside a
 * repository only `start`, so that nothing above a project is mistaken for part of it.
 */
function directoriesUpToRepository(start: string): string[] {
  const directories: string[] = [];
  for (let directory = resolve(start); ; directory = dirname(directory)) {
    directories.push(directory);
    if (existsSync(join(directory, '.git'))) return directories;
    if (dirname(directory) === directory) return [resolve(start)];
  }
}
