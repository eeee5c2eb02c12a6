import { accessSync, constants, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative } from 'node:path';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SandboxLaunch } from '../../spec/sandbox.ts';
import { programParts } from './interpreter.ts';
import { followLinks, isWithin, type Link, directoriesBetween } from './places.ts';
import { showReadOnly } from './system.ts';

/** The private directory of a program, which is also its home. */
export const PRIVATE_DIRECTORY = '/tmp';
const SHARED_MEMORY = '/dev/shm';
/**
 * Directories that can never be the workspace. A directory that contains one of these cannot be the workspace, either.
 */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc',
  '/dev',
  '/proc',
  '/sys',
  '/run',
  '/boot',
  '/var',
];
/** Directories that can never contain the workspace. */
const KERNEL = ['/dev', '/proc', '/sys'];

interface Mount {
  readonly path: string;
  readonly kind: 'read' | 'write' | 'empty';
  readonly source: string;
}

export interface MountPlan {
  /** Arguments for bubblewrap. They come after the arguments that show the host's programs. */
  readonly args: readonly string[];
  /** The working directory, links resolved. */
  readonly workDir: string;
  /** The workspace, if it may be written. */
  readonly writable: string | undefined;
  /** Paths mounted from inside the writable workspace. After mounting, they are compared with the paths outside. */
  readonly held: readonly string[];
  /** Empty writable directories that are deleted afterward. */
  readonly temporary: readonly string[];
}

/**
 * The parts of the host that a launch can see: the skill, the granted part of the workspace, and the program, each
 * under its own path. Throws a system error if something does not exist, and a coded error for a workspace that must
 * not be granted.
 */
export function planMounts(launch: SandboxLaunch, shown: readonly string[], sizeArgs: readonly string[]): MountPlan {
  for (const path of [launch.program, launch.cwd, launch.skillDir]) assertAbsolute(path);
  const skill = { path: launch.skillDir, kind: 'read', source: launch.skillCopy ?? launch.skillDir } as const;
  assertDirectory(skill.source);
  assertGiven(skill.path, 'skill');
  // If the sandbox shows a copy of the skill, the original may have changed or be gone, so its files are not looked up.
  const isCopied = (path: string): boolean => launch.skillCopy !== undefined && isWithin(normalize(path), skill.path);
  const work = isCopied(launch.cwd) ? { real: normalize(launch.cwd), links: [] } : followLinks(launch.cwd);
  assertProgram(launch.program, skill);
  const program = isCopied(launch.program) ? { paths: [], links: [] } : programParts(launch.program);
  // The proxy launcher is a Node program.
  const launcher = launch.egress === undefined ? undefined : programParts(process.execPath);
  const workspace = workspaceMount(launch, work.real, skill, shown);
  const between = workspace?.kind === 'write' ? directoriesBetween(workspace.path, skill.path) : [];
  const pins = between.map((path): Mount => ({ path, kind: 'write', source: path }));
  const mounts: Mount[] = [skill, ...(workspace === undefined ? [] : [workspace]), ...pins];
  const isShown = (path: string): boolean =>
    shown.some((directory) => isWithin(path, directory)) ||
    mounts.some((mount) => mount.kind !== 'empty' && isWithin(path, mount.path));
  // Parents first, so that nothing is mounted twice.
  for (const path of [...program.paths, ...(launcher?.paths ?? [])].sort((a, b) => a.length - b.length))
    if (!isShown(path)) mounts.push({ path, kind: 'read', source: path });
  const links = [...work.links, ...program.links, ...(launcher?.links ?? []), ...skillLinks(launch)].filter(
    (link) => !isShown(link.path),
  );
  return {
    args: [
      ...emptyDirectory(PRIVATE_DIRECTORY, '1777', sizeArgs),
      ...emptyDirectory(SHARED_MEMORY, '1777', sizeArgs),
      ...mounts.sort((a, b) => a.path.length - b.path.length).flatMap((mount) => mountArgs(mount, sizeArgs)),
      ...linkArgs(links),
    ],
    workDir: work.real,
    writable: workspace?.kind === 'write' ? workspace.path : undefined,
    held: heldPaths(workspace, skill, between),
    temporary: [PRIVATE_DIRECTORY, SHARED_MEMORY, ...(workspace?.kind === 'empty' ? [workspace.path] : [])],
  };
}

function workspaceMount(
  launch: SandboxLaunch,
  path: string,
  skill: Mount,
  shown: readonly string[],
): Mount | undefined {
  if (isWithin(path, skill.path)) {
    // The working directory must exist in the skill's copy.
    assertDirectory(join(skill.source, relative(skill.path, path)));
    return undefined;
  }
  assertDirectory(path);
  if (launch.workspace !== 'none') {
    assertGiven(path, 'workspace');
    return { path, kind: launch.workspace, source: path };
  }
  const isThere = [...shown, ...KERNEL, '/etc'].some((directory) => isWithin(path, directory));
  return isThere || path === '/' || path === PRIVATE_DIRECTORY ? undefined : { path, kind: 'empty', source: path };
}

function heldPaths(workspace: Mount | undefined, skill: Mount, between: readonly string[]): string[] {
  if (workspace?.kind !== 'write' || !isWithin(skill.path, workspace.path)) return [];
  return [...between, ...(skill.source === skill.path ? [skill.path] : [])];
}

/** Links for `SKILL_DIR`: if the variable names the skill by another path, that path must exist in the sandbox, too. */
function skillLinks(launch: SandboxLaunch): readonly Link[] {
  const named = launch.env['SKILL_DIR'];
  if (named === undefined || named === launch.skillDir || !isAbsolute(named)) return [];
  try {
    const { real, links } = followLinks(named);
    return real === launch.skillDir ? links : [];
  } catch {
    // `SKILL_DIR` does not lead to the skill, so this tier does not check it.
    return [];
  }
}

function mountArgs(mount: Mount, sizeArgs: readonly string[]): string[] {
  switch (mount.kind) {
    case 'read':
      return showReadOnly(mount.path, mount.source);
    case 'write':
      return ['--dir', dirname(mount.path), '--bind', mount.source, mount.path];
    case 'empty':
      return ['--dir', dirname(mount.path), ...emptyDirectory(mount.path, '0777', sizeArgs)];
  }
}

function emptyDirectory(path: string, permissions: string, sizeArgs: readonly string[]): string[] {
  return ['--perms', permissions, ...sizeArgs, '--tmpfs', path];
}

function linkArgs(links: readonly Link[]): string[] {
  const distinct = new Map(links.map(({ path, target }) => [path, target]));
  return [...distinct].flatMap(([path, target]) => ['--dir', dirname(path), '--symlink', target, path]);
}

export function assertAbsolute(path: string): void {
  if (!isAbsolute(path)) throw invalid(`'${path}' must be an absolute path.`);
}

export function assertDirectory(path: string): void {
  if (!statSync(path).isDirectory()) throw invalid(`${path} must be a directory.`);
}

/**
 * Throws unless a program is an executable file. Looks for a program of the skill in the directory that the sandbox
 * will show.
 */
function assertProgram(program: string, skill: Mount): void {
  const isOwn = isWithin(normalize(program), skill.path);
  const seen = isOwn ? join(skill.source, relative(skill.path, program)) : program;
  if (!statSync(seen).isFile()) throw invalid(`${program} cannot be run: it is not a file.`);
  accessSync(seen, constants.X_OK);
}

export function assertGiven(path: string, what: 'skill' | 'workspace'): void {
  const taken = KERNEL.some((directory) => isWithin(path, directory));
  if (!taken && !SYSTEM.some((directory) => isWithin(directory, path))) return;
  throw invalid(`The ${what} ${path} belongs to the system and is not shown to programs. Use a separate directory.`);
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('LaunchFailed', message);
}
