import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { createInterpreters } from '../../../../packages/skillwright/src/process/interpreters.ts';
import { parseArguments } from '../../../../packages/skillwright/src/surfaces/cli/arguments.ts';
import { openChatSession } from '../../../../packages/skillwright/src/surfaces/cli/chat/chat-session.ts';
import { converse } from '../../../../packages/skillwright/src/surfaces/cli/chat/converse.ts';
import { COMMANDS } from '../../../../packages/skillwright/src/surfaces/cli/command-table.ts';
import { readGlobalOptions } from '../../../../packages/skillwright/src/surfaces/cli/global-options.ts';
import { createOutput } from '../../../../packages/skillwright/src/surfaces/cli/output.ts';
import { watchInterruption } from '../../../../packages/skillwright/src/surfaces/cli/running/host-process.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../../../packages/skillwright/src/testing/index.ts';
import { repository } from '../cli-runner.ts';
import { environment } from '../running/running-cli.ts';

export const sampleSkills: string = join(repository, 'skills');
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

/** A conversation in a terminal, from the user's side. */
export interface ChatDriver {
  /** Everything that was shown, without colors. */
  shown(): string;
  /** Everything that was shown, unchanged. */
  raw(): string;
  /** Types keys, and makes `until` search only later output. */
  type(keys: string): void;
  /** Resolves when this text has been shown since the last typed keys. */
  until(text: string): Promise<void>;
  readonly ended: Promise<number | null>;
}

interface Seen extends Omit<ChatDriver, 'ended'> {
  add(text: string): void;
}

/** Sooner than the test's timeout, so that the error can quote the output. */
const PATIENCE_MS = 25_000;

function createSeen(write: (keys: string) => void): Seen {
  let all = '';
  let from = 0;
  const waiting = new Set<() => void>();
  return {
    raw: () => all,
    shown: () => stripVTControlCharacters(all),
    type(keys) {
      from = all.length;
      write(keys);
    },
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!stripVTControlCharacters(all.slice(from)).includes(text)) return;
          stop();
          resolve();
        };
        const stop = (): void => {
          waiting.delete(look);
          clearTimeout(timer);
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`${JSON.stringify(text)} was never shown, but:\n${stripVTControlCharacters(all)}`));
        }, PATIENCE_MS);
        waiting.add(look);
        look();
      }),
    add(text) {
      all += text;
      for (const look of waiting) look();
    },
  };
}

/** A conversation in this process, with streams in place of a terminal. */
export async function chatHere(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<ChatDriver> {
  const command = COMMANDS.find(({ name }) => name === 'chat');
  const input = new PassThrough();
  const output = new PassThrough();
  const seen = createSeen((keys) => void input.write(keys));
  output.setEncoding('utf8').on('data', (text: string) => seen.add(text));
  const sink = { write: (text: string) => seen.add(text) };
  const context = {
    args,
    cwd,
    env,
    stdout: sink,
    stderr: sink,
    isTty: true,
    isErrorTty: true,
    columns: 100,
    home: '/nonexistent',
    platform: process.platform,
  };
  const { options, positionals } = parseArguments(args, command);
  const globals = readGlobalOptions(options, cwd);
  const invocation = { context, output: createOutput(context), globals, options, positionals };
  const session = await openChatSession(invocation);
  const interruption = watchInterruption(context);
  const talk = async (): Promise<number> => {
    try {
      return await converse(invocation, session, { streams: { input, output }, interruption });
    } finally {
      await session.close();
    }
  };
  const ended = talk();
  onTestFinished(async () => {
    input.end();
    await ended;
  });
  return { ...seen, ended };
}

const interpreters = createInterpreters({ path: process.env['PATH'] ?? '' });
const python = await interpreters.forScript(join(sampleSkills, 'csv-stats/scripts/csv_stats.py'));
const scriptVersion = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout as string | null;
const hasScript = scriptVersion?.includes('util-linux') === true;
const PYTHON_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** The program that makes terminals on this machine, and how it starts a program in one. */
export const terminals: readonly (readonly [name: string, wrap: (words: readonly string[]) => readonly string[]])[] = [
  ...(hasScript
    ? [['script', (words: readonly string[]) => ['script', '-qefc', quoted(words), '/dev/null']] as const]
    : []),
  ...(python.ok && process.platform !== 'win32'
    ? [['Python', (words: readonly string[]) => [python.program, '-c', PYTHON_TERMINAL, ...words]] as const]
    : []),
];
if (terminals.length === 0)
  console.warn('SKIPPED: nothing is run in a terminal. Install util-linux (for script) or Python to run these tests.');

/** A conversation in its own process and terminal. */
export function chatInTerminal(args: readonly string[], { cwd }: { readonly cwd: string }): ChatDriver {
  const main = join(repository, 'packages/skillwright/src/cli.ts');
  const words = [process.execPath, main, 'chat', ...args];
  const [program = '', ...rest] = terminals[0]?.[1](words) ?? [];
  return startTerminal(program, rest, cwd);
}

export function startTerminal(program: string, args: readonly string[], cwd: string): ChatDriver {
  const child = spawn(program, args, { cwd, env: { ...environment(cwd), TERM: 'xterm' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const seen = createSeen((keys) => void child.stdin.write(keys));
  child.stdin.on('error', () => {});
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => seen.add(text));
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return { ...seen, ended };
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
}

/** A model that plays a script, closed with the test. */
export async function scripted(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await createScriptedModel(options);
  onTestFinished(() => model.close());
  return model;
}

/** The command-line options to reach it; the key is in `CHAT_KEY`. */
export function reach(model: ScriptedModel): string[] {
  return ['--model', 'scripted', '--base-url', model.baseUrl('openai-chat'), '--api-key-env', 'CHAT_KEY'];
}
