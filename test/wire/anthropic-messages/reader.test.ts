import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../../../packages/skillwright/src/wire/anthropic-messages/index.ts';
import type { AssistantTurn, ToolCall, WireEvent } from '../../../packages/skillwright/src/spec/wire.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { proves } from '../../proves.ts';
import {
  decode,
  encode,
  eventsOf,
  MESSAGES,
  raw,
  readSteps,
  readStream,
  readWhole,
  sse,
  sseOf,
  STREAMS,
} from './recorded-streams.ts';

const readText = (text: string) => readSteps([encode(text)]);
const readKept = (name: string) => readSteps([readStream(name)]);
const bytesOf = (bytes: Uint8Array): Uint8Array[] => [...bytes].map((byte) => Uint8Array.of(byte));

/** A turn, without the white space between tokens in arguments. */
function comparable(turn: AssistantTurn): unknown {
  const calls = turn.calls.map((call) => ({ ...call, argumentsText: JSON.parse(call.argumentsText) as unknown }));
  return { ...turn, calls };
}

/** The events of a stream, combined. */
function told(events: readonly WireEvent[]): Pick<AssistantTurn, 'text' | 'reasoning' | 'calls'> {
  const calls: ToolCall[] = [];
  let text = '';
  let reasoning = '';
  for (const event of events) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'reasoning') reasoning += event.text;
    if (event.type === 'call-start') calls[event.call] = { id: event.id, name: event.name, argumentsText: '' };
    if (event.type === 'call-arguments') {
      const call = calls[event.call] as ToolCall;
      calls[event.call] = { ...call, argumentsText: call.argumentsText + event.text };
    }
  }
  return { text, reasoning, calls };
}

describe('a whole message', () => {
  const read = (name: string): AssistantTurn => anthropicMessages.readResponse(readWhole(name));

  it('is read with its text, its id, its model and its usage', () => {
    expect(read('text')).toMatchObject({
      id: 'msg_01Text',
      model: 'claude-opus-5-5',
      text: 'Grüße aus Zürich: 日本語, 👩‍👩‍👧, "quotes" and a \\ backslash.\n\nDone.',
      reasoning: '',
      calls: [],
      stop: 'end',
      usage: { input: 25, output: 41, cachedInput: 0, cacheWrite: 0, reasoning: 0 },
      error: undefined,
    });
  });

  it("is read with its thinking, and its calls in the model's order", () => {
    proves('S4.intercept.anthropic');
    const turn = read('thinking-and-calls');
    expect(turn.reasoning).toBe('Two cities are asked for.\nBoth calls can run together: Zürich and 東京.');
    expect(turn.calls).toEqual([
      { id: 'toolu_01A', name: 'get_weather', argumentsText: '{"city":"Zürich","days":3}' },
      { id: 'toolu_01B', name: 'get_weather', argumentsText: '{"city":"東京","note":"a \\"quoted\\" word"}' },
    ]);
  });

  it('counts input that is read from the cache or written to it as input', () => {
    expect(read('thinking-and-calls').usage).toEqual({
      input: 120 + 2048 + 1024,
      output: 310,
      cachedInput: 1024,
      cacheWrite: 2048,
      reasoning: 88,
    });
  });

  it.each([
    ['text', 'end'],
    ['stop-sequence', 'end'],
    ['thinking-and-calls', 'tool-calls'],
    ['max-tokens', 'length'],
    ['context-window', 'length'],
    ['refusal', 'refusal'],
    ['code-execution-pause', 'pause'],
    ['compaction', 'other'],
    ['web-search', 'end'],
  ])('%s stops with %s', (name, stop) => {
    expect(read(name).stop).toBe(stop);
  });

  it('with calls stops for tool calls, whatever reason it gives', () => {
    for (const stop_reason of ['end_turn', 'pause_turn', 'something new', null, undefined])
      expect(anthropicMessages.readResponse({ ...readWhole('empty-arguments'), stop_reason }).stop).toBe('tool-calls');
  });

  it('distinguishes calls of toolsets from those of tools with the same name', () => {
    expect(read('toolset-and-caller').calls.map(({ name }) => name)).toEqual(['query_database', 'browser.navigate']);
  });

  it('ignores calls that the provider or an MCP server ran', () => {
    for (const name of ['web-search', 'code-execution-pause', 'mcp']) expect(read(name).calls).toEqual([]);
  });

  it('is echoed block by block, unchanged', () => {
    for (const name of MESSAGES) {
      const message = readWhole(name);
      const { content } = read(name).echo as { content: unknown[] };
      expect(content).toEqual(message.content);
    }
  });

  it('has a unique id for every call', () => {
    const call = { type: 'tool_use', name: 't', input: {} };
    const message = { id: 'msg_1', content: [{ ...call, id: 'a' }, { ...call, id: 'a' }, call, { ...call, id: 7 }] };
    const turn = anthropicMessages.readResponse(message);
    expect(turn.calls.map(({ id }) => id)).toEqual(['a', 'a_2', 'toolu_msg_1_2', 'toolu_msg_1_3']);
    expect((turn.echo as { content: { id: string }[] }).content.map(({ id }) => id)).toEqual(
      turn.calls.map(({ id }) => id),
    );
  });

  it.each([
    ['text that is JSON', '{"a":1}', '{"a":1}', { a: 1 }],
    ['text that is not JSON', '{"a":', '{"a":', { INVALID_JSON: '{"a":' }],
    ['a list', [1], '[1]', { INVALID_JSON: '[1]' }],
    ['nothing', undefined, '', {}],
  ])('with %s as input is echoed with an equivalent object', (_what, input, argumentsText, echoed) => {
    const turn = anthropicMessages.readResponse({ content: [{ type: 'tool_use', id: 'a', name: 't', input }] });
    expect(turn.calls).toEqual([{ id: 'a', name: 't', argumentsText }]);
    expect(turn.echo).toMatchObject({ content: [{ input: echoed }] });
  });

  it('stops with the error message of its body if it is an error', () => {
    expect(anthropicMessages.readResponse(readWhole('error-only'))).toMatchObject({
      stop: 'error',
      error: 'Overloaded',
    });
  });

  it.each([
    [{ type: 'error', error: { type: 'api_error' } }, 'api_error'],
    [{ error: 'down for maintenance' }, 'down for maintenance'],
    [{ type: 'error', message: 'no room' }, 'no room'],
    [{ type: 'error' }, 'The provider reported an error without details.'],
    [{ content: 'text' }, 'The provider answered with a message that has no content.'],
    [[], "The provider's answer is not a message."],
    ['<html>', "The provider's answer is not a message."],
    [null, "The provider's answer is not a message."],
  ])('becomes a turn that stopped with an error if it is invalid: %j', (response, error) => {
    expect(anthropicMessages.readResponse(response)).toMatchObject({ stop: 'error', error, calls: [], text: '' });
  });

  it('never throws, whatever its content', () => {
    const block = fc.record(
      { type: fc.constantFrom('text', 'thinking', 'tool_use', 'x'), id: fc.jsonValue(), name: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const message = fc.record({ content: fc.array(fc.oneof(block, fc.jsonValue())), usage: fc.jsonValue() });
    fc.assert(
      fc.property(fc.oneof(message, fc.jsonValue()), (response) => {
        const turn = anthropicMessages.readResponse(response);
        expect(new Set(turn.calls.map(({ id }) => id)).size).toBe(turn.calls.length);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('a stream', () => {
  it.each(STREAMS)('%s reads the same byte by byte as in one piece', (name) => {
    const bytes = readStream(name);
    const whole = readSteps([bytes]);
    expect(readSteps(bytesOf(bytes))).toEqual(whole);
    expect(raw(whole.steps.map(({ frame }) => frame))).toBe(decode(bytes));
  });

  it.each(['text', 'odd-lines', 'error-middle', 'malformed-arguments'])(
    'such as %s reads the same wherever it is cut in two',
    (name) => {
      const bytes = readStream(name);
      const whole = JSON.stringify(readSteps([bytes]));
      for (let cut = 0; cut <= bytes.length; cut += 1)
        expect(JSON.stringify(readSteps([bytes.subarray(0, cut), bytes.subarray(cut)]))).toBe(whole);
    },
  );

  it('reads the same in any chunks, with any line ends', () => {
    const name = fc.constantFrom(...STREAMS);
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(name, lineEnd, fc.array(fc.nat(6_000), { maxLength: 30 }), (kept, end, cuts) => {
        const bytes = encode(decode(readStream(kept)).replaceAll('\n', end));
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((cut, index) => bytes.subarray(at[index], cut));
        const { steps, turn } = readSteps(pieces);
        expect(turn).toEqual(readKept(kept).turn);
        expect(raw(steps.map(({ frame }) => frame))).toBe(decode(bytes));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it.each(MESSAGES)('%s gives the same turn as the whole message', (name) => {
    expect(comparable(readKept(name).turn)).toEqual(comparable(anthropicMessages.readResponse(readWhole(name))));
  });

  it.each(STREAMS)('%s has the same content in its events as in its turn', (name) => {
    const { steps, turn } = readKept(name);
    const events = eventsOf(steps);
    const { text, reasoning, calls } = turn;
    expect(told(events)).toEqual({ text, reasoning, calls });
    expect(events.filter(({ type }) => type === 'start').length).toBe(turn.id === undefined ? 0 : 1);
    const stops = events.flatMap((event) => (event.type === 'stop' ? [event.reason] : []));
    expect(stops).toEqual(turn.stop === 'error' ? [] : [turn.stop]);
    const usages = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    expect(usages).toEqual(turn.stop === 'error' ? [] : [turn.usage]);
  });

  it('uses the token counts at its end instead of those at its start', () => {
    expect(readKept('text-old-usage').turn.usage).toMatchObject({ input: 25, output: 15 });
  });

  it('reads arguments that never came as an empty object, as the provider does', () => {
    expect(eventsOf(readKept('empty-arguments').steps)).toEqual([
      { type: 'start', id: 'msg_01EmptyArgs', model: 'claude-opus-5-5' },
      { type: 'call-start', call: 0, id: 'toolu_01C', name: 'list_channels' },
      { type: 'call-arguments', call: 0, text: '{}' },
      { type: 'call-end', call: 0 },
      { type: 'usage', usage: { input: 300, output: 20, cachedInput: 0, cacheWrite: 0, reasoning: 0 } },
      { type: 'stop', reason: 'tool-calls' },
    ]);
  });

  it('accepts arguments that are complete at the start of their block', () => {
    const block = { type: 'tool_use', id: 'a', name: 't', input: { city: 'Bern' } };
    expect(readText(sseOf([block], 'tool_use')).turn.calls).toEqual([
      { id: 'a', name: 't', argumentsText: '{"city":"Bern"}' },
    ]);
  });

  it('keeps invalid JSON in arguments as the model wrote it, and never treats it as empty', () => {
    const { turn } = readKept('malformed-arguments');
    const text = '{"filename": "poem.txt", "lines": ["Roses ar';
    expect(turn).toMatchObject({
      stop: 'length',
      calls: [{ argumentsText: text }],
      echo: { content: [{ type: 'tool_use', id: 'toolu_01D', input: { INVALID_JSON: text } }] },
    });
  });

  it('reports the container that the next round needs', () => {
    expect(readKept('code-execution-pause').turn.echo).toMatchObject({
      container: 'container_011CPR5CNjB747bTd36fQLFk',
    });
  });

  it('keeps the content that came before an error in the middle', () => {
    const { steps, turn } = readKept('error-middle');
    expect(turn).toMatchObject({ stop: 'error', error: 'Overloaded', text: 'This will not be fini' });
    expect(eventsOf(steps).at(-1)).toEqual({ type: 'error', message: 'Overloaded' });
  });

  it('reports exactly once that it was cut, wherever it was cut before its end', () => {
    const bytes = readStream('thinking-and-calls');
    const end = decode(bytes).indexOf('event: message_delta');
    const cut = encode(decode(bytes).slice(0, end));
    const whole = readSteps([bytes]).turn.calls;
    for (let length = 0; length <= cut.length; length += 7) {
      const { steps, turn } = readSteps([cut.subarray(0, length)]);
      const errors = eventsOf(steps).filter(({ type }) => type === 'error');
      const message = 'The stream of the provider ended before the answer did. Try again.';
      expect(errors).toEqual([{ type: 'error', message }]);
      expect(turn).toMatchObject({ stop: 'error', error: message });
      for (const [index, { argumentsText }] of turn.calls.entries())
        expect(whole[index]?.argumentsText.startsWith(argumentsText)).toBe(true);
      expect(told(eventsOf(steps)).calls).toEqual(turn.calls);
    }
  });

  it('is complete if it is cut after the stop reason', () => {
    const text = decode(readStream('text'));
    const { turn } = readText(text.slice(0, text.indexOf('event: message_stop')));
    expect(turn).toMatchObject({ stop: 'end', error: undefined });
  });

  it('is an error that names the reason if a frame is not JSON', () => {
    const { steps, turn } = readText(`${sse({ type: 'message_start', message: { id: 'm' } })}data: {"type":\n\n`);
    expect(turn.error).toMatch(/^The provider sent a frame that is not JSON: /);
    expect(steps.at(-1)?.frame.data).toBe('{"type":');
  });

  it('ignores frames after its end', () => {
    const { turn } = readText(`${sseOf([{ type: 'text', text: 'a' }], 'end_turn')}data: {"type":\n\n`);
    expect(turn).toMatchObject({ stop: 'end', error: undefined });
  });

  it('emits one start event, even if message_start is repeated', () => {
    const start = (id: string) => ({ type: 'message_start', message: { id } });
    const { steps, turn } = readText(sse(start('msg_1'), start('msg_2'), { type: 'message_stop' }));
    expect(turn.id).toBe('msg_1');
    expect(eventsOf(steps).map(({ type }) => type)).toEqual(['start', 'stop']);
  });

  it('skips unknown events, and events outside blocks', () => {
    const { turn } = readText(
      sse(
        { type: 'message_start', message: 'none' },
        { type: 'content_block_start', index: 0 },
        { type: 'content_block_delta', index: 4, delta: { type: 'text_delta', text: 'lost' } },
        { type: 'content_block_delta', index: 0, delta: 'none' },
        { type: 'content_block_stop', index: 9 },
        { type: 'future_event' },
        { type: 'message_delta' },
        { type: 'message_stop' },
      ).concat('data: [DONE]\n\ndata: 7\n\n'),
    );
    expect(turn).toMatchObject({ stop: 'other', error: undefined, text: '', calls: [] });
  });

  it('never throws, whatever its bytes are', () => {
    const event = fc.record(
      {
        type: fc.constantFrom('message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'error'),
        index: fc.nat(2),
        message: fc.jsonValue(),
        content_block: fc.oneof(fc.constantFrom({ type: 'tool_use' }, { type: 'text' }), fc.jsonValue()),
        delta: fc.oneof(
          fc.record({ type: fc.constantFrom('text_delta', 'input_json_delta', 'x'), partial_json: fc.string() }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: ['type'] },
    );
    const stream = fc.oneof(
      fc.array(event).map((events) => encode(sse(...events))),
      fc.uint8Array({ maxLength: 300 }),
    );
    fc.assert(
      fc.property(stream, (bytes) => {
        // Each reader generates new ids for calls without one.
        const said = (pieces: Iterable<Uint8Array>): readonly string[][] =>
          readSteps(pieces).turn.calls.map(({ name, argumentsText }) => [name, argumentsText]);
        expect(said([bytes])).toEqual(said(bytesOf(bytes)));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
