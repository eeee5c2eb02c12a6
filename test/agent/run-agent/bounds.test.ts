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

/** Runs, and then goes on from the history: a strict provider refuses one that is not valid. */
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

/** Says `Well.` once the person has asked on; before that, `turn`. */
function until(turn: ScriptedTurn | ((index: number) => ScriptedTurn)) {
  let index = -1;
  return ({ userText }: { readonly userText: string }): ScriptedTurn => {
    index += 1;
    if (userText === 'And now?') return { text: 'Well.' };
    return typeof turn === 'function' ? turn(index) : turn;
  };
}

describe.each(FORMATS)('on $format, streaming: $stream', (way) => {
  it('a model that never stops is stopped, and told so before', async () => {
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

  it('a model that winds up when it is told has the last word', async () => {
    const model = await things.scripted({
      respond: until((index) =>
        index < 3 ? { calls: [{ name: 'add', arguments: { a: index, b: 1 } }] } : { text: 'Enough.' },
      ),
    });
    const result = await runAndGoOn(model, way, { tools: [ADD], maxTurns: 2 });
    expect(result).toMatchObject({ reason: 'max-turns', text: 'Enough.', rounds: 4 });
  });

  it('a model that repeats the same failing call is stopped', async () => {
    const model = await things.scripted({ respond: until({ calls: [{ name: 'add', arguments: { a: 1 } }] }) });
    const result = await runAndGoOn(model, way, { tools: [ADD] });
    expect(result).toMatchObject({ reason: 'repeated-failures', rounds: 5 });
  });

  it('fifty calls of tools that do not exist are each answered', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => ({ name: `missing_${index}`, arguments: {} }));
    const model = await things.scripted({ respond: until((index) => (index === 0 ? { calls } : { text: 'Sorry.' })) });
    const result = await runAndGoOn(model, way, { tools: [ADD] });
    expect(result).toMatchObject({ reason: 'end', text: 'Sorry.' });
    expect(model.requests[1]?.conversation?.results).toHaveLength(50);
  });

  it('an empty message ends the turn with a reason', async () => {
    const model = await things.scripted({ respond: until({}) });
    expect(await runAndGoOn(model, way, { tools: [ADD] })).toMatchObject({ reason: 'empty', text: '' });
  });

  it('a tool that throws, hangs, or answers 5 MB harms nobody', async () => {
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

  it('a tool that hangs is given up when the time is used up, and the model winds up', async () => {
    const tools = [toolOf('hangs', () => new Promise(() => {}))];
    const model = await things.scripted({
      respond: until((index) => (index === 0 ? { calls: [{ name: 'hangs' }] } : { text: 'Too slow.' })),
    });
    const result = await runAndGoOn(model, way, { tools, maxTime: 100 });
    expect(result).toMatchObject({ text: 'Too slow.' });
    expect(model.requests[1]?.conversation?.results[0]?.text).toMatch(/cancelled/i);
  });

  it('a provider that is busy is asked again', async () => {
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

  it('a provider that is busy and then cuts the answer leaves a reason', async () => {
    const cut: ScriptedTurn = { text: 'Once upon a time there was a model.', fault: { type: 'cut', afterFrames: 3 } };
    const model = await things.scripted([{ fault: { type: 'status', status: 429, retryAfter: 0 } }, cut, cut]);
    const result = await runAgent({ model: modelOf(model, way.format), stream: way.stream, input: 'Go.' });
    expect(result).toMatchObject({ reason: 'model-error' });
    expect(result.error).toBeTruthy();
  });

  it('a key that is refused is not tried twice', async () => {
    const model = await things.scripted([{ fault: { type: 'status', status: 401, message: 'No such key.' } }]);
    const result = await runAgent({ model: modelOf(model, way.format), stream: way.stream, input: 'Go.' });
    expect(result).toMatchObject({ reason: 'model-error', rounds: 1 });
    expect(result.error).toContain('No such key.');
    expect(result.failure).toEqual({ kind: 'status', status: 401, isPassing: false });
    expect(model.requests).toHaveLength(1);
  });
});
