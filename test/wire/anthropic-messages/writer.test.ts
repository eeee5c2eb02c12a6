import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../../../packages/skillwright/src/wire/anthropic-messages/index.ts';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriterOptions } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import {
  checkStream,
  decode,
  encode,
  HIDES_SKILLS,
  parseEvents,
  raw,
  readSteps,
  readStream,
  readWhole,
  SHOWS_ALL,
  sse,
  sseOf,
  STREAMS,
  writeRounds,
  writeStream,
} from './recorded-streams.ts';

const createWriter = (options: StreamWriterOptions = HIDES_SKILLS) => anthropicMessages.createStreamWriter(options);
const merge = (...names: readonly string[]): WireBody =>
  anthropicMessages.mergeResponses(names.map((name) => ({ response: readWhole(name), ...HIDES_SKILLS })));
const text = (words: string): WireBody => ({ type: 'text', text: words });
const call = (name: string): WireBody => ({ type: 'tool_use', id: `toolu_${name}`, name, input: {} });

describe('one round without hidden calls', () => {
  it.each(STREAMS.filter((name) => name !== 'odd-lines'))('%s passes through byte for byte', (name) => {
    expect(writeRounds([readStream(name)], SHOWS_ALL)).toBe(decode(readStream(name)));
  });

  it('ends with a blank line even if its last frame lacks one', () => {
    expect(writeRounds([readStream('odd-lines')], SHOWS_ALL)).toBe(`${decode(readStream('odd-lines'))}\n\n`);
  });

  it('is not delayed: visible content is sent with its frame', () => {
    const writer = createWriter(SHOWS_ALL);
    const { steps } = readSteps([readStream('thinking-and-calls')]);
    const counts = steps.map((step) => writer.write(step).length);
    expect(counts.slice(0, -2).every((count) => count === 1)).toBe(true);
    expect(counts.slice(-2)).toEqual([0, 0]);
    expect(raw(writer.finish())).toMatch(/^event: message_delta\n.*\n\nevent: message_stop\n/);
  });

  it('passes on at once usage that the provider reports before the end', () => {
    const early = sse({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 3 } });
    const stream = sseOf([text('a')], 'end_turn').replace(
      'event: content_block_start',
      `${early}event: content_block_start`,
    );
    const writer = createWriter();
    expect(writeStream(writer, stream)).toContain(early);
  });
});

describe('several rounds in one stream', () => {
  const ROUNDS = ['round-1', 'round-2', 'round-3'] as const;

  it('become one message: one start, consecutive blocks, one end', () => {
    const message = checkStream(writeRounds(ROUNDS.map(readStream), HIDES_SKILLS));
    expect(message.id).toBe('msg_01Round1');
    expect((message.content as WireBody[]).map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'thinking',
      'text',
      'text',
    ]);
    expect(message.stop_reason).toBe('end_turn');
  });

  it('report the usage of the first round at the start, and the total at the end', () => {
    const events = parseEvents(writeRounds(ROUNDS.map(readStream), HIDES_SKILLS));
    expect(events[0]?.message?.usage).toMatchObject({ input_tokens: 100, cache_creation_input_tokens: 1000 });
    expect(events.at(-2)?.usage).toEqual({
      input_tokens: 100 + 150 + 220,
      cache_creation_input_tokens: 1000,
      cache_read_input_tokens: 2000,
      output_tokens: 40 + 60 + 20,
      output_tokens_details: { thinking_tokens: 17 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    });
  });

  it('report the input of all rounds even if the provider reported it only at the start', () => {
    const old = readStream('text-old-usage');
    expect(checkStream(writeRounds([old, old, old], HIDES_SKILLS)).usage).toEqual({
      input_tokens: 75,
      output_tokens: 45,
    });
  });

  it('concatenate lists of iterations', () => {
    const stream = sseOf([text('a')], 'end_turn', {
      output_tokens: 1,
      iterations: [{ type: 'message', output_tokens: 1 }],
    });
    const { usage } = checkStream(writeRounds([stream, stream], HIDES_SKILLS));
    const iteration = { type: 'message', output_tokens: 1 };
    expect(usage).toEqual({ input_tokens: 2, output_tokens: 2, iterations: [iteration, iteration] });
  });

  it('have the same content as their merged messages', () => {
    for (const names of [
      ROUNDS,
      ['round-1', 'round-mixed'],
      ['round-2'],
      ['round-1', 'text', 'unknown-things'],
    ] as const) {
      const { usage, ...message } = checkStream(writeRounds(names.map(readStream), HIDES_SKILLS));
      const { usage: whole, ...merged } = merge(...names);
      expect(message).toMatchObject({
        ...merged,
        content: (merged.content as WireBody[]).map(({ type }) => ({ type })),
      });
      expect(whole).toMatchObject(usage as WireBody);
    }
  });

  it('contain no trace of hidden calls', () => {
    const stream = writeRounds(ROUNDS.map(readStream), HIDES_SKILLS);
    expect(stream).not.toMatch(/_skill|toolu_|partial_json|discord/);
  });

  it('change only the bytes that need a patch', () => {
    const stream = writeRounds(['round-1', 'unknown-things'].map(readStream), HIDES_SKILLS);
    expect(stream).toContain(': a comment of a proxy\n\n');
    expect(stream).toContain('data: {"type":"weather_report","index":0,"sky":"clear"}\nid: 7\nretry: 3000\n\n');
    expect(stream).toContain('data: {"type":"content_block_stop","index":3       }\n\n');
    expect(stream).toContain('"index":3,"content_block":{"type":"hologram","shape":{"z":[1,2.5,null]}');
  });

  it('patch the index of a block wherever it is in the JSON', () => {
    const message = checkStream(
      writeRounds([readStream('round-1'), readStream('odd-lines')], HIDES_SKILLS).replaceAll('data:{', 'data: {'),
    );
    expect((message.content as WireBody[]).map(({ type }) => type)).toEqual(['thinking', 'text', 'text', 'tool_use']);
    expect(message.stop_reason).toBe('tool_use');
  });

  it('pass the client its own calls of a mixed turn, with the stop reason for calls', () => {
    const message = checkStream(writeRounds(['round-1', 'round-mixed'].map(readStream), HIDES_SKILLS));
    expect(message.stop_reason).toBe('tool_use');
    expect((message.content as WireBody[]).filter(({ type }) => type === 'tool_use')).toEqual([
      { type: 'tool_use', id: 'toolu_01L', name: 'get_weather', input: { city: 'Basel' } },
    ]);
  });

  it('do not stop for tool use if they end with hidden calls', () => {
    const message = checkStream(writeRounds([readStream('round-2')], HIDES_SKILLS));
    expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 150, output_tokens: 60 } });
  });

  it.each(['pause_turn', 'max_tokens', 'refusal', 'model_context_window_exceeded'])('may end with %s', (reason) => {
    const last = sseOf([text('so far')], reason);
    expect(checkStream(writeRounds([readStream('round-1'), last], HIDES_SKILLS)).stop_reason).toBe(reason);
  });

  it('keep the calls of toolsets, whose names are not ours', () => {
    const options = { isHidden: (name: string) => name === 'navigate', includesUsage: true };
    expect(checkStream(writeRounds([readStream('toolset-and-caller')], options)).content).toHaveLength(3);
  });

  it('end the stream only once, even if a server sends a second end', () => {
    const stream = `${sseOf([text('a')], 'end_turn')}data: [DONE]\n\n`;
    const written = writeRounds([stream, stream], HIDES_SKILLS);
    expect(written.match(/\[DONE\]/g)).toHaveLength(1);
    checkStream(written.replace('data: [DONE]\n\n', ''));
  });

  it('are valid for any blocks in any number of rounds', () => {
    const block = fc.constantFrom(text('a'), call('use_skill'), call('get_weather'), { type: 'hologram' });
    const rounds = fc.array(fc.array(block, { maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(rounds, (contents) => {
        const streams = contents.map((blocks) => sseOf(blocks, 'tool_use', { output_tokens: 2 }));
        const message = checkStream(writeRounds(streams, HIDES_SKILLS));
        const visible = contents.flat().filter(({ name }) => name !== 'use_skill');
        expect(message.content).toEqual(visible);
        expect(message.usage).toEqual({ input_tokens: contents.length, output_tokens: 2 * contents.length });
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('a failing stream', () => {
  const ERROR =
    /^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"The skill broke\."\}\}\n\n$/;

  it('sends an error event after the first frame, and nothing follows it', () => {
    const writer = createWriter();
    writeStream(writer, readStream('round-1'));
    expect(raw(writer.fail('The skill broke.'))).toMatch(ERROR);
    expect([...writer.fail('Again.'), ...writer.finish(), ...writer.nextRound()]).toEqual([]);
    expect(writeStream(writer, readStream('round-2'))).toBe('');
  });

  it('sends an error event also if no frame was sent before', () => {
    expect(raw(createWriter().fail('The skill broke.'))).toMatch(ERROR);
  });

  it("keeps the provider's own message", () => {
    const writer = createWriter();
    const written = writeStream(writer, readStream('error-middle'));
    expect(written + raw(writer.fail('Overloaded'))).toBe(decode(readStream('error-middle')));
  });

  it('sends no error in a round that is retried', () => {
    const writer = createWriter();
    writeStream(writer, readStream('round-1'));
    writer.nextRound();
    expect(writeStream(writer, readStream('error-only')) + raw(writer.nextRound())).toBe('');
    expect(writeStream(writer, readStream('round-3'))).not.toBe('');
  });

  it('hides frames that are not JSON from the client', () => {
    const start = sse({ type: 'message_start', message: { id: 'm', content: [], stop_reason: null } });
    const broken = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"te\n\n';
    const writer = createWriter();
    expect(writeStream(writer, `${start}${broken}event: x\ndata: {\n\n`)).toBe(start);
  });

  it('hides parts of blocks that never started from the client', () => {
    const piece = { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a' } };
    const stop = { type: 'content_block_stop', index: 1 };
    expect(writeStream(createWriter(), sse(piece, { ...piece, type: 'x' }, stop))).toBe(sse({ ...piece, type: 'x' }));
  });

  it('leaves a valid message if the writer ends it after a cut', () => {
    const bytes = readStream('round-1');
    for (let length = 600; length < bytes.length; length += 97) {
      const writer = createWriter();
      const written = writeStream(writer, bytes.subarray(0, length)) + raw(writer.finish());
      expect(checkStream(written).stop_reason).toBe('end_turn');
    }
  });

  it('closes an open block before the next round starts', () => {
    const writer = createWriter();
    const cut = decode(readStream('text')).split('event: content_block_stop')[0] ?? '';
    const written = writeStream(writer, cut) + raw(writer.nextRound()) + writeStream(writer, readStream('round-3'));
    expect(checkStream(written + raw(writer.finish())).content).toHaveLength(2);
  });

  it('sends nothing when no round sent anything', () => {
    expect(createWriter().finish()).toEqual([]);
  });

  it('never throws, whatever the frames are', () => {
    const type = fc.constantFrom('message_start', 'content_block_start', 'content_block_stop', 'message_delta', 'x');
    const event = fc.record({ type, index: fc.jsonValue(), delta: fc.jsonValue(), usage: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const stream = encode(sse(...events));
        expect(writeRounds([stream, stream], HIDES_SKILLS)).toBeTypeOf('string');
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('a silent stream', () => {
  it('is kept alive with pings, which clients of this format skip', () => {
    expect(createWriter().keepAlive()).toEqual({
      event: 'ping',
      data: '{"type": "ping"}',
      raw: 'event: ping\ndata: {"type": "ping"}\n\n',
    });
  });
});
