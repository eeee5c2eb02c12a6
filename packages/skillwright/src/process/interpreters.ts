import { execFile } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { isNodeNew, NEEDED_NODE, otherRuntime } from './node-version.ts';

/**
 * How to start a script: the program, its name, and the arguments before the script's path. A `direct` script is itself
 * the program.
 */
export type Interpreter =
  | {
      readonly ok: true;
      readonly name: string;
      readonly program: string;
      readonly args: readonly string[];
      readonly direct: boolean;
    }
  /** `name` is the missing program, or the kind of script if no program is known for it. */
  | { readonly ok: false; readonly isKnown: boolean; readonly name: string; readonly remedy: string };

export interface Interpreters {
  /**
   * Chooses by the script's shebang, then by its extension. Resolves a shim to the real interpreter, only once. Never
   * rejects.
   */
  forScript(path: string): Promise<Interpreter>;
  /** Why a script cannot be started, if that is known without starting a program. */
  obstacle(path: string): Extract<Interpreter, { ok: false }> | undefined;
}

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['.js', 'node'],
  ['.mjs', 'node'],
  ['.cjs', 'node'],
  ['.ts', 'node'],
  ['.mts', 'node'],
  ['.cts', 'node'],
  ['.py', 'python3'],
  ['.sh', 'bash'],
  ['.bash', 'bash'],
  ['.rb', 'ruby'],
  ['.php', 'php'],
  ['.pl', 'perl'],
  ['.ps1', 'pwsh'],
]);

const REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'node',
    `Scripts and tools in JavaScript need Node ${NEEDED_NODE} or later, also under Bun and Deno. Make sure that it is on the PATH.`,
  ],
  ['python3', 'Install Python 3 and make sure that python3 is on the PATH.'],
  ['bash', 'Install bash and make sure that it is on the PATH.'],
  ['pwsh', 'Install PowerShell and make sure that pwsh is on the PATH.'],
]);

/** `path` is the PATH to search; scripts for Node run with the Node of this process. */
export function createInterpreters(options: { readonly path: string }): Interpreters {
  const found = new Map<string, Promise<string | undefined>>();
  const locate = (name: string): Promise<string | undefined> => {
    let program = found.get(name);
    if (program === undefined) found.set(name, (program = locateProgram(name, options.path)));
    return program;
  };
  return {
    async forScript(path) {
      const wanted = wantedProgram(path);
      if ('ok' in wanted) return wanted;
      const { named, args } = wanted;
      const program = await locate(programName(named));
      return program === undefined ? notFound(named) : { ok: true, name: named, program, args, direct: false };
    },
    obstacle(path) {
      const wanted = wantedProgram(path);
      if ('ok' in wanted) return wanted.ok ? undefined : wanted;
      const name = programName(wanted.named);
      return (name === 'node' && otherRuntime() === undefined) || programsOnPath(name, options.path).length > 0
        ? undefined
        : notFound(wanted.named);
    },
  };
}

/** The program that a script's shebang or extension names, or the final result if no program must be looked up. */
function wantedProgram(path: string): Interpreter | { readonly named: string; readonly args: readonly string[] } {
  const shebang = readShebang(path);
  if (shebang === 'unreadable')
    return {
      ok: false,
      isKnown: false,
      name: 'a script that cannot be read',
      remedy: `Check the permissions of ${path}.`,
    };
  const named = shebang?.name ?? BY_EXTENSION.get(extname(path).toLowerCase());
  if (named !== undefined) return { named, args: shebang?.args ?? [] };
  return isExecutable(path) ? { ok: true, name: '', program: path, args: [], direct: true } : unknownKind(path);
}

function programName(named: string): string {
  return named === 'python' ? 'python3' : named;
}

function notFound(name: string): Extract<Interpreter, { ok: false }> {
  const remedy = REMEDIES.get(name) ?? `Install ${name} and make sure that it is on the PATH.`;
  return { ok: false, isKnown: true, name, remedy };
}

function unknownKind(path: string): Interpreter {
  const extension = extname(path);
  const name = extension === '' ? 'a script without shebang or extension' : `a '${extension}' script`;
  return {
    ok: false,
    isKnown: false,
    name,
    remedy: 'Begin the script with a line such as #!/usr/bin/env python3, or make it executable.',
  };
}

/**
 * Reads a shebang: `#!/usr/bin/env -S python3 -u` becomes `python3` with the argument `-u`. Accepts CRLF. The
 * interpreter's directory is ignored.
 */
function readShebang(path: string): { name: string; args: string[] } | 'unreadable' | undefined {
  const head = Buffer.alloc(256);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const line = head.toString('latin1', 0, readSync(descriptor, head, 0, 256, 0)).split(/\r?\n/, 1)[0] ?? '';
    if (!line.startsWith('#!')) return undefined;
    const words = line.slice(2).trim().split(/\s+/);
    if (/(?:^|\/)env$/.test(words[0] ?? '')) {
      words.shift();
      while (words[0]?.startsWith('-') === true || words[0]?.includes('=') === true) words.shift();
    }
    const [program, ...args] = words;
    const name = program?.split('/').at(-1);
    return name === undefined || name === '' ? undefined : { name, args };
  } catch {
    return 'unreadable';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

async function locateProgram(name: string, path: string): Promise<string | undefined> {
  if (name === 'node') return otherRuntime() === undefined ? process.execPath : findNode(path);
  for (const candidate of programsOnPath(name, path)) {
    // Keep the link: a Python that is started by another name does not find its virtual environment.
    const real = name.startsWith('python') && isShellShim(candidate) ? await realPython(candidate, path) : candidate;
    if (real !== undefined) return real;
  }
  return undefined;
}

/** The first Node on the PATH that is new enough: Bun and Deno do not support the way that handlers are started. */
async function findNode(path: string): Promise<string | undefined> {
  const tell = 'JSON.stringify(process.versions)';
  for (const candidate of programsOnPath('node', path)) {
    const versions = JSON.parse((await outputOf(candidate, ['--print', tell], path)) || '{}') as Record<string, string>;
    // Bun and Deno may have put themselves on the PATH as `node`.
    const isNode = versions['bun'] === undefined && versions['deno'] === undefined;
    if (isNode && isNodeNew(versions['node'] ?? '')) return candidate;
  }
  return undefined;
}

/** The programs with this name in the absolute directories of a PATH, in the order in which a shell would choose. */
export function programsOnPath(name: string, path: string): string[] {
  return path
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, name))
    .filter((candidate) => isExecutable(candidate));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Whether a program is a script, such as those that version managers put on the PATH. Each call through such a script
 * takes about 200 ms.
 */
function isShellShim(path: string): boolean {
  const head = Buffer.alloc(2);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, head, 0, 2, 0);
    return head.toString() === '#!';
  } finally {
    closeSync(descriptor);
  }
}

async function realPython(shim: string, path: string): Promise<string | undefined> {
  const program = await outputOf(shim, ['-c', 'import sys; print(sys.executable)'], path);
  return isExecutable(program) ? program : undefined;
}

/** A program's output, trimmed; empty if it fails. */
function outputOf(program: string, args: readonly string[], path: string): Promise<string> {
  return new Promise((done) => {
    const options = { timeout: 10_000, env: { PATH: path }, encoding: 'utf8' as const };
    execFile(program, args, options, (error, stdout) => done(error === null ? stdout.trim() : ''));
  });
}

/** Whether a PATH has a program of this name; a name with a slash is a path relative to `baseDir`. */
export function hasProgram(
  program: string,
  baseDir: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (/[\\/]/.test(program)) return isExecutable(resolve(baseDir, program));
  const isWindows = process.platform === 'win32';
  const endings = isWindows ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';')] : [''];
  const directories = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.some((directory) => endings.some((ending) => isExecutable(join(directory, program + ending))));
}
