import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { runAgent, type SkillwrightError, type TraceEvent } from '../../packages/skillwright/src/index.ts';
import {
  createTraceFile,
  type TraceFile,
  type TraceFileOptions,
  readTraces,
} from '../../packages/skillwright/src/record/files/trace-file.ts';
import { ADD, modelOf, openThings } from '../agent/scripted-agent.ts';
import { proves } from '../proves.ts';
import { collect } from '../support/execution-sample.ts';
import { createSkillTree } from '../support/skill-tree.ts';
import { sampleEvent, sampleRun } from './trace-sample.ts';

const IS_WINDOWS = process.platform === 'win32';

function open(path: string, options: TraceFileOptions = {}): TraceFile {
  const file = createTraceFile(path, options);
  onTestFinished(() => file.close());
  return file;
}

describe('a trace file', () => {
  const things = openThings();
  afterEach(() => things.closeAll());

  it("stores an agent's events unchanged, and returns them", async () => {
    proves('S3.trace.stored');
    const path = createSkillTree().path('traces/agent.jsonl');
    const file = open(path);
    const told: TraceEvent[] = [];
    const model = await things.scripted([{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: 'Three.' }]);
    await runAgent({
      model: modelOf(model, 'openai-chat'),
      input: 'Add.',
      tools: [ADD],
      onTrace(event) {
        told.push(event);
        file.listener(event);
      },
    });
    await file.close();
    expect(told.map(({ type }) => type)).toEqual(['llm_call', 'tool_call', 'llm_call', 'run_end']);
    expect(await collect(readTraces(path))).toEqual(told);
    expect(file.dropped).toBe(0);
  });

  it.skipIf(IS_WINDOWS)('touches nothing before the first event, and only its owner can read it', async () => {
    const path = createSkillTree().path('deep/er/traces.jsonl');
    const file = open(path);
    expect(existsSync(path)).toBe(false);
    file.listener(sampleEvent('llm_call'));
    await file.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is rotated when it is full, and read from the oldest file on', async () => {
    const path = createSkillTree().path('traces.jsonl');
    for (let index = 0; index < 4; index += 1) {
      const file = open(path, { maxFileBytes: 200 });
      file.listener(sampleEvent('skill_loaded', index, { bytes: index }));
      await file.close();
    }
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['', '.1', '.2', '.3'].map((end) => `traces.jsonl${end}`));
    const events = await collect(readTraces(path));
    expect(events.map(({ data }) => ('bytes' in data ? data.bytes : -1))).toEqual([0, 1, 2, 3]);
  });

  it('is shared by several writers without broken lines', async () => {
    const path = createSkillTree().path('traces.jsonl');
    const files = [open(path), open(path), open(path)];
    for (let index = 0; index < 100; index += 1)
      for (const [number, file] of files.entries())
        for (const event of sampleRun(`run-${number}`, index)) file.listener(event);
    await Promise.all(files.map((file) => file.close()));
    const reading = readTraces(path);
    expect(await collect(reading)).toHaveLength(100 * 3 * sampleRun().length);
    expect(reading.damage).toEqual({ torn: 0, garbage: 0 });
  });

  it('has a limited backlog while the disk is slow: more events are dropped, counted and reported once', async () => {
    const path = createSkillTree().path('traces.jsonl');
    const errors: SkillwrightError[] = [];
    const file = open(path, { maxWaitingBytes: 10_000, onError: (error) => errors.push(error) });
    // Nothing can be written before this loop ends.
    for (let index = 0; index < 1_000; index += 1) file.listener(sampleEvent('llm_call', index));
    await file.close();
    const written = await collect(readTraces(path));
    expect(written.length).toBeGreaterThan(10);
    expect(written.length + file.dropped).toBe(1_000);
    expect(statSync(path).size).toBeLessThanOrEqual(10_000);
    expect(errors).toMatchObject([{ code: 'RecordingFailed' }]);
  });

  it('writes a single event of any size, with its fields truncated', async () => {
    const path = createSkillTree().path('traces.jsonl');
    const file = open(path, { maxWaitingBytes: 10, maxFieldBytes: 100 });
    file.listener(sampleEvent('tool_call', 0, { result: 'é'.repeat(10_000) }));
    await file.close();
    expect(file.dropped).toBe(0);
    const [event] = await collect(readTraces(path));
    expect(event?.data).toMatchObject({ result: `${'é'.repeat(50)}[truncated]` });
  });

  it.each([
    ['a value that refers to itself', circular()],
    ['a value that JSON cannot hold', { fn: () => 1, big: 10n, bytes: new Uint8Array(3) }],
    [
      'a field that throws',
      {
        get bad(): string {
          throw new Error('no');
        },
      },
    ],
    ['a million entries', { list: Array.from({ length: 1_000_000 }, () => 0) }],
  ])('accepts a context with %s', async (_what, context) => {
    const path = createSkillTree().path('traces.jsonl');
    const file = open(path);
    file.listener(sampleEvent('skill_activated', 0, { context }));
    await file.close();
    expect(await collect(readTraces(path))).toHaveLength(1);
    expect(statSync(path).size).toBeLessThan(200_000);
  });

  it('drops values that are not events', async () => {
    const path = createSkillTree().path('traces.jsonl');
    const errors: SkillwrightError[] = [];
    const file = open(path, { onError: (error) => errors.push(error) });
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    for (const value of [undefined, null, 5, 'x', {}, { type: 'llm_call' }, throwing]) file.listener(value as never);
    await file.close();
    expect(file.dropped).toBe(7);
    expect(errors).toHaveLength(1);
    expect(existsSync(path)).toBe(false);
  });

  it('never throws if it cannot write, reports it once, and continues when it can', async () => {
    const tree = createSkillTree({ blocked: 'a file' });
    const errors: SkillwrightError[] = [];
    const path = tree.path('blocked/traces.jsonl');
    const file = open(path, {
      onError(error) {
        errors.push(error);
        throw new Error('from the listener');
      },
    });
    for (const event of sampleRun()) file.listener(event);
    await untilDropped(file, sampleRun().length);
    expect(errors).toMatchObject([{ code: 'RecordingFailed', data: { path } }]);
    tree.remove('blocked');
    mkdirSync(tree.path('blocked'));
    file.listener(sampleEvent('llm_call'));
    await file.close();
    expect(await collect(readTraces(path))).toHaveLength(1);
  });

  it('drops events that come after it was closed', async () => {
    const path = createSkillTree().path('traces.jsonl');
    const file = open(path);
    file.listener(sampleEvent('llm_call'));
    await Promise.all([file.close(), file.close()]);
    file.listener(sampleEvent('llm_call'));
    expect(file.dropped).toBe(1);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
  });

  it.each([
    ['', {}],
    ['a\0b', {}],
    ['x', { maxFileBytes: 0 }],
    ['x', { maxWaitingBytes: 1.5 }],
    ['x', { onError: 'no' }],
    ['x', { maxfilebytes: 1 }],
  ])('rejects %j with %j', (path, options) => {
    expect(() => createTraceFile(path, options as TraceFileOptions)).toThrow(
      expect.objectContaining({ code: 'InvalidOptions' }) as Error,
    );
  });
});

describe('reading traces', () => {
  const line = (event: unknown): string => `${JSON.stringify(event)}\n`;

  it('returns nothing if there is no file', async () => {
    const reading = readTraces(createSkillTree().path('none.jsonl'));
    expect({ found: await collect(reading), damage: reading.damage }).toEqual({
      found: [],
      damage: { torn: 0, garbage: 0 },
    });
  });

  it('skips an unfinished last line', async () => {
    const cut = line(sampleEvent('tool_call')).slice(0, 80);
    const tree = createSkillTree({ 'x.jsonl': line(sampleEvent('llm_call')) + cut });
    const reading = readTraces(tree.path('x.jsonl'));
    expect(await collect(reading)).toHaveLength(1);
    expect(reading.damage).toEqual({ torn: 1, garbage: 0 });
  });

  it('counts lines that are not events, whatever they are', async () => {
    const event = sampleEvent('llm_call');
    const { runId: _runId, ...without } = event.data;
    const garbage = [
      'not json',
      '\u0000\u0001\uFFFD',
      '[]',
      'null',
      '{"__proto__":{"type":"llm_call"}}',
      JSON.stringify({ ...event, type: 'toString' }),
      JSON.stringify({ ...event, timestamp: 'yesterday' }),
      JSON.stringify({ ...event, data: [] }),
      JSON.stringify({ ...event, data: without }),
      JSON.stringify({ ...event, data: { ...event.data, durationMs: -1 } }),
      JSON.stringify({ ...event, data: { ...event.data, calls: [1] } }),
      JSON.stringify({ ...event, data: { ...event.data, usage: { input: 1 } } }),
      '['.repeat(100_000),
      line({ ...event, padding: 'x'.repeat(10_000) }).trimEnd(),
    ];
    const tree = createSkillTree({ 'x.jsonl': `${garbage.join('\n')}\n\n${line(event)}` });
    const reading = readTraces(tree.path('x.jsonl'), { maxLineBytes: 5_000 });
    expect(await collect(reading)).toEqual([event]);
    expect(reading.damage).toEqual({ torn: 0, garbage: garbage.length });
  });

  it('throws for anything but a regular file, without blocking', async () => {
    const tree = createSkillTree({ 'directory/': '' });
    const failed = expect.objectContaining({ code: 'RecordingFailed' }) as Error;
    await expect(collect(readTraces(tree.path('directory')))).rejects.toThrow(failed);
    if (IS_WINDOWS || spawnSync('mkfifo', [tree.path('pipe')]).status !== 0) return;
    await expect(collect(readTraces(tree.path('pipe')))).rejects.toThrow(failed);
  });
});

function circular(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

async function untilDropped(file: TraceFile, count: number): Promise<void> {
  while (file.dropped < count)
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
}
