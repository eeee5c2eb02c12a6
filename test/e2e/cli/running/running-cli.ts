import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { probeSandboxes } from '../../../../packages/skillwright/src/process/standard-sandboxes.ts';
import { COMPILE_CACHE } from '../../../compile-cache.ts';
import { makeDirectory, repository, skillFile } from '../cli-runner.ts';

const mainFile = join(repository, 'packages/skillwright/src/cli.ts');

/** The running program. */
export interface RunningCli {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when a stream contains the text. */
  until(stream: 'stdout' | 'stderr', text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  writeInput(text: string): void;
  readonly ended: Promise<number | null>;
}

export interface StartOptions {
  readonly cwd: string;
  /** Leaves standard input open. Default false: it is empty. */
  readonly openInput?: boolean;
}

/** Starts the real program; it is ended with the test. */
export function startCli(args: readonly string[], options: StartOptions): RunningCli {
  const child = spawn(process.execPath, [mainFile, ...args], { cwd: options.cwd, env: environment(options.cwd) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const seen = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      seen[stream] += text;
      for (const look of waiting) look();
    });
  }
  if (options.openInput !== true) child.stdin.end();
  return {
    stdout: () => seen.stdout,
    stderr: () => seen.stderr,
    until: (stream, text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!seen[stream].includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    signal: (name) => void child.kill(name),
    writeInput: (text) => void child.stdin.on('error', () => {}).write(text),
    ended: new Promise((resolve) => {
      child.once('close', (code) => resolve(code));
    }),
  };
}

/** An environment without a home, and with a cache that is removed with the directory. */
export function environment(cwd: string): Record<string, string> {
  const path = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  const home = { HOME: '/nonexistent', USERPROFILE: '/nonexistent', XDG_CACHE_HOME: join(cwd, 'cache') };
  return { PATH: path, ...home, ...COMPILE_CACHE };
}

/** A directory with one skill, `kit`, that contains these files. */
export function makeKit(
  files: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>> = {},
): string {
  const inside = Object.entries(files).map(([path, content]) => [`skills/kit/${path}`, content]);
  const root = makeDirectory({
    'skills/kit/SKILL.md': skillFile({ name: 'kit', description: 'For tests.', ...fields }),
    ...(Object.fromEntries(inside) as Record<string, string>),
  });
  // If root runs them, sandboxed programs run as another user.
  chmodSync(root, 0o755);
  return root;
}

/** Counts this machine's processes that have the text as an argument. Linux only. */
export function countProcesses(text: string): number {
  return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && commandOf(entry).includes(text)).length;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const bubblewrap = (await probeSandboxes()).find(({ tier }) => tier === 'bubblewrap');
export const hasBubblewrap: boolean = bubblewrap?.available === true;
if (bubblewrap?.available === false)
  console.warn(`SKIPPED: nothing is run in bubblewrap. ${bubblewrap.reason} ${bubblewrap.remedy}`);

/** The tiers to run everything in, with the options for each. */
export const tiers: readonly (readonly [string, readonly string[]])[] = [
  ['process', ['--dir', 'skills', '--sandbox', 'process']],
  ...(hasBubblewrap ? [['bubblewrap', []] as const] : []),
];
