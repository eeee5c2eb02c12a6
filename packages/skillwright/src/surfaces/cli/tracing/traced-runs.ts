import type { TraceEvent } from '../../../spec/events/trace.ts';
import type { Usage } from '../../../spec/wire.ts';

/** One run of an agent, as far as the trace shows. */
export interface TracedRun {
  readonly runId: string;
  /** The run that started this one, and the call that did so. */
  readonly parent: { readonly runId: string; readonly callId: string } | null;
  /** An ISO 8601 date. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly usage: Pick<Usage, 'input' | 'output'>;
  /** Why the run ended; `null` if its end was not reported. */
  readonly reason: string | null;
  readonly events: readonly TraceEvent[];
}

export interface TracedRuns {
  /** The runs, in the order in which they started. */
  readonly runs: readonly TracedRun[];
  /** How many events of the oldest runs were dropped to save memory. */
  readonly leftOut: number;
  /** The ids of the last runs that were not wanted. */
  readonly others: readonly string[];
}

export interface TracedRunsOptions {
  /** Decides by the id of a run or of its parent whether the run is wanted. */
  readonly isWanted: (runId: string) => boolean;
  /** The most characters of all events together. Default 128 Mi. */
  readonly maxSize?: number;
}

interface CollectedRun {
  readonly events: TraceEvent[];
  size: number;
}

const DEFAULT_MAX_SIZE = 128 * 1024 * 1024;
const OTHERS_KEPT = 10;

/** Groups events by run. If there are too many events, drops the oldest runs. */
export async function collectRuns(
  events: AsyncIterable<TraceEvent>,
  { isWanted, maxSize = DEFAULT_MAX_SIZE }: TracedRunsOptions,
): Promise<TracedRuns> {
  const collected = new Map<string, CollectedRun>();
  const others = new Set<string>();
  let room = maxSize;
  let leftOut = 0;
  for await (const event of events) {
    const { runId, parentRunId } = event.data;
    if (!isWanted(runId) && (parentRunId === undefined || !isWanted(parentRunId))) {
      others.delete(runId);
      others.add(runId);
      const [oldest] = others.size > OTHERS_KEPT ? others : [];
      if (oldest !== undefined) others.delete(oldest);
      continue;
    }
    const run = collected.get(runId) ?? { events: [], size: 0 };
    collected.set(runId, run);
    const size = JSON.stringify(event).length;
    run.events.push(event);
    run.size += size;
    room -= size;
    while (room < 0 && collected.size > 0) {
      const [oldest = '', dropped] = collected.entries().next().value ?? [];
      collected.delete(oldest);
      room += dropped?.size ?? 0;
      leftOut += dropped?.events.length ?? 0;
    }
  }
  const runs = [...collected].map(([runId, run]) => toRun(runId, run.events));
  return { runs, leftOut, others: [...others] };
}

function toRun(runId: string, events: readonly TraceEvent[]): TracedRun {
  const starts = events.map(startOf);
  const ends = events.map(({ timestamp }) => Date.parse(timestamp));
  const start = starts.reduce((least, moment) => Math.min(least, moment), Infinity);
  const end = ends.reduce((most, moment) => Math.max(most, moment), -Infinity);
  const requests = events.flatMap(({ type, data }) => (type === 'llm_call' ? [data] : []));
  const calls = events.flatMap(({ type, data }) => (type === 'tool_call' ? [data] : []));
  const total = (part: 'input' | 'output'): number =>
    requests.reduce((sum, { usage }) => sum + (usage?.[part] ?? 0), 0);
  const { parentRunId, parentCallId = '' } = events[0]?.data ?? {};
  return {
    runId,
    parent: parentRunId === undefined ? null : { runId: parentRunId, callId: parentCallId },
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(end).toISOString(),
    durationMs: end - start,
    requests: requests.length,
    toolCalls: calls.length,
    failedCalls: calls.filter(({ isError }) => isError).length,
    usage: { input: total('input'), output: total('output') },
    reason: events.flatMap(({ type, data }) => (type === 'run_end' ? [data.reason] : [])).at(-1) ?? null,
    events,
  };
}

/**
 * The time at which an event started: events are logged when they end. A duration that would give an invalid date is
 * ignored.
 */
function startOf({ timestamp, data }: TraceEvent): number {
  const end = Date.parse(timestamp);
  const start = 'durationMs' in data ? end - data.durationMs : end;
  return Number.isNaN(new Date(start).getTime()) ? end : start;
}
