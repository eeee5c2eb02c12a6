import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { gemini } from '../../../packages/skillwright/src/wire/gemini/index.ts';
import { parseArguments } from '../../../packages/skillwright/src/wire/json/json-text.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import {
  arrayText,
  bytesOf,
  chunksOf,
  rawOf,
  readChunks,
  type Reading,
  readText,
  sseText,
  STREAMS,
  streamText,
  WHOLE,
  wholeResponse,
} from './recorded-streams.ts';

const FRAMED = STREAMS.filter((name) => name !== 'error-unframed');

/** A reading as text, because thousands are compared. */
function told(reading: Reading): string {
  return JSON.stringify(reading);
}

/** A chunk with these parts. */
function chunk(parts: readonly unknown[], finishReason?: string): WireBody {
  const end = finishReason === undefined ? {} : { finishReason };
  return { candidates: [{ content: { parts, role: 'model' }, ...end, index: 0 }], responseId: 'r' };
}

describe('a stream of generated content', () => {
  it.each(STREAMS)('%s reads the same wherever it is cut in two', (name) => {
    const text = streamText(name);
    const bytes = bytesOf(text);
    const whole = readChunks([bytes]);
    const wanted = told(whole);
    expect(rawOf(whole.steps)).toBe(text);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(told(readChunks([bytes.subarray(0, at), bytes.subarray(at)])), `cut at ${at}`).toBe(wanted);
  });

  it.each(STREAMS)('%s reads the same byte by byte', (name) => {
    const bytes = bytesOf(streamText(name));
    expect(readChunks([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(readChunks([bytes]));
  });

  it.each(FRAMED)('%s reads the same as an array, wherever that is cut', (name) => {
    const chunks = chunksOf(streamText(name));
    const text = `\uFEFF \n${arrayText(chunks, 0)}`;
    const bytes = bytesOf(text);
    const whole = readChunks([bytes]);
    const wanted = told(whole);
    expect(rawOf(whole.steps)).toBe(text);
    expect(whole.turn).toEqual(readText(streamText(name)).turn);
    expect(whole.events).toEqual(readText(streamText(name)).events);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(told(readChunks([bytes.subarray(0, at), bytes.subarray(at)])), `cut at ${at}`).toBe(wanted);
    expect(readChunks([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it('reads the same in any chunks, with any line ends, in either framing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FRAMED),
        fc.constantFrom('\n', '\r\n', '\r', 'array'),
        fc.array(fc.nat({ max: 4_000 }), { maxLength: 12 }),
        (name, lineEnd, cuts) => {
          const given = streamText(name);
          const text = lineEnd === 'array' ? arrayText(chunksOf(given)) : given.replaceAll('\n', lineEnd);
          const bytes = bytesOf(text);
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
          const reading = readChunks(places.slice(1).map((end, at) => bytes.subarray(places[at], end)));
          expect(reading.turn).toEqual(readText(given).turn);
          expect(rawOf(reading.steps)).toBe(text);
        },
      ),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('never throws and never loses text, whatever the text is', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('data: ', '{', '}', '[', ']', ',', '"', '\\', '\n\n', '{"candidates":[{"content":{"parts":['),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const { steps, turn } = readChunks(pieces.map(bytesOf));
        expect(rawOf(steps)).toBe(pieces.map((text) => text.toWellFormed()).join(''));
        expect(turn.stop).toBe('error');
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it.each(WHOLE)('%s has the same content as the whole response', (name) => {
    const { echo: _streamed, ...streamed } = readText(streamText(name)).turn;
    const { echo: _whole, ...whole } = gemini.readResponse(wholeResponse(name));
    expect(streamed).toEqual(whole);
  });

  it.each(WHOLE)('%s gives events that add up to the turn', (name) => {
    const { events, turn } = readText(streamText(name));
    const joined = (type: 'text' | 'reasoning'): string =>
      events.map((event) => (event.type === type ? event.text : '')).join('');
    expect(joined('text')).toBe(turn.text);
    expect(joined('reasoning')).toBe(turn.reasoning);
    const calls = turn.calls.map(({ id, name: tool }, call) => ({
      id,
      name: tool,
      argumentsText: events
        .map((event) => (event.type === 'call-arguments' && event.call === call ? event.text : ''))
        .join(''),
    }));
    expect(calls).toEqual(turn.calls);
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'stop')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(turn.calls.length);
  });
});

describe('the content of a turn', () => {
  it('counts the last usage, with thoughts as output and results of hosted tools as input', () => {
    expect(readText(streamText('thinking')).turn).toMatchObject({
      id: 'bX8xaZ2tHYGrz7IPgoaR6Q8',
      model: 'gemini-3-pro-preview',
      text: 'The answer is 7.',
      reasoning: '**Weighing it**\n\nThe user wants a prime.',
      stop: 'end',
      usage: { input: 30, output: 79, cachedInput: 0, cacheWrite: 0, reasoning: 74 },
    });
    expect(readText(streamText('hosted-tools')).turn.usage).toMatchObject({ input: 142, output: 25 });
    expect(readText(streamText('text')).turn.usage).toMatchObject({ cachedInput: 8 });
  });

  it('echoes parts unchanged, and keeps a signature in a separate part', () => {
    expect(readText(streamText('thinking')).turn.echo).toEqual({
      parts: [
        { text: '**Weighing it**\n\nThe user wants a prime.', thought: true },
        { text: 'The answer is 7.' },
        { text: '', thoughtSignature: 'EpwECpkEAXLI2nyA7c0Xw==' },
      ],
      role: 'model',
    });
    for (const name of ['hosted-tools', 'parallel-calls', 'partial-arguments', 'round-mixed'])
      expect(readText(streamText(name)).turn.echo, name).toEqual(
        (wholeResponse(name).candidates as readonly WireBody[])[0]?.content,
      );
  });

  it('echoes a whole response unchanged, except empty parts', () => {
    const content = { parts: [{ text: 'a' }, { text: 'b' }, { text: '' }, { other: 1 }], role: 'model', more: true };
    const { echo } = gemini.readResponse({ candidates: [{ content, finishReason: 'STOP' }] });
    expect(echo).toEqual({ parts: [{ text: 'a' }, { text: 'b' }, { other: 1 }], role: 'model', more: true });
    expect(gemini.readResponse(wholeResponse('empty-text')).echo).toBeUndefined();
    expect(gemini.readResponse({ candidates: [{ content: { parts: [{ text: 'x' }] } }] }).echo).toEqual({
      parts: [{ text: 'x' }],
      role: 'model',
    });
  });

  it('generates unique ids by position if the provider sent none', () => {
    expect(readText(streamText('calls-without-ids')).turn.calls).toEqual([
      { id: 'call_nO1dsYfOKq2R7dcP_0', name: 'list_files', argumentsText: '{}' },
      { id: 'call_nO1dsYfOKq2R7dcP_1', name: 'read_file', argumentsText: '{"path":"a.md"}' },
      { id: 'call_nO1dsYfOKq2R7dcP_2', name: 'read_file', argumentsText: '{"path":"a.md"}' },
    ]);
    const twice = chunk([{ functionCall: { name: 'a', id: 'x' } }, { functionCall: { name: 'b', id: 'x' } }], 'STOP');
    expect(gemini.readResponse(twice).calls.map(({ id }) => id)).toEqual(['x', 'x_2']);
  });

  it('reads arguments that come in pieces', () => {
    expect(readText(streamText('partial-arguments')).turn).toMatchObject({
      stop: 'tool-calls',
      calls: [
        {
          id: 'fc_p1',
          argumentsText:
            '{"room":{"name":"Salle «Bleue»"},"seats":12,"days":["Mo","Tu"],"catering":false,"re: note":null}',
        },
        { id: 'fc_p2', argumentsText: '{}' },
      ],
    });
  });

  it.each([
    ['an index far beyond the end of a list', [{ jsonPath: '$.a[4000000000]', numberValue: 1 }]],
    ['a list with a gap', [{ jsonPath: '$.a[3]', numberValue: 1 }]],
    ['an invalid path', [{ jsonPath: 'a', numberValue: 1 }]],
    ['a path with trailing text', [{ jsonPath: '$.a!', numberValue: 1 }]],
    ['no path', [{ numberValue: 1 }]],
    ['no value', [{ jsonPath: '$.a' }]],
    ['the whole object', [{ jsonPath: '$', stringValue: 'x' }]],
    [
      'a field of a text',
      [
        { jsonPath: '$.a', stringValue: 'x' },
        { jsonPath: '$.a.b', stringValue: 'y' },
      ],
    ],
    [
      'a field of a list',
      [
        { jsonPath: '$.a[0]', stringValue: 'x' },
        { jsonPath: '$.a.b', stringValue: 'y' },
      ],
    ],
    ['nonsense', ['x', null]],
  ])('rejects pieces of arguments that name %s', (_case, partialArgs) => {
    const { calls } = gemini.readResponse(chunk([{ functionCall: { name: 'a', partialArgs } }], 'STOP'));
    expect(parseArguments(calls[0]?.argumentsText ?? '').ok).toBe(false);
  });

  it('treats __proto__ as an ordinary key', () => {
    const partialArgs = [{ jsonPath: '$.__proto__.polluted', stringValue: 'yes' }];
    const { calls } = gemini.readResponse(chunk([{ functionCall: { name: 'a', partialArgs } }], 'STOP'));
    expect(calls[0]?.argumentsText).toBe('{"__proto__":{"polluted":"yes"}}');
    expect(({} as WireBody).polluted).toBeUndefined();
  });

  it('never treats an incomplete call as one with complete arguments', () => {
    const opened = chunk([{ functionCall: { name: 'a', willContinue: true } }]);
    const more = chunk([
      { functionCall: { partialArgs: [{ jsonPath: '$.b', stringValue: 'c' }], willContinue: true } },
    ]);
    for (const chunks of [
      [opened, chunk([], 'MAX_TOKENS')],
      [opened, more, chunk([], 'MAX_TOKENS')],
      [opened, more],
      [opened, more, chunk([{ functionCall: { name: 'd', args: {} } }], 'STOP')],
    ]) {
      const { turn } = readText(sseText(chunks));
      expect(parseArguments(turn.calls[0]?.argumentsText ?? '').ok).toBe(false);
    }
    expect(readText(sseText([opened, more, chunk([], 'MAX_TOKENS')])).turn.stop).toBe('length');
  });

  it.each([
    ['text', '{"city":', '{"city":'],
    ['a list', ['x'], '["x"]'],
    ['a number', 7, '7'],
  ])('never treats arguments that are %s as empty', (_case, args, text) => {
    const { calls } = gemini.readResponse(chunk([{ functionCall: { name: 'a', args } }], 'STOP'));
    expect(calls[0]?.argumentsText).toBe(text);
    expect(parseArguments(text).ok).toBe(false);
  });

  it('does not throw on arguments that are nested too deep to serialize', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const text = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"b":${deep}}}}]},"finishReason":"STOP"}]}\n\n`;
    expect(parseArguments(readText(text).turn.calls[0]?.argumentsText ?? '').ok).toBe(false);
  });

  it.each([
    ['safety', 'content-filter', undefined],
    ['prompt-blocked', 'content-filter', undefined],
    ['max-tokens', 'length', undefined],
    ['malformed-call', 'error', 'Malformed function call: print(default_api.get_weather(city=)'],
    ['parallel-calls', 'tool-calls', undefined],
    ['empty-text', 'end', undefined],
  ])('%s stops with %s', (name, stop, error) => {
    expect(readText(streamText(name)).turn).toMatchObject({ stop, error });
    expect(gemini.readResponse(wholeResponse(name))).toMatchObject({ stop, error });
  });

  it.each([
    ['RECITATION', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['UNEXPECTED_TOOL_CALL', 'error'],
    ['OTHER', 'other'],
    ['CONTINUATION', 'length'],
    ['SOMETHING_NEW', 'other'],
  ])('reads the reason %s as %s', (finishReason, stop) => {
    expect(gemini.readResponse(chunk([{ text: 'a' }], finishReason)).stop).toBe(stop);
  });

  it('reads only the first of several candidates', () => {
    expect(readText(streamText('two-candidates')).turn.text).toBe('Heads.');
  });
});

describe('a failing stream', () => {
  it.each([
    ['error-middle', 'The model is overloaded. Please try again later.'],
    ['error-only', 'The model is overloaded. Please try again later.'],
    ['error-unframed', 'Resource has been exhausted (e.g. check quota).'],
  ])('%s reports the error of the provider', (name, message) => {
    const { events, turn } = readText(streamText(name));
    expect(turn).toMatchObject({ stop: 'error', error: message });
    expect(events.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', message }]);
  });

  it.each([
    ['a bare object', '{"error":{"code":400,"message":"No."}}'],
    ['an array', '[{"error":{"code":400,"message":"No."}}]'],
    ['an array in an event', 'data: [{"error":{"code":400,"message":"No."}}]\n\n'],
  ])('reads an error in %s', (_case, text) => {
    expect(readText(text).turn).toMatchObject({ stop: 'error', error: 'No.' });
  });

  it('reports a cut anywhere before its end', () => {
    const text = streamText('text');
    const bytes = bytesOf(text);
    const end = bytesOf(text.slice(0, text.lastIndexOf('data: '))).length;
    for (let at = 0; at <= end; at += 1) {
      const { turn, events } = readChunks([bytes.subarray(0, at)]);
      expect(turn, `cut at ${at}`).toMatchObject({
        stop: 'error',
        error: expect.stringContaining('ended before') as string,
      });
      expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
    }
  });

  it('reports a cut inside an element of an array', () => {
    const text = arrayText(chunksOf(streamText('text')));
    expect(readText(text.slice(0, -40)).turn).toMatchObject({
      stop: 'error',
      error: expect.stringContaining('ended before') as string,
    });
  });

  it('accepts a last frame that lacks its blank line', () => {
    expect(readText(streamText('text').trimEnd()).turn).toEqual(readText(streamText('text')).turn);
  });

  it('reports the frame that is not JSON, and continues', () => {
    const broken = `data: {"candidates":[}\n\n${streamText('text')}`;
    const { turn, events } = readText(broken);
    expect(turn).toMatchObject({ stop: 'error', error: expect.stringContaining('not JSON') as string });
    expect(turn.text).toContain('Done.');
    expect(events[0]).toMatchObject({ type: 'error' });
    expect(readText(`[{"a":]},${JSON.stringify(chunk([{ text: 'b' }], 'STOP'))}]`).turn).toMatchObject({
      stop: 'error',
      text: 'b',
    });
  });

  it('gives up on an element that never ends', () => {
    const reader = gemini.createStreamReader();
    const steps = [...reader.read(bytesOf('[{"a":"')), ...reader.read(bytesOf('x'.repeat(34_000_000)))];
    expect(steps.flatMap(({ events }) => events)).toEqual([
      { type: 'error', message: expect.stringContaining('longer than') as string },
    ]);
    expect(reader.read(bytesOf('more'))).toEqual([]);
    expect(reader.end()).toEqual([]);
    expect(reader.turn().stop).toBe('error');
  });

  it.each([undefined, null, 'no', 7, [], {}, { candidates: [] }, { candidates: 'x' }, [null]])(
    'reports an error for a body without an answer: %j',
    (response) => {
      expect(gemini.readResponse(response)).toMatchObject({ stop: 'error', calls: [], echo: undefined });
    },
  );

  it('never throws on a response of any shape', () => {
    const part = fc.oneof(
      fc.jsonValue(),
      fc.record({ functionCall: fc.jsonValue(), text: fc.jsonValue(), thought: fc.jsonValue() }, { requiredKeys: [] }),
    );
    const response = fc.record({
      candidates: fc.oneof(fc.jsonValue(), fc.array(fc.record({ content: fc.record({ parts: fc.array(part) }) }))),
      promptFeedback: fc.jsonValue(),
      usageMetadata: fc.jsonValue(),
    });
    fc.assert(
      fc.property(response, (given) => {
        const before = JSON.stringify(given);
        expect(gemini.readResponse(given).stop).toBeDefined();
        expect(JSON.stringify(given)).toBe(before);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
