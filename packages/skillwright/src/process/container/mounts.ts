import { accessSync, constants, statSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, relative } from 'node:path';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SandboxLaunch } from '../../spec/sandbox.ts';
import { assertAbsolute, assertDirectory, assertGiven, PRIVATE_DIRECTORY } from '../bubblewrap/mounts.ts';
import { followLinks, isWithin, directoriesBetween } from '../bubblewrap/places.ts';

/** The name under which a granted workspace is found in every container. */
const CONTAINER_WORKSPACE = '/workspace';
/** Directories that an image brings itself. */
const IMAGE_DIRECTORIES = ['/bin', '/dev', '/etc', '/lib', '/lib64', '/proc', '/sbin', '/sys', '/usr'];

interface Bind {
  readonly source: string;
  readonly path: string;
  readonly writable: boolean;
}

export interface ContainerMounts {
  readonly binds: readonly Bind[];
  /** Empty directories of the container's own. */
  readonly empty: readonly string[];
  readonly workDir: string;
  /** The workspace, when it may be written. */
  readonly writable: string | undefined;
  /** The program: a path of what is mounted, or the name of one that the image has. */
  readonly program: { readonly path: string } | { readonly name: string };
  /** What lies in the writable workspace and is mounted from there: to be compared once it is. */
  readonly held: readonly string[];
}

/**
 * What a launch sees of the host: the skill and the granted part of the workspace, each under its own name. Throws a
 * system error for what is not there, and a coded one for what is not given to anybody.
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
      // By its second name a skill inside it could be changed.
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
    // Only what the copy has, can be worked in.
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

/** `SKILL_DIR` may name the skill by another way, which then has to exist too. */
function otherNames(launch: SandboxLaunch, skill: Bind): Bind[] {
  const named = launch.env['SKILL_DIR'];
  if (named === undefined || !isAbsolute(named) || normalize(named) === skill.path) return [];
  try {
    return followLinks(named).real === skill.path ? [{ ...skill, path: normalize(named) }] : [];
  } catch {
    // The name does not belong to the skill, so this tier does not judge it.
    return [];
  }
}

function programIn(program: string, binds: readonly Bind[]): ContainerMounts['program'] {
  const path = normalize(program);
  const bind = binds.find((candidate) => isWithin(path, candidate.path));
  if (bind === undefined) return { name: imageName(path) };
  const seen = join(bind.source, relative(bind.path, path));
  if (!statSync(seen).isFile()) throw new SkillwrightError('LaunchFailed', `${program} cannot be run: it is no file.`);
  accessSync(seen, constants.X_OK);
  return { path };
}

/** Interpreters are the image's own, under the names they have there. */
function imageName(program: string): string {
  const name = basename(program);
  if (/^python(?:3(?:\.\d+)?)?$/.test(name)) return 'python3';
  return name === 'nodejs' ? 'node' : name;
}

/** What would hide the image's own programs is not mounted over them. */
function assertShown(path: string, what: 'skill' | 'workspace'): void {
  assertGiven(path, what);
  if (!IMAGE_DIRECTORIES.includes(path) && !['/usr/bin', '/usr/lib', '/usr/local', PRIVATE_DIRECTORY].includes(path))
    return;
  throw new SkillwrightError(
    'LaunchFailed',
    `The ${what} ${path} would hide the programs of the image. Use a directory of its own for it.`,
  );
}

/** Whether what was mounted is what was meant can be seen on Linux only. */
function assertComparable(skill: string): void {
  if (process.platform === 'linux') return;
  throw new SkillwrightError(
    'LaunchFailed',
    `The skill ${skill} lies in a workspace that may be written, which containers on ${process.platform} cannot protect. ` +
      'Grant the workspace for reading, or keep the skill elsewhere.',
  );
}
