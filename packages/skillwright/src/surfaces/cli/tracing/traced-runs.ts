import type { TraceEvent } from '../../../spec/events/trace.ts';
import type { Usage } from '../../../spec/wire.ts';

/** One run of an agent, as far as a trace tells of it. */
export interface TracedRun {
  readonly runId: string;
  /** The run that it worked for, and the call of that run. */
  readonly parent: { readonly runId: string; readonly callId: string } | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly usage: Pick<Usage, 'input' | 'output'>;
  /** Why it ended; `null` if its end was not reported. */
  readonly reason: string | null;
  readonly events: readonly TraceEvent[];
}

export interface TracedRuns {
  /** In the order in which they began. */
  readonly runs: readonly TracedRun[];
  /** Events that there was no room for, the oldest. */
  readonly leftOut: number;
  /** Ids of runs that were not wanted, the last ones. */
  readonly others: readonly string[];
}

export interface TracedRunsOptions {
  /** By the id of a run, or of the one that it worked for. */
  readonly isWanted: (runId: string) => boolean;
  /** Characters of all events together. Default 128 Mi. */
  readonly maxSize?: number;
}

interface CollectedRun {
  readonly events: TraceEvent[];
  size: number;
}

const DEFAULT_MAX_SIZE = 128 * 1024 * 1024;
const OTHERS_KEPT = 10;

/** Sorts events into runs. When there are too many, the oldest runs go first. */
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

/** An event is told when it has ended. What would lie before all dates counts as no time. */
function startOf({ timestamp, data }: TraceEvent): number {
  const end = Date.parse(timestamp);
  const start = 'durationMs' in data ? end - data.durationMs : end;
  return Number.isNaN(new Date(start).getTime()) ? end : start;
}
