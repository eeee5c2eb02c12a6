import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriterOptions, WireRound } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';
import { openaiResponses } from '../../../packages/skillwright/src/wire/openai-responses/index.ts';
import {
  checkStream,
  parseEvents,
  raw,
  readStream,
  readWhole,
  RESPONSES,
  SHOWS_ALL,
  sse,
  STREAMS,
  stepsOf,
  writeRounds,
  writeStream,
} from './recorded-streams.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const isHidden = (name: string): boolean => name === 'load_skill' || name === 'use_skill';

/** The client's request: its own tools, and nothing about skills. */
const CLIENT_BODY: WireBody = {
  model: 'gpt-5.1',
  instructions: 'Answer briefly.',
  input: 'How warm is it in Łódź?',
  reasoning: { effort: 'medium' },
  store: false,
  tools: [{ type: 'function', name: 'get_weather' }],
};
const HIDING: StreamWriterOptions = { isHidden, includesUsage: true, clientBody: CLIENT_BODY };
const rounds = (...names: readonly string[]): Uint8Array[] => names.map(readStream);
const wholes = (...names: readonly string[]): WireRound[] =>
  names.map((name) => ({ response: readWhole(name), isHidden, clientBody: CLIENT_BODY }));

type Item = Readonly<Record<string, unknown>>;
const typesOf = (response: Item): unknown[] => (response.output as Item[]).map((item) => item.type);
const itemAt = (response: Item, index: number): Item => (response.output as Item[])[index] ?? {};

describe('the stream of one round with nothing to hide', () => {
  it.each(STREAMS)('%s reaches the client byte for byte', (name) => {
    expect(writeRounds([readStream(name)], SHOWS_ALL)).toBe(decode(readStream(name)));
  });

  it('reaches the client byte for byte, even if the request is known', () => {
    const clientBody = { instructions: 'Answer briefly.', tool_choice: 'auto', input: 'Hi', store: false };
    const options = { ...SHOWS_ALL, clientBody };
    expect(writeRounds([readStream('text')], options)).toBe(decode(readStream('text')));
  });

  it.each(['text', 'reasoning-and-parallel-calls', 'refusal', 'hosted-tools', 'incomplete-length', 'no-output'])(
    'is valid: %s',
    (name) => {
      expect(checkStream(writeRounds([readStream(name)], SHOWS_ALL))).toEqual(readWhole(name));
    },
  );

  it('keeps its line ends, comments and end marker', () => {
    const stream = decode(readStream('openrouter')).replaceAll('\n', '\r\n');
    expect(writeRounds([stream], SHOWS_ALL)).toBe(stream);
  });
});

describe('the streams of several rounds', () => {
  it('become one valid stream, with the first id and the total usage', () => {
    const stream = writeRounds(rounds('round-1', 'round-2', 'round-3'), HIDING);
    const final = checkStream(stream);
    expect(final.id).toBe(readWhole('round-1').id);
    expect(final.created_at).toBe(readWhole('round-1').created_at);
    expect(typesOf(final)).toEqual(['reasoning', 'message', 'reasoning', 'reasoning', 'message']);
    expect(final.usage).toEqual({
      input_tokens: 920,
      input_tokens_details: { cache_write_tokens: 100, cached_tokens: 520 },
      output_tokens: 95,
      output_tokens_details: { reasoning_tokens: 35 },
      total_tokens: 1015,
    });
  });

  it('contain nothing of hidden tools, instructions and calls', () => {
    const stream = writeRounds(rounds('round-1', 'round-2', 'round-mixed'), HIDING);
    for (const secret of ['load_skill', 'use_skill', 'Available Skills', 'scripts/read.py'])
      expect(stream).not.toContain(secret);
    for (const event of parseEvents(stream)) {
      const response = event.response as Item | undefined;
      if (response === undefined) continue;
      expect(response.instructions).toBe('Answer briefly.');
      expect((response.tools as Item[]).map((tool) => tool.name)).toEqual(['get_weather']);
    }
  });

  it("pass on a client's own call between hidden ones, in its place", () => {
    const final = checkStream(writeRounds(rounds('round-1', 'round-mixed'), HIDING));
    expect(typesOf(final)).toEqual(['reasoning', 'message', 'reasoning', 'function_call']);
    expect(itemAt(final, 3)).toMatchObject({ name: 'get_weather', arguments: '{"city":"Łódź"}' });
  });

  it('have the same response as the merged responses', () => {
    for (const names of [['round-1', 'round-2', 'round-3'], ['round-1', 'round-mixed'], ['round-3'], ['round-mixed']])
      expect(openaiResponses.mergeResponses(wholes(...names))).toEqual(
        checkStream(writeRounds(rounds(...names), HIDING)),
      );
  });

  it('omit encrypted reasoning that the client did not request', () => {
    expect(writeRounds(rounds('round-1', 'round-3'), HIDING)).not.toContain('encrypted_content');
    for (const clientBody of [
      { ...CLIENT_BODY, include: ['reasoning.encrypted_content'] },
      { ...CLIENT_BODY, store: true },
      { ...CLIENT_BODY, reasoning: null },
      undefined,
    ]) {
      const stream = writeRounds(rounds('round-1', 'round-3'), { ...HIDING, clientBody });
      expect(checkStream(stream)).toBeTruthy();
      expect(stream).toContain('"encrypted_content":"gAAAAABround1=="');
      expect(stream).toContain('"encrypted_content":"gAAAAABround3=="');
    }
  });

  it("repeat the client's settings and the response that it continues", () => {
    const clientBody = {
      ...CLIENT_BODY,
      instructions: null,
      previous_response_id: 'resp_ours',
      tool_choice: 'required',
    };
    const final = checkStream(writeRounds(rounds('round-1', 'round-3'), { ...HIDING, clientBody }));
    expect(final).toMatchObject({ instructions: null, previous_response_id: 'resp_ours', tool_choice: 'required' });
  });

  it('keep items separate if a server restarts its ids in each round', () => {
    const round = decode(readStream('openrouter'));
    const first = round.replaceAll('get_weather', 'load_skill');
    const stream = writeRounds([first, round], { isHidden, includesUsage: true });
    const final = checkStream(stream);
    expect((final.output as Item[]).map((item) => item.id)).toEqual([
      'rs_tmp_1',
      'msg_tmp_1',
      'rs_tmp_1_2',
      'msg_tmp_1_2',
      'fc_tmp_1',
    ]);
    expect(final.output_text).toBe('I will check. ☀️I will check. ☀️');
    expect(final.usage).toMatchObject({ input_tokens: 800, cost: 0.00426 });
    expect(stream.match(/\[DONE\]/g)).toHaveLength(1);
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true);
    const merged = openaiResponses.mergeResponses(
      [first, round].map((text) => ({ response: JSON.parse(lastResponse(text)) as WireBody, isHidden })),
    );
    expect(merged).toEqual(final);
  });

  it('end as the last stream ended', () => {
    const stream = writeRounds(rounds('round-1', 'incomplete-length'), HIDING);
    expect(checkStream(stream)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(writeRounds(rounds('round-1', 'error-event'), HIDING)).toContain('Rate limit reached');
  });

  it('end with all items even if a last event omits them', () => {
    const last = decode(readStream('round-3')).replace(
      /("status":"completed".*?"output":)\[.*\](,"parallel)/,
      '$1[]$2',
    );
    const final = checkStream(writeRounds([readStream('round-1'), last], HIDING));
    expect(typesOf(final)).toEqual(['reasoning', 'message', 'reasoning', 'message']);
  });

  it('begin with the second round if the first round sent nothing', () => {
    const final = checkStream(writeRounds([': wait\n\n', readStream('round-3')], HIDING).replace(': wait\n\n', ''));
    expect(final.id).toBe(readWhole('round-3').id);
  });

  it('keep a namespaced function call that has the name of a hidden tool', () => {
    const final = checkStream(writeRounds(rounds('client-tools'), HIDING));
    expect(itemAt(final, 2)).toMatchObject({ name: 'load_skill', namespace: 'crm' });
  });
});

function lastResponse(stream: string): string {
  return JSON.stringify(parseEvents(stream).at(-1)?.response);
}

describe('a failing stream', () => {
  it("ends with the format's error and a failed response after its first frame", () => {
    const writer = openaiResponses.createStreamWriter(HIDING);
    const begun = writeStream(writer, readStream('round-1')) + raw(writer.nextRound());
    const failed = raw(writer.fail('The skill could not be run.'));
    const events = parseEvents(begun + failed);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
    expect(events.at(-2)).toEqual({
      type: 'error',
      code: 'server_error',
      message: 'The skill could not be run.',
      param: null,
      sequence_number: events.length - 2,
    });
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        id: readWhole('round-1').id,
        status: 'failed',
        instructions: 'Answer briefly.',
        error: { code: 'server_error', message: 'The skill could not be run.' },
        usage: readWhole('round-1').usage,
      },
    });
    expect(typesOf(events.at(-1)?.response as Item)).toEqual(['reasoning', 'message']);
    expect([...writer.fail('again'), ...writer.finish(), ...writer.nextRound()]).toEqual([]);
    expect(writeStream(writer, readStream('round-3'))).toBe('');
  });

  it('ends with an error alone before its first frame', () => {
    const events = parseEvents(raw(openaiResponses.createStreamWriter(HIDING).fail('No.')));
    expect(events).toEqual([{ type: 'error', code: 'server_error', message: 'No.', param: null, sequence_number: 0 }]);
  });

  it('ends with the end marker if the rounds before had one', () => {
    const writer = openaiResponses.createStreamWriter(SHOWS_ALL);
    writeStream(writer, readStream('openrouter'));
    writer.nextRound();
    expect(raw(writer.fail('No.')).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('reports a cut at any place', () => {
    const frames = decode(readStream('round-3')).split('\n\n').slice(0, -1);
    for (let count = 1; count < frames.length; count += 1) {
      const cut = frames.slice(0, count).map((frame) => `${frame}\n\n`);
      const events = parseEvents(writeRounds([cut.join('')], HIDING));
      expect(events.at(-2)).toMatchObject({ type: 'error', message: 'The stream ended before the response did.' });
      expect(events.at(-1)?.type).toBe('response.failed');
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
    }
  });

  it('omits frames that are not JSON, which no client could read', () => {
    const good = decode(readStream('text'));
    const [first, ...others] = good.split('\n\n');
    const bad = [first, 'event: response.output_text.delta\ndata: {"type":"respo', ...others].join('\n\n');
    expect(writeRounds([bad], SHOWS_ALL)).toBe(good);
  });

  it('gets the blank line that its last frame lacks', () => {
    const stream = decode(readStream('text'));
    expect(writeRounds([stream.slice(0, -1)], SHOWS_ALL)).toBe(stream);
    expect(writeRounds([stream.slice(0, -2)], SHOWS_ALL)).toBe(stream);
  });

  it('does not throw if it is nested too deep to serialize', () => {
    const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
    const writer = openaiResponses.createStreamWriter(HIDING);
    const step = stepsOf(`data: {"type":"response.output_item.done","output_index":5,"item":${deep}}\n\n`);
    expect(step.flatMap((one) => writer.write(one))).toEqual([]);
  });
});

describe('a silent stream', () => {
  it('is kept alive by a comment', () => {
    expect(openaiResponses.createStreamWriter(HIDING).keepAlive()).toEqual({
      event: undefined,
      data: '',
      raw: ': keep-alive\n\n',
    });
  });

  it('passes the provider’s comments on at once, except comments after the end of a round', () => {
    const writer = openaiResponses.createStreamWriter(HIDING);
    expect(writeStream(writer, ': one\n\n')).toBe(': one\n\n');
    const end = { type: 'response.completed', sequence_number: 0, response: { id: 'r', output: [] } };
    expect(writeStream(writer, `${sse(end)}: two\n\n`)).toBe('');
    expect(raw(writer.finish())).toBe(`${sse(end)}: two\n\n`);
  });
});

describe('whole responses', () => {
  it.each(RESPONSES)('%s are unchanged if nothing is hidden', (name) => {
    const response = readWhole(name);
    expect(openaiResponses.mergeResponses([{ response, isHidden: () => false }])).toBe(response);
  });

  it('are merged without being modified, and keep the order of their keys', () => {
    const given = wholes('round-1', 'round-2', 'round-3');
    const before = JSON.stringify(given);
    const merged = openaiResponses.mergeResponses(given);
    expect(JSON.stringify(given)).toBe(before);
    expect(Object.keys(merged)).toEqual(Object.keys(readWhole('round-3')));
  });

  it('are merged into an empty object if there are none', () => {
    expect(openaiResponses.mergeResponses([])).toEqual({});
  });
});
