import { captureOutput, type CapturedOutput, NO_OUTPUT } from '../../process/output-capture.ts';
import type { Sandbox, SandboxExit, SandboxLaunch, SandboxProcess, ProgramInput } from '../../spec/sandbox.ts';
import type { Redactor } from '../../policy/redaction/redaction.ts';

export interface ProgramRun {
  readonly launch: SandboxLaunch;
  readonly stdin?: ProgramStdin | undefined;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** How many bytes of the channel are kept. Default 0: there is no channel. */
  readonly maxChannelBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gets the kept part of the output. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
  /** Gets all of the output, kept or not. */
  readonly onAnyOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
}

/** Why a run ended. The first reason counts: a program that exits while it is being ended was still ended. */
export type EndReason = 'exit' | 'timeout' | 'cancelled' | 'not-started';

export interface ProgramOutcome extends SandboxExit {
  readonly reason: EndReason;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** The program's output on its channel. */
  readonly channel: CapturedOutput;
  /** Why the program could not be started. */
  readonly cause?: unknown;
}

/** How long pipes may stay open after the program's end before the processes that hold them are ended too. */
const DRAIN_MS = 200;
const UNSTARTED = { exitCode: null, signal: null, stdout: NO_OUTPUT, stderr: NO_OUTPUT, channel: NO_OUTPUT } as const;

/** Runs a program until it ends, times out or is cancelled; then no process of it is left. Never rejects. */
export async function runProgram(sandbox: Sandbox, run: ProgramRun): Promise<ProgramOutcome> {
  if (run.signal?.aborted === true) return { ...UNSTARTED, reason: 'cancelled' };
  let child: SandboxProcess;
  try {
    child = await sandbox.launch(run.launch);
  } catch (cause) {
    return { ...UNSTARTED, reason: 'not-started', cause };
  }
  const capture = (stream: 'stdout' | 'stderr'): ReturnType<typeof captureOutput> =>
    captureOutput(
      child[stream],
      run.maxOutputBytes,
      (chunk) => run.onOutput?.(stream, chunk),
      (chunk) => run.onAnyOutput?.(stream, chunk),
    );
  const stdout = capture('stdout');
  const stderr = capture('stderr');
  const channel = child.channel === undefined ? undefined : captureOutput(child.channel, run.maxChannelBytes ?? 0);
  const feeding = feedInput(child.stdin, run.stdin);
  const reason = await firstReason(child, run);
  feeding.stop();
  if (reason !== 'exit') await child.kill();
  const exit = await child.exited;
  await drain(child, [stdout.ended, stderr.ended, ...(channel === undefined ? [] : [channel.ended])]);
  return { reason, ...exit, stdout: stdout.result(), stderr: stderr.result(), channel: channel?.result() ?? NO_OUTPUT };
}

function firstReason(child: SandboxProcess, run: ProgramRun): Promise<EndReason> {
  return new Promise((resolve) => {
    const onAbort = (): void => settle('cancelled');
    const timer = setTimeout(() => settle('timeout'), run.timeoutMs);
    const settle = (reason: EndReason): void => {
      clearTimeout(timer);
      run.signal?.removeEventListener('abort', onAbort);
      resolve(reason);
    };
    run.signal?.addEventListener('abort', onAbort, { once: true });
    if (run.signal?.aborted === true) settle('cancelled');
    void child.exited.then(() => settle('exit'));
  });
}

/** Waits for the pipes; a descendant that keeps one open is ended after a moment, and its output until then is kept. */
async function drain(child: SandboxProcess, ends: readonly Promise<void>[]): Promise<void> {
  const closed = Promise.all(ends).then(() => true);
  const isClosed = await withinMs(closed, DRAIN_MS);
  // Do this even after success: processes that it left running must not outlive the run.
  await child.kill();
  if (isClosed || (await withinMs(closed, DRAIN_MS)) === true) return;
  for (const stream of [child.stdout, child.stderr, child.channel]) stream?.destroy();
  await closed;
}

/** The result of the work; `undefined` if the work takes too long. */
export async function withinMs<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Gets all output as it arrives, including the part that a result does not keep; secrets are redacted. Errors that it
 * throws are ignored.
 */
export type OnOutput = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

export function passOutput(
  onOutput: OnOutput,
  redactor: Redactor,
): { write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void; end(): void } {
  const redacted = { stdout: redactor.stream(), stderr: redactor.stream() };
  const pass = (stream: 'stdout' | 'stderr', chunk: Uint8Array): void => {
    if (chunk.length === 0) return;
    try {
      onOutput(stream, chunk);
    } catch {
      // A failing listener does not stop the run.
    }
  };
  return {
    write: (stream, chunk) => pass(stream, redacted[stream].write(chunk)),
    end() {
      for (const stream of ['stdout', 'stderr'] as const) pass(stream, redacted[stream].end());
    },
  };
}

/** A program's standard input: the whole input, or a stream. */
export type ProgramStdin = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** Writes the input and ends it; reads a stream no faster than the program reads. */
function feedInput(stdin: ProgramInput, input: ProgramStdin | undefined): { stop(): void } {
  if (input === undefined || typeof input === 'string' || input instanceof Uint8Array) {
    if (input === undefined || input.length === 0) stdin.end();
    else stdin.end(input);
    return { stop: () => {} };
  }
  const pieces = input[Symbol.asyncIterator]();
  let isStopped = false;
  const pump = async (): Promise<void> => {
    try {
      for (;;) {
        const piece = await pieces.next();
        if (piece.done === true || isStopped) break;
        await new Promise<void>((resolve) => {
          stdin.write(piece.value, () => resolve());
        });
      }
    } catch {
      // A stream that fails counts as ended.
    }
    stdin.end();
  };
  void pump();
  return {
    stop() {
      isStopped = true;
      // Do not wait for the stream to end, because it may never do so.
      void pieces.return?.()?.catch(() => {});
    },
  };
}
