import { setTimeout as wait } from 'node:timers/promises';
import type { ToolCall, ToolResult } from '../spec/wire.ts';
import type { TurnClock } from './turn-clock.ts';
import type { TurnInput } from './turn.ts';

/** What a call is run with. */
export interface CallContext {
  readonly round: number;
  readonly signal: AbortSignal;
}

export interface CallRunner {
  readonly execute: (call: ToolCall, context: CallContext) => Promise<ToolResult>;
  readonly maxParallel?: number | undefined;
  readonly keepAliveMs?: number | undefined;
}

const MAX_PARALLEL = 8;
const KEEP_ALIVE_MS = 10_000;
/** How long a call that was told to end is waited for. */
const END_MS = 5_000;

/** Runs the calls of a round, several at a time, and yields their results, or that nobody waits for them. */
export async function* runCalls(
  runner: CallRunner,
  { calls, round }: { readonly calls: readonly ToolCall[]; readonly round: number },
  { clock, keepAlive }: { readonly clock: TurnClock; readonly keepAlive: () => Promise<void> },
): AsyncGenerator<TurnInput, void, void> {
  const timer = setInterval(
    // A client that is gone is noticed by its own signal.
    () => void keepAlive().catch(() => undefined),
    runner.keepAliveMs ?? KEEP_ALIVE_MS,
  );
  const results: ToolResult[] = [];
  try {
    const done = runAll(runner, calls, { round, signal: clock.calls }, results).then(() => true);
    const aborted = whenAborted(clock.everything);
    const isDone = await Promise.race([done, aborted.promise]).finally(() => aborted.dispose());
    if (isDone) return yield { type: 'results', results };
    // What runs is being ended: it is waited for, but not for ever.
    await Promise.race([done, wait(END_MS, undefined, { ref: false })]);
    yield { type: 'stop', reason: clock.reason, results: results.filter((result) => result !== undefined) };
  } finally {
    clearInterval(timer);
  }
}

async function runAll(
  { execute, maxParallel = MAX_PARALLEL }: CallRunner,
  calls: readonly ToolCall[],
  context: CallContext,
  results: ToolResult[],
): Promise<void> {
  const waiting = calls.entries();
  const work = async (): Promise<void> => {
    for (const [place, call] of waiting) {
      results[place] = context.signal.aborted
        ? failed(call, 'Cancelled: the call was not run.')
        : await execute(call, context).catch((error: unknown) => failed(call, `Error: ${messageOf(error)}`));
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, calls.length) }, work));
}

function whenAborted(signal: AbortSignal): { readonly promise: Promise<false>; dispose(): void } {
  const { promise, resolve } = Promise.withResolvers<false>();
  const end = (): void => resolve(false);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return { promise, dispose: () => signal.removeEventListener('abort', end) };
}

function failed({ id, name }: ToolCall, text: string): ToolResult {
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
