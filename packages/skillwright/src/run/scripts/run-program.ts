import { captureOutput, type CapturedOutput } from '../../process/output-capture.ts';
import { feedInput, type ProgramStdin } from './program-stdin.ts';
import type { Sandbox, SandboxExit, SandboxLaunch, SandboxProcess } from '../../spec/sandbox.ts';

export interface ProgramRun {
  readonly launch: SandboxLaunch;
  readonly stdin?: ProgramStdin | undefined;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Bytes of the channel that are kept. Default 0: there is none. */
  readonly maxChannelBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sees what is kept of the output. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
  /** Sees all of the output, kept or not. */
  readonly onAnyOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
}

/** Why a run ended. The first reason counts: a program that exits while it is being ended was still ended. */
export type EndReason = 'exit' | 'timeout' | 'cancelled' | 'not-started';

export interface ProgramOutcome extends SandboxExit {
  readonly reason: EndReason;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** What it wrote to its channel. */
  readonly channel: CapturedOutput;
  /** Why it could not be started. */
  readonly cause?: unknown;
}

/** How long pipes may stay open after the program has ended before those who hold them are ended too. */
const DRAIN_MS = 200;
const NOTHING: CapturedOutput = { text: '', truncated: false, bytes: 0 };
const UNSTARTED = { exitCode: null, signal: null, stdout: NOTHING, stderr: NOTHING, channel: NOTHING } as const;

/** Runs a program to its end, its timeout or its cancellation; then nothing of it is left. Never rejects. */
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
  return { reason, ...exit, stdout: stdout.result(), stderr: stderr.result(), channel: channel?.result() ?? NOTHING };
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

/** Waits for the pipes; a descendant that keeps one open is ended after a moment, and what it wrote by then is kept. */
async function drain(child: SandboxProcess, ends: readonly Promise<void>[]): Promise<void> {
  const closed = Promise.all(ends).then(() => true);
  const isClosed = await withinMs(closed, DRAIN_MS);
  // Also where all is well: what it left running must not outlive the run.
  await child.kill();
  if (isClosed || (await withinMs(closed, DRAIN_MS))) return;
  for (const stream of [child.stdout, child.stderr, child.channel]) stream?.destroy();
  await closed;
}

async function withinMs(work: Promise<boolean>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
