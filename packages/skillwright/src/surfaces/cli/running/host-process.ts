import { CliError, usageError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { messageOf } from '../../../spec/errors/error.ts';

/** The exit codes that shells use for programs ended by these signals. */
const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const READER_GONE_EXIT_CODE = 141;
const MAX_INPUT_BYTES = 10_485_760;

/** Aborts when a run is no longer wanted. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit code for the interruption; `undefined` if there was none. */
  exitCode(): number | undefined;
  /** Stops listening. */
  stop(): void;
}

/**
 * Watches for Ctrl-C, for termination signals, and for a closed output pipe. Each signal is handled once; a second one
 * ends this process as usual.
 */
export function watchInterruption(context: CliContext): Interruption {
  const abort = new AbortController();
  let exitCode: number | undefined;
  const end = (code: number): void => {
    exitCode ??= code;
    abort.abort();
  };
  const stops = isProgram(context) ? [...listenToSignals(end), listenToReader(end), watchNpm(end)] : [];
  return {
    signal: abort.signal,
    exitCode: () => exitCode,
    stop: () => stops.forEach((stop) => stop()),
  };
}

function listenToSignals(end: (exitCode: number) => void): (() => void)[] {
  return Object.entries(SIGNAL_EXIT_CODES).map(([name, exitCode]) => {
    const onSignal = (): void => end(exitCode);
    process.once(name, onSignal);
    return () => void process.off(name, onSignal);
  });
}

const NPM_LOOK_MS = 500;

/**
 * `npm start` runs this process in a shell that does not pass on its own termination, so end when the parent is gone.
 */
function watchNpm(end: (exitCode: number) => void): () => void {
  if (process.env['npm_lifecycle_event'] !== 'start' || process.platform === 'win32') return () => {};
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid !== ppid) end(SIGNAL_EXIT_CODES.SIGTERM);
  }, NPM_LOOK_MS).unref();
  return () => clearInterval(timer);
}

function listenToReader(end: (exitCode: number) => void): () => void {
  const onError = ({ code }: NodeJS.ErrnoException): void =>
    end(code === 'EPIPE' || code === 'EOF' ? READER_GONE_EXIT_CODE : 1);
  process.stdout.on('error', onError);
  return () => void process.stdout.off('error', onError);
}

/** Piped input as it arrives; none if a user sits at a terminal. */
export function pipedInput(context: CliContext): AsyncIterable<Uint8Array> | undefined {
  return isProgram(context) && !process.stdin.isTTY ? (process.stdin as AsyncIterable<Buffer>) : undefined;
}

/** Closes piped input. Otherwise it would keep this process alive when nothing reads it any more. */
export function endPipedInput(context: CliContext): void {
  if (isProgram(context)) process.stdin.destroy();
}

/** Reads standard input to its end. */
export async function readInput(context: CliContext): Promise<Uint8Array | undefined> {
  if (!isProgram(context)) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_INPUT_BYTES) throw usageError(`Standard input has more than ${MAX_INPUT_BYTES} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`Standard input cannot be read: ${messageOf(error)}.`);
  }
  return Buffer.concat(chunks);
}

/** Whether the context is the real process. A context made by a test has neither standard input nor signals. */
function isProgram({ env }: CliContext): boolean {
  return env === process.env;
}
