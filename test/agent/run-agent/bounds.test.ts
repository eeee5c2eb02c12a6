import { afterEach, describe, expect, it } from 'vitest';
import {
  runAgent,
  type AgentEvent,
  type AgentResult,
  type RunAgentOptions,
  type TraceEvent,
} from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedModel, ScriptedTurn } from '../../../packages/skillwright/src/testing/index.ts';
import { ADD, modelOf, openThings, toolOf } from '../scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const FORMATS = WIRE_FORMATS.flatMap((format) => [true, false].map((stream) => ({ format, stream })));

/** Runs, and then continues from the history: a strict provider refuses an invalid one. */
async function runAndGoOn(
  model: ScriptedModel,
  { format, stream }: (typeof FORMATS)[number],
  options: Omit<RunAgentOptions, 'model' | 'input'>,
): Promise<AgentResult> {
  const given = { model: modelOf(model, format), stream, ...options };
  const result = await runAgent({ ...given, input: 'Go.' });
  const { signal: _signal, maxTime: _maxTime, ...rest } = given;
  const next = await runAgent({ ...rest, input: 'And now?', history: result.messages });
  expect(next).toMatchObject({ reason: 'end', text: 'Well.' });
  return result;
}

/** Says `Well.` in response to the next question; before that, plays `turn`. */
function until(turn: ScriptedTurn | ((index: number) => ScriptedTurn)) {
  let index = -1;
  return ({ userText }: { readonly userText: string }): ScriptedTurn => {
    index += 1;
    if (userText === 'And now?') return { text: 'Well.' };
    return typeof turn === 'function' ? turn(index) : turn;
  };
}

describe.each(FORMATS)('runAgent on $format, streaming: $stream', (way) => {
  it('stops a model that continues to call tools after it was told to finish', async () => {
    const model = await things.scripted({ respond: until({ calls: [{ name: 'add', arguments: { a: 1, b: 1 } }] }) });
    const traces: TraceEvent[] = [];
    const result = await runAndGoOn(model, way, { tools: [ADD], maxTurns: 3, onTrace: (event) => traces.push(event) });
    expect(result).toMatchObject({ reason: 'max-turns', rounds: 5 });
    const calls = traces.filter(({ type, data }) => type === 'tool_call' && data.runId === result.runId);
    expect(calls.map(({ data }) => 'isError' in data && data.isError)).toEqual([false, false, false, true, true]);
    const end = traces.find(({ type }) => type === 'run_end');
    expect(end?.data).toMatchObject({ reason: 'max-turns', rounds: 5, usage: result.usage });
    const told = model.requests.at(-2)?.conversation?.messages.at(-1)?.results ?? [];
    expect(JSON.stringify(model.requests.map(({ conversation }) => conversation?.results))).toContain('used up');
    expect(told).toBeDefined();
  });

  it('returns the last answer of a model that finishes when it is told to', async () => {
    const model = await things.scripted({
      respond: until((index) =>
        index < 3 ? { calls: [{ name: 'add', arguments: { a: index, b: 1 } }] } : { text: 'Enough.' },
      ),
    });
    const result = await runAndGoOn(model, way, { tools: [ADD], maxTurns: 2 });
    expect(result).toMatchObject({ reason: 'max-turns', text: 'Enough.', rounds: 4 });
  });

  it('stops a model that repeats the same failing call', async () => {
    const model = await things.scripted({ respond: until({ calls: [{ name: 'add', arguments: { a: 1 } }] }) });
    const result = await runAndGoOn(model, way, { tools: [ADD] });
    expect(result).toMatchObject({ reason: 'repeated-failures', rounds: 5 });
  });

  it('answers each of fifty calls of tools that do not exist', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => ({ name: `missing_${index}`, arguments: {} }));
    const model = await things.scripted({ respond: until((index) => (index === 0 ? { calls } : { text: 'Sorry.' })) });
    const result = await runAndGoOn(model, way, { tools: [ADD] });
    expect(result).toMatchObject({ reason: 'end', text: 'Sorry.' });
    expect(model.requests[1]?.conversation?.results).toHaveLength(50);
  });

  it('ends the turn with a reason after an empty message', async () => {
    const model = await things.scripted({ respond: until({}) });
    expect(await runAndGoOn(model, way, { tools: [ADD] })).toMatchObject({ reason: 'empty', text: '' });
  });

  it('survives a tool that throws, hangs, or returns 5 MB', async () => {
    const tools = [
      toolOf('throws', () => {
        throw new TypeError('nothing here');
      }),
      toolOf('rejects', () => {
        throw 'plain words' as unknown as Error;
      }),
      toolOf('floods', () => 'x'.repeat(5_000_000)),
      toolOf('cycles', () => {
        const self: Record<string, unknown> = {};
        self['self'] = self;
        return self;
      }),
    ];
    const calls = tools.map(({ name }) => ({ name }));
    const model = await things.scripted({ respond: until((index) => (index === 0 ? { calls } : { text: 'Done.' })) });
    const result = await runAndGoOn(model, way, { tools });
    expect(result.reason).toBe('end');
    const [threw, rejected, flooded, cycled] = model.requests[1]?.conversation?.results ?? [];
    expect(threw?.text).toContain('nothing here');
    expect(rejected?.text).toContain('plain words');
    expect(flooded?.text.length).toBeLessThan(50_000);
    expect(cycled?.text).toContain('JSON');
  });

  it('gives up on a hanging tool at the time limit, and lets the model finish', async () => {
    const tools = [toolOf('hangs', () => new Promise(() => {}))];
    const model = await things.scripted({
      respond: until((index) => (index === 0 ? { calls: [{ name: 'hangs' }] } : { text: 'Too slow.' })),
    });
    const result = await runAndGoOn(model, way, { tools, maxTime: 100 });
    expect(result).toMatchObject({ text: 'Too slow.' });
    expect(model.requests[1]?.conversation?.results[0]?.text).toMatch(/cancelled/i);
  });

  it('retries a request when the provider is busy', async () => {
    const busy: ScriptedTurn = { fault: { type: 'status', status: 429, retryAfter: 0 } };
    const model = await things.scripted([busy, { fault: { type: 'status', status: 500 } }, { text: 'At last.' }]);
    const events: AgentEvent[] = [];
    const result = await runAgent({
      model: modelOf(model, way.format),
      stream: way.stream,
      input: 'Go.',
      onEvent: (event) => events.push(event),
    });
    expect(result).toMatchObject({ reason: 'end', text: 'At last.', rounds: 1 });
    expect(events.filter(({ type }) => type === 'round-start')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([
      { round: 0, attempt: 2, delayMs: 0, error: expect.stringContaining('429') as string },
      { round: 0, attempt: 3, error: expect.stringContaining('500') as string },
    ]);
  });

  it('reports the reason when a provider is busy and then cuts its response', async () => {
    const cut: ScriptedTurn = { text: 'Once upon a time there was a model.', fault: { type: 'cut', afterFrames: 3 } };
    const model = await things.scripted([{ fault: { type: 'status', status: 429, retryAfter: 0 } }, cut, cut]);
    const result = await runAgent({ model: modelOf(model, way.format), stream: way.stream, input: 'Go.' });
    expect(result).toMatchObject({ reason: 'model-error' });
    expect(result.error).toBeTruthy();
  });

  it('does not retry a rejected key', async () => {
    const model = await things.scripted([{ fault: { type: 'status', status: 401, message: 'No such key.' } }]);
    const result = await runAgent({ model: modelOf(model, way.format), stream: way.stream, input: 'Go.' });
    expect(result).toMatchObject({ reason: 'model-error', rounds: 1 });
    expect(result.error).toContain('No such key.');
    expect(result.failure).toEqual({ kind: 'status', status: 401, isPassing: false });
    expect(model.requests).toHaveLength(1);
  });
});
