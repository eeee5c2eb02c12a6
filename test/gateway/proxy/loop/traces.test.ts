import { describe, expect, it, vi } from 'vitest';
import { createTraceLog } from '../../../../packages/gateway/src/ledger/trace-log.ts';
import { startHousekeeping } from '../../../../packages/gateway/src/store/housekeeping.ts';
import type { StoredTrace, TraceSummary } from '../../../../packages/gateway/src/store/tables/trace-table.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { openTestStore } from '../../store/data-directory.ts';
import { createLoopClient, KINDS } from './loop-client.ts';
import { SAMPLE_SKILLS, startLoop, type Loop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const USAGE = { input: 100, output: 10, cachedInput: 0, reasoning: 0 };
const SCRIPT: readonly ScriptedTurn[] = [
  { calls: [{ name: 'load_skill', arguments: { skill: 'word-count' } }], usage: USAGE },
  { calls: ['secret words', 'fail'].map((text) => ({ name: 'echo', arguments: { text } })), usage: USAGE },
  { text: 'Done with secrets.', usage: USAGE },
];
const TASK = 'Count the words of my secret text.';
const FIRST = { page: 1, limit: 10 };

function start(script: readonly ScriptedTurn[] = SCRIPT): Promise<Loop> {
  return startLoop({ model: { script }, config: { skills: SAMPLE_SKILLS }, handlers: [ECHO_HANDLER] });
}

/** Waits for the only trace to be written, and returns it. */
async function onlyTrace({ gateway: { store } }: Loop): Promise<StoredTrace> {
  const data = await vi.waitUntil(async () => {
    const page = await store.traces.list({}, FIRST);
    return page.total === 0 ? undefined : page.data;
  }, 20_000);
  expect(data).toHaveLength(1);
  const trace = await store.traces.get(data[0]?.id ?? '');
  expect(trace).toMatchObject({ ...data[0] });
  return trace as StoredTrace;
}

describe.each(KINDS)('a turn in $format, streaming: $stream', (kind) => {
  it('writes a trace of what happened without any text of the conversation', async () => {
    const loop = await start();
    const headers = { 'x-skillwright-session': 'my-session' };
    await createLoopClient({ url: loop.url, ...kind, headers }).say(TASK);
    const trace = await onlyTrace(loop);
    expect(trace).toMatchObject({
      tenant: 'anonymous',
      session: 'my-session',
      format: kind.format,
      model: 'some-model',
      rounds: 3,
      inputTokens: 300,
      outputTokens: 30,
      error: null,
    });
    expect(trace.skills).toContain('word-count');
    expect(trace.skills).toContain('echo');
    const types = trace.events.map(({ type }) => type).filter((type) => type !== 'skill_activated');
    expect(types.toSorted()).toEqual(
      [
        'llm_call',
        'tool_call',
        'skill_loaded',
        'llm_call',
        'tool_call',
        'tool_call',
        'tool_error',
        'llm_call',
        'run_end',
      ].toSorted(),
    );
    const dataOf = (type: string): unknown => trace.events.find((event) => event.type === type)?.data;
    expect(dataOf('skill_activated')).toMatchObject({ runId: trace.id, trigger: 'task_match' });
    expect(dataOf('skill_loaded')).toMatchObject({ skillName: 'word-count', trigger: 'load_skill' });
    expect(dataOf('tool_error')).toMatchObject({ toolName: 'echo', code: 'ExecutionFailed', error: '' });
    expect(dataOf('run_end')).toMatchObject({ reason: 'end', rounds: 3 });
    expect(trace.events.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))).toBe(true);
    expect(JSON.stringify(trace)).not.toMatch(/secret|Count the words/);
  });
});

it('a trace has the input and output of tools when content is on, but not the user’s text', async () => {
  const loop = await start();
  await loop.gateway.store.settings.update({ traceContent: true });
  await createLoopClient({ url: loop.url, format: 'openai-chat', stream: false }).say(TASK);
  const text = JSON.stringify(await onlyTrace(loop));
  expect(text).toContain('echo of secret words');
  expect(text).not.toMatch(/my secret text|Done with secrets/);
});

it('records why a turn failed', async () => {
  const loop = await start([{ fault: { type: 'status', status: 401, message: 'No such key.' } }]);
  await createLoopClient({ url: loop.url, format: 'openai-chat', stream: false }).say(TASK);
  const trace = await onlyTrace(loop);
  expect(trace.error).toContain('No such key.');
  expect((await loop.gateway.store.traces.list({ failed: true }, FIRST)).total).toBe(1);
  expect((await loop.gateway.store.traces.list({ failed: false }, FIRST)).total).toBe(0);
});

it('bounds the trace of a turn with very many calls, and keeps its end', async () => {
  const calls = Array.from({ length: 100 }, (_, index) => ({
    name: 'echo',
    arguments: { text: `${index}`.repeat(4_000) },
  }));
  const loop = await start([...Array.from({ length: 10 }, () => ({ calls })), { text: 'Done.' }]);
  await loop.gateway.store.settings.update({ traceContent: true });
  await createLoopClient({ url: loop.url, format: 'openai-chat', stream: false }).say(TASK);
  const { events } = await onlyTrace(loop);
  expect(events.length).toBeLessThanOrEqual(501);
  expect(events.at(-1)?.type).toBe('run_end');
  expect(JSON.stringify(events).length).toBeLessThan(1_000_000);
});

it('writes pending traces when the gateway closes', async () => {
  const { gateway, url, close } = await start();
  await createLoopClient({ url, format: 'openai-chat', stream: false }).say(TASK);
  await close();
  const store = await openTestStore(gateway.config.data);
  expect((await store.traces.list({}, FIRST)).total).toBe(1);
});

function traceOf(id: string, more: Partial<StoredTrace> = {}): StoredTrace {
  const parts: Omit<TraceSummary, 'id'> = {
    tenant: 'anonymous',
    session: null,
    startedAt: 1_000,
    durationMs: 5,
    model: 'm',
    format: 'gemini',
    rounds: 1,
    inputTokens: null,
    outputTokens: null,
    skills: [],
    error: null,
  };
  return { id, ...parts, events: [], ...more };
}

describe('the trace table', () => {
  it('lists the newest first, page by page, with filters', async () => {
    const { traces } = await openTestStore();
    const all = [1, 2, 3].map((place) =>
      traceOf(`t${place}`, {
        startedAt: place,
        tenant: place === 2 ? 'key' : 'other',
        session: `s${place}`,
        model: `m${place}`,
      }),
    );
    await traces.add(all);
    const ids = async (filter: Parameters<typeof traces.list>[0], page = FIRST): Promise<readonly string[]> =>
      (await traces.list(filter, page)).data.map(({ id }) => id);
    expect(await ids({})).toEqual(['t3', 't2', 't1']);
    expect(await ids({}, { page: 2, limit: 2 })).toEqual(['t1']);
    expect(await ids({ tenant: 'key' })).toEqual(['t2']);
    expect(await ids({ session: 's1' })).toEqual(['t1']);
    expect(await ids({ model: 'm3' })).toEqual(['t3']);
    expect(await ids({ since: 2 })).toEqual(['t3', 't2']);
    expect(await traces.get('t9')).toBeUndefined();
    expect((await traces.list({}, { page: 1, limit: 2 })).totalPages).toBe(2);
  });

  it('removes old traces', async () => {
    const store = await openTestStore();
    const day = 86_400_000;
    await store.traces.add([traceOf('old', { startedAt: day }), traceOf('new', { startedAt: 3 * day })]);
    const onError = vi.fn<(error: unknown) => void>();
    const end = startHousekeeping(store, { now: () => 4 * day, executionDays: 30, traceDays: 2, onError });
    await vi.waitFor(
      async () => expect((await store.traces.list({}, FIRST)).data.map(({ id }) => id)).toEqual(['new']),
      20_000,
    );
    await end();
    expect(onError).not.toHaveBeenCalled();
  });
});

describe('the trace log', () => {
  it('writes traces that arrive together in one batch', async () => {
    const written: (readonly StoredTrace[])[] = [];
    const log = createTraceLog({ add: async (traces) => void written.push(traces) }, { onError: () => undefined });
    for (let count = 0; count < 120; count += 1) log.add(traceOf(String(count)));
    expect(written).toEqual([]);
    await log.close();
    expect(written.map(({ length }) => length)).toEqual([50, 50, 20]);
    log.add(traceOf('late'));
    await log.close();
    expect(written).toHaveLength(3);
  });

  it('continues when the database fails, and holds a bounded number of traces', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    let count = 0;
    const add = async (traces: readonly StoredTrace[]): Promise<void> => {
      count += traces.length;
      throw new RangeError('full');
    };
    const log = createTraceLog({ add }, { onError, delayMs: 60_000 });
    for (let index = 0; index < 5_000; index += 1) log.add(traceOf(String(index)));
    await log.close();
    expect(count).toBe(2_000);
    expect(onError).toHaveBeenCalledTimes(40);
  });
});
