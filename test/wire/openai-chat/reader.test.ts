import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../packages/skillwright/src/wire/openai-chat/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import {
  bytesOf,
  readChunks,
  readText,
  STREAMS,
  streamOf,
  streamText,
  WHOLE,
  wholeResponse,
} from './recorded-streams.ts';

describe('a stream of chat completions', () => {
  it.each(STREAMS)('%s reads the same wherever it is cut in two', (name) => {
    const bytes = bytesOf(streamText(name));
    const whole = readChunks([bytes]);
    const asText = JSON.stringify(whole);
    expect(whole.steps.map(({ frame }) => frame.raw).join('')).toBe(streamText(name));
    for (let at = 0; at <= bytes.length; at += 1)
      expect(JSON.stringify(readChunks([bytes.subarray(0, at), bytes.subarray(at)])), `cut at ${at}`).toBe(asText);
  });

  it.each(STREAMS)('%s reads the same byte by byte', (name) => {
    const bytes = bytesOf(streamText(name));
    expect(readChunks([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(readChunks([bytes]));
  });

  it('reads the same in any chunks, with any line ends', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STREAMS),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat({ max: 4_000 }), { maxLength: 12 }),
        (name, lineEnd, cuts) => {
          const text = streamText(name).replaceAll('\n', lineEnd);
          const bytes = bytesOf(text);
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
          const reading = readChunks(places.slice(1).map((end, at) => bytes.subarray(places[at], end)));
          expect(reading.turn).toEqual(readText(streamText(name)).turn);
          expect(reading.steps.map(({ frame }) => frame.raw).join('')).toBe(text);
        },
      ),
      { numRuns: FUZZ_RUNS },
    );
  });

  it.each(WHOLE)('%s has the same content as the whole response', (name) => {
    expect(readText(streamText(name)).turn).toEqual(openaiChat.readResponse(wholeResponse(name)));
  });

  it('emits events in the order of the content in the response', () => {
    const { events, turn } = readText(streamText('openrouter-reasoning'));
    const kinds = events.map(({ type }) => type);
    expect(kinds).toEqual([
      'start',
      'reasoning',
      'reasoning',
      'text',
      'call-start',
      'call-arguments',
      'call-end',
      'stop',
      'usage',
    ]);
    expect(turn).toMatchObject({
      id: 'gen-1764852006-Qe7',
      model: 'anthropic/claude-sonnet-4.5',
      text: 'On it.',
      reasoning: 'First, the skill.',
      stop: 'tool-calls',
      usage: { input: 410, output: 96, cachedInput: 0, cacheWrite: 128, reasoning: 30 },
    });
  });

  it('has the same calls in its events as in its turn', () => {
    for (const name of STREAMS) {
      const { events, turn } = readText(streamText(name));
      const calls = turn.calls.map((_call, position) => ({
        ...events.flatMap((event) =>
          event.type === 'call-start' && event.call === position ? [{ id: event.id, name: event.name }] : [],
        )[0],
        argumentsText: events
          .map((event) => (event.type === 'call-arguments' && event.call === position ? event.text : ''))
          .join(''),
      }));
      expect(calls, name).toEqual(turn.calls);
      expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(calls.length);
      expect(events.filter(({ type }) => type === 'stop').length).toBe(name === 'error-only' ? 0 : 1);
    }
  });
});

describe('odd servers', () => {
  it('may number every call 0, or none', () => {
    expect(readText(streamText('same-index')).turn.calls.map(({ id }) => id)).toEqual(['call_a', 'call_b']);
    expect(readText(streamText('no-index')).turn.calls).toEqual([
      { id: 'call_ki0xaZ_0', name: 'load_skill', argumentsText: '{"skill":"pdf"}' },
      { id: 'call_ki0xaZ_1', name: 'load_skill', argumentsText: '{"skill":"csv"}' },
    ]);
  });

  it('may give several parts of one call the same id and name', () => {
    const part = (text: string): object => ({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }],
    });
    const { turn } = readText(streamOf('x', [part('{"a"'), part(':1}'), part('')] as never, 'tool_calls'));
    expect(turn.calls).toEqual([{ id: 'a', name: 'f', argumentsText: '{"a":1}' }]);
  });

  it('may use an id twice: the second call gets another one', () => {
    const part = (index: number): object => ({
      tool_calls: [{ index, id: 'a', function: { name: 'f', arguments: '{}' } }],
    });
    const { turn } = readText(streamOf('x', [part(0), part(1)] as never, 'tool_calls'));
    expect(turn.calls.map(({ id }) => id)).toEqual(['a', 'a_2']);
    expect(turn.echo).toMatchObject({ tool_calls: [{ id: 'a' }, { id: 'a_2' }] });
  });

  it('may send arguments that are not text', () => {
    expect(readText(streamText('late-name')).turn.calls[1]).toEqual({
      id: 'c2',
      name: 'search',
      argumentsText: '{"query":"x"}',
    });
  });

  it('may never name a call', () => {
    const { events, turn } = readText(streamOf('x', [{ tool_calls: [{ index: 0, id: 'a' }] }], 'tool_calls'));
    expect(turn.calls).toEqual([{ id: 'a', name: '', argumentsText: '' }]);
    expect(events).toContainEqual({ type: 'call-start', call: 0, id: 'a', name: '' });
  });

  it('may omit [DONE], or the finish reason', () => {
    const text = streamOf('x', [{ content: 'hi' }], 'stop');
    expect(readText(text.replace('data: [DONE]\n\n', '')).turn).toMatchObject({ stop: 'end', error: undefined });
    expect(readText(text.replace('"stop"', 'null')).turn).toMatchObject({ stop: 'other', error: undefined });
  });

  it('may end the last line without a blank line', () => {
    expect(readText(streamText('text').trimEnd()).turn).toEqual(readText(streamText('text')).turn);
  });
});

describe('the content that is sent back to the provider', () => {
  it('has reasoning, signatures and unknown fields', () => {
    expect(readText(streamText('deepseek-reasoning')).turn.echo).toEqual({
      role: 'assistant',
      content: 'I will load it.',
      reasoning_content: 'The user wants PDF tables.',
      tool_calls: [
        { id: 'call_00_Vx', type: 'function', function: { name: 'load_skill', arguments: '{"skill": "pdf"}' } },
      ],
    });
    expect(readText(streamText('no-index')).turn.echo).toMatchObject({
      tool_calls: [{ extra_content: { google: { thought_signature: 'EjQKMgG/' } } }, {}],
    });
  });

  it('keeps empty reasoning, which one provider requires', () => {
    const { turn } = readText(streamOf('x', [{ role: 'assistant', reasoning_content: '' }], 'stop'));
    expect(turn.echo).toEqual({ role: 'assistant', reasoning_content: '' });
  });

  it('keeps reasoning parts with their own signatures separate', () => {
    const detail = (fields: object): object => ({
      reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }],
    });
    const deltas = [
      detail({ text: 'a' }),
      detail({ signature: 's1' }),
      detail({ text: 'b' }),
      detail({ signature: 's2' }),
    ];
    expect(readText(streamOf('x', deltas as never, 'stop')).turn.echo).toMatchObject({
      reasoning_details: [
        { text: 'a', signature: 's1' },
        { text: 'b', signature: 's2' },
      ],
    });
  });

  it('joins content that comes as parts', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    const { turn } = readText(
      streamOf('x', [{ content: [thinking] }, { content: 'yes' }, { content: ' sir' }], 'stop'),
    );
    expect(turn).toMatchObject({ text: 'yes sir', reasoning: 'hm' });
    expect(turn.echo).toMatchObject({
      content: [thinking, { type: 'text', text: 'yes' }, { type: 'text', text: ' sir' }],
    });
  });

  it('is safe with fields named like prototypes', () => {
    const delta = JSON.parse('{"__proto__":{"x":1},"content":"a"}') as Record<string, unknown>;
    const { echo } = readText(streamOf('x', [delta], 'stop')).turn;
    expect(Object.getPrototypeOf(echo)).toBe(Object.prototype);
    expect(JSON.stringify(echo)).toContain('"__proto__":{"x":1}');
  });
});

describe('a failing stream', () => {
  it('reports an error in the middle', () => {
    const { events, turn } = readText(streamText('error-middle'));
    expect(events).toContainEqual({ type: 'error', message: 'Provider disconnected unexpectedly' });
    expect(turn).toMatchObject({ stop: 'error', error: 'Provider disconnected unexpectedly', text: 'Half of' });
  });

  it('reports an error without other content', () => {
    expect(readText(streamText('error-only')).turn).toMatchObject({
      stop: 'error',
      error: 'The server had an error while processing your request.',
      echo: undefined,
    });
    expect(readText('data: {"error":"overloaded"}\n\n').turn.error).toBe('overloaded');
    expect(readText('data: {"error":{"code":7}}\n\n').turn.error).toContain('{"code":7}');
  });

  it.each(['', ': ping\n\n', 'data: {"id":"a","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'])(
    'reports that %j was cut',
    (text) => {
      const { events, turn } = readText(text);
      expect(events.at(-1)).toMatchObject({ type: 'error' });
      expect(turn).toMatchObject({ stop: 'error', error: expect.stringContaining('ended before') as string });
    },
  );

  it('reports a cut inside arguments, and never treats them as complete', () => {
    const text = streamText('parallel-calls');
    const { turn } = readText(text.slice(0, text.indexOf('ty\\":')));
    expect(turn.stop).toBe('error');
    expect(turn.calls.map(({ argumentsText }) => argumentsText)).toEqual(['{"ci']);
  });

  it('reports frames that are not JSON, and continues', () => {
    const { turn, events } = readText(`data: {"id":"a"\n\n${streamText('text')}`);
    expect(events[0]).toMatchObject({ type: 'error', message: expect.stringContaining('not JSON') as string });
    expect(turn.stop).toBe('error');
    expect(turn.text).toContain('Grüße');
  });

  it('ignores JSON that is not a chunk', () => {
    const odd = 'data: 7\n\ndata: []\n\ndata: {}\n\ndata: {"choices":7}\n\ndata: {"choices":[null,{"delta":3}]}\n\n';
    expect(readText(odd + streamText('text')).turn).toEqual(readText(streamText('text')).turn);
  });

  it('reports a finish reason that means an error', () => {
    expect(readText(streamOf('x', [], 'insufficient_system_resource')).turn).toMatchObject({
      stop: 'error',
      error: expect.stringContaining('insufficient_system_resource') as string,
    });
  });

  it('never throws, whatever the bytes', () => {
    const value = fc.jsonValue();
    const chunk = fc.record({
      id: value,
      choices: fc.array(fc.record({ index: fc.constantFrom(0, undefined), delta: value, finish_reason: value })),
      usage: value,
      error: value,
    });
    const delta = fc.record({
      content: value,
      tool_calls: fc.array(fc.record({ index: value, id: value, function: value })),
    });
    const frames = fc.oneof(
      fc.uint8Array(),
      chunk.map((body) => bytesOf(`data: ${JSON.stringify(body)}\n\n`)),
      delta.map((body) => bytesOf(`data: ${JSON.stringify({ choices: [{ delta: body }] })}\n\n`)),
    );
    fc.assert(
      fc.property(fc.array(frames), (chunks) => {
        const { turn } = readChunks(chunks);
        expect(openaiChat.appendTurn({ messages: [] }, turn, []).messages).toHaveLength(1);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
