import { accessSync, constants, statSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, relative } from 'node:path';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SandboxLaunch } from '../../spec/sandbox.ts';
import { assertAbsolute, assertDirectory, assertGiven, PRIVATE_DIRECTORY } from '../bubblewrap/mounts.ts';
import { followLinks, isWithin, directoriesBetween } from '../bubblewrap/places.ts';

/** The path of a granted workspace in every container. */
const CONTAINER_WORKSPACE = '/workspace';
/** Directories that are part of an image. */
const IMAGE_DIRECTORIES = ['/bin', '/dev', '/etc', '/lib', '/lib64', '/proc', '/sbin', '/sys', '/usr'];

interface Bind {
  readonly source: string;
  readonly path: string;
  readonly writable: boolean;
}

export interface ContainerMounts {
  readonly binds: readonly Bind[];
  /** Empty directories inside the container. */
  readonly empty: readonly string[];
  readonly workDir: string;
  /** The workspace, if it may be written. */
  readonly writable: string | undefined;
  /** The program: a mounted path, or the name of a program in the image. */
  readonly program: { readonly path: string } | { readonly name: string };
  /** Paths mounted from inside the writable workspace. After mounting, they are compared with the paths outside. */
  readonly held: readonly string[];
}

/**
 * The parts of the host that a launch can see: the skill and the granted part of the workspace, each under its own
 * path. Throws a system error if something does not exist, and a coded error for a path that must not be granted.
 */
export function planContainerMounts(launch: SandboxLaunch): ContainerMounts {
  for (const path of [launch.program, launch.cwd, launch.skillDir]) assertAbsolute(path);
  const skill: Bind = { source: launch.skillCopy ?? launch.skillDir, path: launch.skillDir, writable: false };
  assertDirectory(skill.source);
  assertShown(skill.path, 'skill');
  const isCopied = launch.skillCopy !== undefined && isWithin(normalize(launch.cwd), skill.path);
  const workDir = isCopied ? normalize(launch.cwd) : followLinks(launch.cwd).real;
  const workspace = workspaceBind(launch, workDir, skill);
  const writable = workspace?.writable === true ? workspace.path : undefined;
  const between = writable === undefined ? [] : directoriesBetween(writable, skill.path);
  const pins = between.map((path): Bind => ({ source: path, path, writable: true }));
  const program = programIn(launch.program, [skill, ...(workspace === undefined ? [] : [workspace])]);
  const isInside = writable !== undefined && isWithin(skill.path, writable);
  if (isInside) assertComparable(skill.path);
  return {
    binds: [
      ...(workspace === undefined ? [] : [workspace]),
      // Show a workspace that contains the skill at one path only: through a second path, the program could change the
      // skill.
      ...(workspace === undefined || isInside || workspace.path === CONTAINER_WORKSPACE
        ? []
        : [{ ...workspace, path: CONTAINER_WORKSPACE }]),
      ...pins,
      skill,
      ...otherNames(launch, skill),
    ],
    empty: emptyDirectories(workspace, workDir, skill),
    workDir,
    writable,
    program,
    held: isInside ? [...between, ...(launch.skillCopy === undefined ? [skill.path] : [])] : [],
  };
}

function workspaceBind(launch: SandboxLaunch, path: string, skill: Bind): Bind | undefined {
  if (isWithin(path, skill.path)) {
    // The working directory must exist in the skill's copy.
    assertDirectory(join(skill.source, relative(skill.path, path)));
    return undefined;
  }
  assertDirectory(path);
  if (launch.workspace === 'none') return undefined;
  assertShown(path, 'workspace');
  return { source: path, path, writable: launch.workspace === 'write' };
}

function emptyDirectories(workspace: Bind | undefined, workDir: string, skill: Bind): string[] {
  if (workspace !== undefined) return [];
  const isThere =
    workDir === '/' ||
    workDir === PRIVATE_DIRECTORY ||
    isWithin(workDir, skill.path) ||
    [...IMAGE_DIRECTORIES, CONTAINER_WORKSPACE].some((directory) => isWithin(workDir, directory));
  return isThere ? [CONTAINER_WORKSPACE] : [CONTAINER_WORKSPACE, workDir];
}

/**
 * The mount for `SKILL_DIR`: if the variable names the skill by another path, that path must exist in the container,
 * too.
 */
function otherNames(launch: SandboxLaunch, skill: Bind): Bind[] {
  const named = launch.env['SKILL_DIR'];
  if (named === undefined || !isAbsolute(named) || normalize(named) === skill.path) return [];
  try {
    return followLinks(named).real === skill.path ? [{ ...skill, path: normalize(named) }] : [];
  } catch {
    // `SKILL_DIR` does not lead to the skill, so this tier does not check it.
    return [];
  }
}

function programIn(program: string, binds: readonly Bind[]): ContainerMounts['program'] {
  const path = normalize(program);
  const bind = binds.find((candidate) => isWithin(path, candidate.path));
  if (bind === undefined) return { name: imageName(path) };
  const seen = join(bind.source, relative(bind.path, path));
  if (!statSync(seen).isFile())
    throw new SkillwrightError('LaunchFailed', `${program} cannot be run: it is not a file.`);
  accessSync(seen, constants.X_OK);
  return { path };
}

/** The name of an interpreter in an image: containers use the image's interpreters, not the host's. */
function imageName(program: string): string {
  const name = basename(program);
  if (/^python(?:3(?:\.\d+)?)?$/.test(name)) return 'python3';
  return name === 'nodejs' ? 'node' : name;
}

/** Refuses to mount over directories that hold the image's own programs. */
function assertShown(path: string, what: 'skill' | 'workspace'): void {
  assertGiven(path, what);
  if (!IMAGE_DIRECTORIES.includes(path) && !['/usr/bin', '/usr/lib', '/usr/local', PRIVATE_DIRECTORY].includes(path))
    return;
  throw new SkillwrightError(
    'LaunchFailed',
    `The ${what} ${path} would hide the programs of the image. Use a separate directory.`,
  );
}

/** Throws on any system but Linux, because only there can the mounts be compared with the paths outside. */
function assertComparable(skill: string): void {
  if (process.platform === 'linux') return;
  throw new SkillwrightError(
    'LaunchFailed',
    `The skill ${skill} is inside a writable workspace, where containers on ${process.platform} cannot protect it. ` +
      'Make the workspace read-only, or move the skill.',
  );
}
