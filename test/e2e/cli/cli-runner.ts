import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { CliContext } from '../../../packages/skillwright/src/surfaces/cli/context.ts';
import { runCli } from '../../../packages/skillwright/src/surfaces/cli/run.ts';
import { COMPILE_CACHE } from '../../compile-cache.ts';

export const repository: string = fileURLToPath(new URL('../../..', import.meta.url));
const mainFile = join(repository, 'packages/skillwright/src/cli.ts');

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface SpawnOptions {
  cwd?: string;
  env?: Record<string, string>;
  uid?: number;
}

/** Runs the real program in its own process, with a home directory that does not exist and without forced colors. */
export function spawnCli(args: readonly string[], options: SpawnOptions = {}): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, ...args], {
    cwd: options.cwd ?? repository,
    env: plainEnv(options.env),
    encoding: 'utf8',
    timeout: 20_000,
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  });
  return { code: status, stdout, stderr };
}

/** Runs a line of bash in which `$CLI` is the program. */
export function spawnBash(line: string, options: SpawnOptions = {}): CliResult {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
    cwd: options.cwd ?? repository,
    env: plainEnv({ CLI: `${process.execPath} ${mainFile}`, ...options.env }),
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { code: status, stdout, stderr };
}

function plainEnv(extra: Record<string, string> = {}): Record<string, string> {
  const path = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  return { PATH: path, HOME: '/nonexistent', USERPROFILE: '/nonexistent', ...COMPILE_CACHE, ...extra };
}

/** Runs the command line in this process, by default with the sample skills and without a terminal. */
export async function runHere(args: readonly string[], overrides: Partial<CliContext> = {}): Promise<CliResult> {
  const result = { stdout: '', stderr: '' };
  const code = await runCli({
    args,
    cwd: repository,
    env: {},
    stdout: { write: (text) => void (result.stdout += text) },
    stderr: { write: (text) => void (result.stderr += text) },
    isTty: false,
    isErrorTty: false,
    columns: undefined,
    home: '/nonexistent',
    platform: process.platform,
    ...overrides,
  });
  return { code, ...result };
}

/** The JSON that a command prints. */
export async function readJson<T>(args: readonly string[], overrides: Partial<CliContext> = {}): Promise<T> {
  const { stdout, stderr } = await runHere([...args, '--json'], overrides);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

/** A directory with these files, removed after the test. */
export function makeDirectory(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-cli-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** A SKILL.md; without a body it has one sentence. */
export function skillFile(fields: Readonly<Record<string, string>>, body = 'Do it.'): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return ['---', ...lines, '---', '', body, ''].join('\n');
}
