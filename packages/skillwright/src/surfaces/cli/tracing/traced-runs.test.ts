import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../spec/events/trace.ts';
import { collectRuns } from './traced-runs.ts';

function loaded(runId: string, timestamp = '2026-01-01T00:00:00.000Z'): TraceEvent {
  return { type: 'skill_loaded', timestamp, data: { runId, turnIndex: 0, skillName: 'x', trigger: 'y', bytes: 1 } };
}

async function* streamOf(events: readonly TraceEvent[]): AsyncGenerator<TraceEvent> {
  yield* events;
}

describe('collecting runs', () => {
  it('sorts events into runs, whatever order they come in', async () => {
    const events = [loaded('a'), loaded('b'), loaded('a', '2026-01-01T00:00:02.000Z')];
    const { runs } = await collectRuns(streamOf(events), { isWanted: () => true });
    expect(runs.map(({ runId, durationMs, events: own }) => [runId, durationMs, own.length])).toEqual([
      ['a', 2_000, 2],
      ['b', 0, 1],
    ]);
  });

  it('leaves out the oldest runs when there are too many, and counts their events', async () => {
    const maxSize = 3 * JSON.stringify(loaded('a')).length;
    const events = ['a', 'a', 'b', 'c', 'd'].map((id) => loaded(id));
    const { runs, leftOut } = await collectRuns(streamOf(events), { isWanted: () => true, maxSize });
    expect(runs.map(({ runId }) => runId)).toEqual(['b', 'c', 'd']);
    expect(leftOut).toBe(2);
    const none = await collectRuns(streamOf([loaded('a')]), { isWanted: () => true, maxSize: 10 });
    expect(none).toEqual({ runs: [], leftOut: 1, others: [] });
  });

  it('also returns the ids of the last ten runs that were not selected', async () => {
    const events = Array.from({ length: 30 }, (_, index) => loaded(`run-${index}`));
    const { runs, others } = await collectRuns(streamOf(events), { isWanted: () => false });
    expect(runs).toEqual([]);
    expect(others).toEqual(events.slice(-10).map(({ data }) => data.runId));
  });
});
