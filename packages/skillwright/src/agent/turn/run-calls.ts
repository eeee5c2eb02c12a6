import { describeThrown } from '../../process/handler-answer.ts';
import type { ToolCall, ToolResult, Usage } from '../../spec/wire.ts';
import { errorResult } from './turn-ending.ts';
import { untilGivenUp, type TurnClock } from './turn-clock.ts';
import type { TurnInput } from './turn.ts';

/** The context that a call runs in. */
export interface CallContext {
  readonly round: number;
  readonly signal: AbortSignal;
  /** Adds usage to the turn's total, for an agent that the call started. */
  readonly bill: (usage: Usage) => void;
}

export interface CallRunner {
  readonly execute: (call: ToolCall, context: CallContext) => Promise<ToolResult>;
  readonly maxParallel?: number | undefined;
}

interface Surroundings extends Pick<CallContext, 'bill'> {
  readonly clock: TurnClock;
}

const MAX_PARALLEL = 8;

/** Runs the calls of a round, several in parallel, and yields their results, or that the wait was aborted. */
export async function* runCalls(
  runner: CallRunner,
  { calls, round }: { readonly calls: readonly ToolCall[]; readonly round: number },
  { clock, bill }: Surroundings,
): AsyncGenerator<TurnInput, void, void> {
  const results: ToolResult[] = [];
  await untilGivenUp(() => runAll(runner, calls, { round, signal: clock.calls, bill }, results), clock.everything);
  if (!clock.everything.aborted) return yield { type: 'results', results };
  const { reason, message } = clock;
  yield { type: 'stop', reason, message, results: results.filter((result) => result !== undefined) };
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
        ? errorResult(call, 'Cancelled: the call did not run.')
        : await run(execute, call, context);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, calls.length) }, work));
}

/** Runs one call. Never rejects, whatever the call does. */
async function run(execute: CallRunner['execute'], call: ToolCall, context: CallContext): Promise<ToolResult> {
  try {
    const result: unknown = await execute(call, context);
    return isResult(result) ? result : errorResult(call, 'Error: the call ran but returned no result.');
  } catch (error) {
    return errorResult(call, `Error: ${describeThrown(error).message}`);
  }
}

function isResult(result: unknown): result is ToolResult {
  const { callId, content } = (result ?? {}) as Partial<Record<keyof ToolResult, unknown>>;
  return typeof callId === 'string' && Array.isArray(content);
}
