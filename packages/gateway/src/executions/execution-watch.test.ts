import { expect, it } from 'vitest';
import type { StoredExecution } from '../store/tables/execution-rows.ts';
import { createExecutionFeed } from './execution-watch.ts';
import type { ExecutionEvent } from './executor.ts';

const RUNNING = { id: 'e', status: 'running' } as StoredExecution;
const ENDED = { id: 'e', status: 'success' } as StoredExecution;
const NEVER = new AbortController().signal;

async function collect(events: AsyncIterable<ExecutionEvent>): Promise<string[]> {
  const told: string[] = [];
  for await (const event of events) told.push(event.type === 'status' ? event.execution.status : event.text);
  return told;
}

it('replays missed events to late watchers, and ends after the final status', async () => {
  const feed = createExecutionFeed();
  feed.status(RUNNING);
  feed.output('stdout', 'one');
  const early = collect(feed.watch(NEVER));
  await Promise.resolve();
  feed.output('stdout', 'two');
  feed.status(ENDED);
  feed.end();
  const expected = ['running', 'one', 'two', 'success'];
  expect(await early).toEqual(expected);
  expect(await collect(feed.watch(NEVER))).toEqual(expected);
});

it('keeps the newest output, and marks where output was dropped', async () => {
  const feed = createExecutionFeed();
  feed.status(RUNNING);
  for (let part = 0; part < 200; part += 1) feed.output('stdout', String(part % 10).repeat(1_000));
  feed.output('stderr', 'x'.repeat(200_000));
  feed.output('stdout', 'last');
  feed.status(ENDED);
  feed.end();
  const told = await collect(feed.watch(NEVER));
  expect(told[0]).toBe('running');
  expect(told[1]).toBe('[earlier output left out]\n');
  expect(told.slice(-2)).toEqual(['last', 'success']);
  expect(told.join('').length).toBeLessThan(70_000);
});

it('ends only the watcher whose client is gone', async () => {
  const feed = createExecutionFeed();
  const gone = new AbortController();
  const leaving = collect(feed.watch(gone.signal));
  const staying = collect(feed.watch(NEVER));
  feed.status(RUNNING);
  await Promise.resolve();
  gone.abort();
  expect((await leaving).length).toBeLessThanOrEqual(1);
  feed.end();
  expect(await staying).toEqual(['running']);
});
