import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openaiResponses } from '../../../packages/skillwright/src/wire/openai-responses/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { proves } from '../../proves.ts';
import {
  eventsOf,
  raw,
  readSteps,
  readStream,
  readWhole,
  RESPONSES,
  sse,
  stepsOf,
  STREAMS,
} from './recorded-streams.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const CREATED = { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', model: 'm', output: [] } };
const textItem = (text: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

describe('a whole response', () => {
  const read = (name: string) => openaiResponses.readResponse(readWhole(name));

  it('is read with its text, its id, its model and its usage', () => {
    expect(read('text')).toMatchObject({
      id: expect.stringMatching(/^resp_/) as string,
      model: 'gpt-5.1-2025-11-13',
      text: 'Grüße aus Tōkyō 東京 👩‍👩‍👧 — “fine”,\nline two.\u2028end',
      reasoning: '',
      calls: [],
      stop: 'end',
      usage: { input: 36, output: 87, cachedInput: 12, cacheWrite: 3, reasoning: 0 },
      error: undefined,
    });
  });

  it("is read with its reasoning, and its calls in the model's order", () => {
    proves('S4.intercept.responses');
    const turn = read('reasoning-and-parallel-calls');
    expect(turn.reasoning).toBe(
      '**Looking at the question**\n\nTwo cities are asked for.\n\n**Deciding**\n\nBoth calls at once.',
    );
    expect(turn.text).toBe('Let me look.');
    expect(turn.stop).toBe('tool-calls');
    expect(turn.calls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual([
      ['get_weather', '{"city":"São Paulo","unit":"celsius"}'],
      ['get_weather', '{"city":"北京"}'],
      ['list_alerts', ''],
    ]);
    expect(turn.calls.every(({ id }) => id.startsWith('call_'))).toBe(true);
  });

  it('keeps arguments that are not JSON as the model wrote them', () => {
    expect(read('malformed-arguments').calls).toMatchObject([{ name: 'get_weather', argumentsText: '{"city":"Par' }]);
  });

  it.each([
    ['refusal', 'refusal'],
    ['incomplete-length', 'length'],
    ['incomplete-filter', 'content-filter'],
    ['failed', 'error'],
    ['empty-text', 'end'],
    ['no-output', 'end'],
    ['hosted-tools', 'end'],
    ['custom-tool-call', 'tool-calls'],
    ['client-tools', 'tool-calls'],
    ['openrouter', 'tool-calls'],
  ])('%s stops with %s', (name, stop) => {
    expect(read(name).stop).toBe(stop);
  });

  it('reads a refusal as text', () => {
    expect(read('refusal').text).toBe('I’m sorry, but I can’t help with that.');
  });

  it('reports why it failed', () => {
    expect(read('failed').error).toBe('The server had an error while processing your request.');
  });

  it('includes all calls that the client must answer, and none that the provider answers itself', () => {
    expect(read('hosted-tools').calls).toEqual([]);
    expect(read('client-tools').calls.map(({ id, name }) => [id, name])).toEqual([
      ['call_computer1', 'computer_call'],
      [expect.stringMatching(/^mcpr_/), 'mcp_approval_request'],
      ['call_ns1', 'crm.load_skill'],
    ]);
    const local = { type: 'shell_call', call_id: 'c1', environment: { type: 'local' } };
    const search = { type: 'tool_search_call', call_id: 'c2', execution: 'client' };
    const { calls } = openaiResponses.readResponse({ output: [local, search, { ...search, execution: 'server' }] });
    expect(calls.map(({ id }) => id)).toEqual(['c1', 'c2']);
  });

  it('returns its items unchanged for the next round', () => {
    const response = readWhole('hosted-tools');
    expect(openaiResponses.readResponse(response).echo).toBe(response.output);
  });

  it('has a unique id for each call, even if the provider sent none or duplicates', () => {
    const call = { type: 'function_call', name: 'a', arguments: '{}' };
    const { calls, echo } = openaiResponses.readResponse({
      id: 'resp_1',
      output: [
        call,
        { ...call, id: 'fc_1' },
        { ...call, call_id: 'x' },
        { ...call, call_id: 'x' },
        { ...call, call_id: '' },
      ],
    });
    expect(calls.map(({ id }) => id)).toEqual(['call_resp_1_0', 'fc_1', 'x', 'x_2', 'call_resp_1_4']);
    expect((echo as { call_id: string }[]).map((item) => item.call_id)).toEqual([
      'call_resp_1_0',
      'fc_1',
      'x',
      'x_2',
      'call_resp_1_4',
    ]);
  });

  it('converts arguments that are an object, as some servers send them, to text', () => {
    const output = [{ type: 'function_call', call_id: 'c', name: 'a', arguments: { b: 1 } }];
    expect(openaiResponses.readResponse({ output }).calls).toMatchObject([{ argumentsText: '{"b":1}' }]);
  });

  it.each([
    [{ error: { message: 'Bad key.', type: 'invalid_request_error', code: 'invalid_api_key' } }, 'Bad key.'],
    [{ error: { code: 'invalid_prompt', message: "Missing 'model'." }, metadata: null }, "Missing 'model'."],
    [{ error: 'plain words' }, 'plain words'],
    [{ error: { code: 'server_error' } }, 'server_error'],
    [{ error: 7 }, 'The provider reported an error without details.'],
    [{ status: 'failed', error: null, output: [] }, 'The provider reported a failed response without a reason.'],
    [{ id: 'x' }, 'The provider answered with a response that has no output.'],
    [null, "The provider's answer is not a response object."],
    ['text', "The provider's answer is not a response object."],
    [[], "The provider's answer is not a response object."],
  ])('becomes a turn that stopped with an error if it is invalid (%j)', (body, error) => {
    expect(openaiResponses.readResponse(body)).toMatchObject({ stop: 'error', error, calls: [], text: '' });
  });

  it.each(['queued', 'in_progress', 'cancelled'])('has no known stop reason if it is %s', (status) => {
    expect(openaiResponses.readResponse({ status, output: [] }).stop).toBe('other');
  });

  it('may have any content', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const turn = openaiResponses.readResponse(value);
        expect(Array.isArray(turn.calls)).toBe(true);
        openaiResponses.readResponse({ output: [value, { type: 'message', content: value }], usage: value });
        openaiResponses.readResponse({ output: [{ type: 'function_call', arguments: value, name: value }] });
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('may be nested too deep to serialize', () => {
    const deep = JSON.parse('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)) as unknown;
    expect(openaiResponses.readResponse({ output: [{ type: 'function_call', arguments: deep }] }).calls).toMatchObject([
      { argumentsText: '(nested too deep)' },
    ]);
  });
});

describe('a stream', () => {
  it.each(RESPONSES)('%s has the same content as its whole response', (name) => {
    const { turn } = readSteps([readStream(name)]);
    expect(turn).toEqual(openaiResponses.readResponse(readWhole(name)));
  });

  it.each(STREAMS)('%s has the same content in its events as in its turn', (name) => {
    const { steps, turn } = readSteps([readStream(name)]);
    const events = eventsOf(steps);
    const joined = (type: 'text' | 'reasoning'): string =>
      events.flatMap((event) => (event.type === type ? [event.text] : [])).join('');
    expect(events[0]).toEqual({ type: 'start', id: turn.id, model: turn.model });
    expect(events.filter((event) => event.type === 'start')).toHaveLength(1);
    if (name === 'failed') return;
    expect(joined('text')).toBe(turn.text);
    expect(joined('reasoning')).toBe(turn.reasoning);
    const calls = events.flatMap((event) => (event.type === 'call-start' ? [event] : []));
    expect(calls.map(({ id, name: tool }) => [id, tool])).toEqual(turn.calls.map((call) => [call.id, call.name]));
    for (const [index, call] of turn.calls.entries()) {
      const own = events.filter((event) => 'call' in event && event.call === index);
      expect(own.at(-1)).toEqual({ type: 'call-end', call: index });
      const text = own.map((event) => (event.type === 'call-arguments' ? event.text : '')).join('');
      expect(text).toBe(call.argumentsText);
    }
    if (name !== 'error-event') expect(events.at(-1)).toEqual({ type: 'stop', reason: turn.stop });
  });

  it.each(STREAMS)('%s is the same when it is split after every byte', (name) => {
    const bytes = readStream(name);
    const whole = readSteps([bytes]);
    const cut = readSteps(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(cut).toEqual(whole);
    expect(raw(cut.steps.map((step) => step.frame))).toBe(decode(bytes));
  });

  it('is the same when it is split in two at any byte', () => {
    const bytes = readStream('text').slice(0, 4_500);
    const whole = readSteps([bytes]);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(readSteps([bytes.subarray(0, at), bytes.subarray(at)]).turn).toEqual(whole.turn);
  });

  it('is the same however it is split', () => {
    const cuts = fc.tuple(fc.constantFrom(...STREAMS), fc.array(fc.nat(), { maxLength: 30 }));
    fc.assert(
      fc.property(cuts, ([name, numbers]) => {
        const bytes = readStream(name);
        const at = [0, ...numbers.map((number) => number % bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(readSteps(pieces)).toEqual(readSteps([bytes]));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('is the same with CRLF line ends', () => {
    const text = decode(readStream('openrouter')).replaceAll('\n', '\r\n');
    const { steps, turn } = readSteps([new TextEncoder().encode(text)]);
    expect(turn).toEqual(openaiResponses.readResponse(readWhole('openrouter')));
    expect(raw(steps.map((step) => step.frame))).toBe(text);
  });

  it('is an error wherever it is cut, with the text so far, and never has half a call', () => {
    const text = decode(readStream('reasoning-and-parallel-calls'));
    const frames = text.split('\n\n').slice(0, -1);
    for (let count = 0; count < frames.length; count += 1) {
      const { steps, turn } = readSteps([
        new TextEncoder().encode(
          frames
            .slice(0, count)
            .map((f) => `${f}\n\n`)
            .join(''),
        ),
      ]);
      expect(turn.stop).toBe('error');
      expect(turn.error).toBe('The stream of the provider ended before the answer did. Try again.');
      expect(eventsOf(steps).filter((event) => event.type === 'error')).toHaveLength(1);
      expect('Let me look.'.startsWith(turn.text)).toBe(true);
      const ended = eventsOf(steps).filter((event) => event.type === 'call-end').length;
      expect(turn.calls.length - ended).toBeLessThanOrEqual(1);
    }
  });

  it('is an error if it is cut inside a frame or a character', () => {
    const bytes = readStream('text');
    const inside = bytes.indexOf(0xf0) + 2;
    const { steps, turn } = readSteps([bytes.subarray(0, inside)]);
    expect(turn).toMatchObject({
      stop: 'error',
      error: 'The stream of the provider ended before the answer did. Try again.',
    });
    expect(eventsOf(steps).filter((event) => event.type === 'error')).toHaveLength(1);
  });

  it('reports an error in the middle once, with its message', () => {
    const { steps, turn } = readSteps([readStream('failed')]);
    const message = 'The server had an error while processing your request.';
    expect(eventsOf(steps).filter((event) => event.type === 'error')).toEqual([{ type: 'error', message }]);
    expect(turn.error).toBe(message);
    expect(readSteps([readStream('error-event')]).turn).toMatchObject({
      stop: 'error',
      error: 'Rate limit reached for gpt-5.1. Try again in 2s.',
    });
    expect(readSteps([new TextEncoder().encode(sse({ error: { message: 'Upstream down.' } }))]).turn.error).toBe(
      'Upstream down.',
    );
  });

  it('reports a frame that is not JSON, and continues', () => {
    const done = {
      type: 'response.completed',
      response: { id: 'resp_1', status: 'completed', output: [textItem('Hi')] },
    };
    const { steps, turn } = readSteps([new TextEncoder().encode(`${sse(CREATED)}data: {"type":"resp\n\n${sse(done)}`)]);
    expect(eventsOf(steps).map((event) => event.type)).toEqual(['start', 'error', 'text', 'stop']);
    expect(turn).toMatchObject({
      text: 'Hi',
      stop: 'error',
      error: expect.stringContaining('not JSON') as string,
    });
  });

  it('still has its items if the last event omits them', () => {
    const done = { type: 'response.output_item.done', output_index: 0, item: textItem('Hi') };
    for (const output of [[], undefined, null]) {
      const end = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output } };
      const { steps, turn } = readSteps([new TextEncoder().encode(sse(CREATED, done, end))]);
      expect(turn).toMatchObject({ text: 'Hi', stop: 'end', echo: [textItem('Hi')] });
      expect(eventsOf(steps)).toContainEqual({ type: 'text', text: 'Hi' });
    }
  });

  it('may name its events only in the data', () => {
    const frames = [
      `event: response.created\ndata: {"response":{"id":"r","model":"m"}}\n\n`,
      `event: response.done\ndata: {"response":{"id":"r","status":"completed","output":[]}}\n\n`,
    ];
    expect(readSteps([new TextEncoder().encode(frames.join(''))]).turn).toMatchObject({ id: 'r', stop: 'end' });
  });

  it('distinguishes two calls with one id', () => {
    const item = { type: 'function_call', call_id: 'same', name: 'a', arguments: '{}' };
    const events = [0, 1].map((index) => ({ type: 'response.output_item.done', output_index: index, item }));
    const end = { type: 'response.completed', response: { status: 'completed', output: [item, item] } };
    const { steps, turn } = readSteps([new TextEncoder().encode(sse(CREATED, ...events, end))]);
    const started = eventsOf(steps).flatMap((event) => (event.type === 'call-start' ? [event.id] : []));
    expect(started).toEqual(['same', 'same_2']);
    expect(turn.calls.map((call) => call.id)).toEqual(started);
  });

  it('is read without throwing, whatever its events', () => {
    const key = fc.constantFrom(
      'type',
      'response',
      'item',
      'output_index',
      'delta',
      'error',
      'output',
      'id',
      'content',
    );
    const type = fc.constantFrom(
      'response.created',
      'response.completed',
      'response.output_item.added',
      'response.output_item.done',
      'response.output_text.delta',
      'function_call',
      'message',
      'error',
    );
    const { value } = fc.letrec<{ value: unknown; record: object }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        type,
        fc.nat(3),
        fc.constant(null),
        fc.array(tie('value')),
        tie('record'),
      ),
      record: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), (values) => {
        const steps = stepsOf(values.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(''));
        expect(steps.length).toBeGreaterThan(0);
        const writer = openaiResponses.createStreamWriter({
          isHidden: (name) => name === 'message',
          includesUsage: true,
        });
        for (const step of steps) writer.write(step);
        writer.nextRound();
        for (const step of steps) writer.write(step);
        writer.finish();
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
