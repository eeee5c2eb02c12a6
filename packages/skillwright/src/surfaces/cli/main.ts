import { homeDirectory } from '../../process/host-environment.ts';
import type { CliContext } from './context.ts';
import { runCli } from './run.ts';

/**
 * Handles a failed write to standard output. If a reader such as `head` stops reading, that is not a failure. A full
 * disk is a failure.
 */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EOF') return;
  process.exitCode = 1;
  process.stderr.write(`error: The output cannot be written: ${error.message}\n`);
}

async function ask(question: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const stopped = new AbortController();
  terminal.once('close', () => stopped.abort());
  try {
    return await terminal.question(question, { signal: stopped.signal });
  } catch {
    return undefined;
  } finally {
    terminal.close();
  }
}

/** Whether the working directory still exists. It may have been removed after a shell entered it. */
function hasWorkingDirectory(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

function reportLostDirectory(): number {
  const message = 'The working directory no longer exists. Change to another directory.';
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ error: { code: 'WorkingDirectoryLost', message, data: {} } })}\n`);
  } else process.stderr.write(`error: ${message}\n`);
  return 1;
}

function createContext(surfaces: Pick<CliContext, 'openMcp'>): CliContext {
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY && stdout.isTTY;
  return {
    args: process.argv.slice(2),
    cwd: process.cwd(),
    env: process.env,
    stdout: { write: (text) => void stdout.write(text), writeBytes: (bytes) => void stdout.write(bytes) },
    stderr: { write: (text) => void stderr.write(text), writeBytes: (bytes) => void stderr.write(bytes) },
    isTty: stdout.isTTY,
    isErrorTty: stderr.isTTY,
    columns: stdout.isTTY ? stdout.columns : undefined,
    home: homeDirectory(),
    platform: process.platform,
    ...(isInteractive ? { ask } : {}),
    ...surfaces,
  };
}

/** Runs the command line of this process. `surfaces` are loaded only by the commands that need them. */
export async function main(surfaces: Pick<CliContext, 'openMcp'>): Promise<void> {
  process.stdout.on('error', onWriteError);
  process.stderr.on('error', () => {});
  const exitCode = hasWorkingDirectory() ? await runCli(createContext(surfaces)) : reportLostDirectory();
  process.exitCode ??= exitCode;
}
