import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../spec/clock.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { ExecutionEnd, NewExecution } from '../../store/tables/execution-rows.ts';
import type { ExecutionTable } from '../../store/tables/execution-table.ts';
import { endedExecution, pendingExecution, runningExecution } from '../execution-states.ts';
import { attemptHandler, CANCELLED, type Attempt, type AttemptOutcome } from './handler-attempt.ts';
import type { LateWrites } from '../late-writes.ts';
import type { LiveExecution } from '../live-executions.ts';

/** Before the first repetition; twice as long before each further one. */
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

export interface HandlerRun extends Omit<Attempt, 'context'> {
  readonly execution: NewExecution;
  /** How often a failed attempt is repeated. */
  readonly retries: number;
  /** Throws when it may not be repeated any more. */
  readonly confirm: () => Promise<void>;
}

export interface HandlerRunParts {
  readonly executions: ExecutionTable;
  readonly late: LateWrites;
  readonly now: Clock;
}

/** Takes a handler from its row to its end. What it does is a state; only rows that cannot be written are thrown. */
export async function runHandler(run: HandlerRun, live: LiveExecution, parts: HandlerRunParts): Promise<void> {
  const { executions, late, now } = parts;
  const { execution } = run;
  const startedAt = performance.now();
  await executions.add(execution);
  const pending = pendingExecution(execution);
  live.become(pending);
  const running = runningExecution(pending, now());
  let end: ExecutionEnd;
  try {
    await executions.start(execution.id, running.startedAt ?? now(), null);
    live.become(running);
    end = endOf(await attemptAll(run, live, parts), startedAt, now);
  } catch (error) {
    // Nothing is left running, whatever the store says.
    const errorCode = error instanceof GatewayError ? error.code : 'Unexpected';
    const errorMessage = error instanceof Error ? error.message : String(error);
    end = endOf({ status: 'error', errorCode, errorMessage, isFinal: true }, startedAt, now);
  }
  const written = end;
  await late.write(() => executions.finish(execution.id, written));
  live.end({ state: endedExecution(live.state ?? running, written) });
}

/** How it ended, and where it ran. */
type HandlerOutcome = AttemptOutcome & Pick<ExecutionEnd, 'tier'>;

async function attemptAll(run: HandlerRun, live: LiveExecution, parts: HandlerRunParts): Promise<HandlerOutcome> {
  const { executions, late, now } = parts;
  const { id, apiKeyId, sessionId } = run.execution;
  const place: { tier?: string } = {};
  const context = {
    executionId: id,
    apiKeyId,
    sessionId,
    signal: live.signal,
    onOutput: (stream: 'stdout' | 'stderr', text: unknown): void => live.output(stream, String(text)),
    onTier: (tier: string): void => void (place.tier = tier),
  };
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = performance.now();
    await executions.addAttempt(id, attempt, now());
    const outcome = await attemptHandler({ ...run, context });
    const end = endOf({ ...outcome, ...place }, startedAt, now);
    await late.write(() => executions.finishAttempt(id, attempt, end));
    if (outcome.isFinal || attempt > run.retries) return { ...outcome, ...place };
    const waitMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
    await delay(waitMs, undefined, { signal: live.signal }).catch(() => undefined);
    if (live.signal.aborted) return { ...CANCELLED, ...place };
    await run.confirm();
  }
}

function endOf(outcome: HandlerOutcome, startedAt: number, now: Clock): ExecutionEnd {
  const { isFinal: _, ...ending } = outcome;
  return { ...ending, durationMs: Math.round(performance.now() - startedAt), endedAt: now() };
}
