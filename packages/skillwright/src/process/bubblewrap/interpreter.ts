import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { followLinks, type Link } from './places.ts';

/** The parts of a program that must be visible: files and directories, and the links to them. */
export interface ProgramParts {
  readonly paths: readonly string[];
  readonly links: readonly Link[];
}

const VENV_SETTINGS = 'pyvenv.cfg';

/**
 * Lists the files and directories that a program needs. Never lists a whole installation prefix, because that may be a
 * home directory. Throws the system's error if the program does not exist.
 */
export function programParts(program: string): ProgramParts {
  const { real, links } = followLinks(program);
  const paths = [real];
  if (isPython(program) || isPython(real)) {
    paths.push(...prefixParts(prefixOf(real)));
    const environment = [dirname(program), prefixOf(program)].find((path) => existsSync(join(path, VENV_SETTINGS)));
    if (environment !== undefined) return withVirtualEnvironment({ paths, links }, environment);
  } else if (!isNode(real) || hasOwnLibrary(prefixOf(real))) {
    if (basename(dirname(real)) === 'bin') paths.push(...existingIn(prefixOf(real), ['lib']));
  }
  return { paths, links };
}

/** The first version of Node whose memory reserved for compiled code counts toward the limit even while unused. */
const FIRST_RESERVING = 23;

/**
 * Whether a program reserves memory that counts toward its limit. The version is known only for this process's Node;
 * every other Node is assumed to reserve memory.
 */
export function reservesMemory(program: string): boolean {
  if (program === process.execPath && Number.parseInt(process.versions.node, 10) < FIRST_RESERVING) return false;
  return isNode(program);
}

function isNode(program: string): boolean {
  return /^(?:node|nodejs|bun|deno)$/.test(basename(program));
}

function isPython(program: string): boolean {
  return basename(program).startsWith('python');
}

function prefixOf(program: string): string {
  return dirname(dirname(program));
}

/** Whether Node's code is in a separate library, as in the builds of some distributions. */
function hasOwnLibrary(prefix: string): boolean {
  const directory = join(prefix, 'lib');
  return existsSync(directory) && readdirSync(directory).some((name) => name.startsWith('libnode'));
}

function prefixParts(prefix: string): string[] {
  return prefix === '/' ? [] : existingIn(prefix, ['bin', 'lib', 'lib64']);
}

function existingIn(directory: string, names: readonly string[]): string[] {
  return directory === '/' ? [] : names.map((name) => join(directory, name)).filter((path) => existsSync(path));
}

/** A virtual environment consists of its own directories and the installation that its settings name. */
function withVirtualEnvironment(parts: ProgramParts, environment: string): ProgramParts {
  const settings = join(environment, VENV_SETTINGS);
  const own = [settings, ...prefixParts(environment)].map((path) => followLinks(path));
  const home = /^home\s*=\s*(\/.*\S)\s*$/m.exec(readFileSync(settings, 'utf8'))?.[1];
  const base = home !== undefined && existsSync(home) ? followLinks(home) : undefined;
  return {
    paths: [
      ...parts.paths,
      ...own.map(({ real }) => real),
      ...(base === undefined ? [] : prefixParts(dirname(base.real))),
    ],
    links: [...parts.links, ...own.flatMap(({ links }) => links), ...(base?.links ?? [])],
  };
}
