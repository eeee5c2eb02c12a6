import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { askWith, userEntries, WEATHER, type Answer, type LoopClientOptions } from '../loop/loop-client.ts';
import { startLoop, type Loop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden words' } }] };
const MIXED: ScriptedTurn = { calls: [...(ECHO.calls ?? []), { name: 'weather', arguments: { city: 'Bonn' } }] };

/** A client of the Responses API that sends only what is new and lets the provider keep the rest. */
function createAsk(
  { url }: Loop,
  stream: boolean,
  headers: LoopClientOptions['headers'] = {},
): (input: readonly unknown[], extra?: WireBody) => Promise<Answer> {
  return (input, extra = {}) => {
    const options: LoopClientOptions = { url, format: 'openai-responses', stream, tools: [WEATHER], headers, extra };
    return askWith(options, input);
  };
}

const say = (text: string): readonly unknown[] => userEntries('openai-responses', text);

function expectNoRefusal({ model }: Loop): void {
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
}

describe.each([true, false])('a provider that keeps its responses, streaming: %s', (stream) => {
  it('gets the id of its own last response as previous_response_id', async () => {
    const loop = await startLoop({
      model: { script: [ECHO, { text: 'First.' }, ECHO, { text: 'Second.' }, { text: 'Third.' }] },
      handlers: [ECHO_HANDLER],
    });
    const ask = createAsk(loop, stream);
    const first = await ask(say('Begin.'));
    const second = await ask(say('Go on.'), { previous_response_id: first.turn.id });
    expect(second.turn.text).toBe('Second.');
    expect(second.raw).toContain(`"previous_response_id":"${first.turn.id}"`);
    const third = await ask(say('And on.'), { previous_response_id: second.turn.id });
    expect(third.turn.text).toBe('Third.');
    expectNoRefusal(loop);
    const last = loop.model.requests.at(-1)?.conversation?.messages ?? [];
    expect(last.flatMap(({ results }) => results)).toHaveLength(2);
    expect(last.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(['Begin.', 'Go on.', 'And on.']);
  });

  it('gets both results for a turn with client and skill calls', async () => {
    const loop = await startLoop({ model: { script: [MIXED, { text: 'Sunny.' }] }, handlers: [ECHO_HANDLER] });
    const ask = createAsk(loop, stream);
    const { turn } = await ask(say('What is the weather like?'));
    const output = { type: 'function_call_output', call_id: turn.calls[0]?.id, output: 'sunny' };
    const second = await ask([output], { previous_response_id: turn.id });
    expect(second.turn.text).toBe('Sunny.');
    expectNoRefusal(loop);
    expect(loop.model.requests[1]?.conversation?.results.map(({ text }) => text)).toEqual([
      'echo of hidden words',
      'sunny',
    ]);
  });

  it('gets both results even if it keeps the conversation itself', async () => {
    const script = [MIXED, { text: 'Sunny.' }];
    const loop = await startLoop({ model: { script, strictness: 'off' }, handlers: [ECHO_HANDLER] });
    const { secret } = await loop.gateway.keys.create({ name: 'manager', scopes: ['proxy', 'manage'] });
    const ask = createAsk(loop, stream, { authorization: `Bearer ${secret}` });
    const { turn } = await ask(say('What is the weather like?'), { conversation: 'conv_1' });
    await ask([{ type: 'function_call_output', call_id: turn.calls[0]?.id, output: 'sunny' }], {
      conversation: 'conv_1',
    });
    expect(loop.model.requests[1]?.body['input']).toMatchObject([
      { type: 'function_call_output', output: 'echo of hidden words' },
      { type: 'function_call_output', output: 'sunny' },
    ]);
  });

  it('gets its own response id for a request without skills, too', async () => {
    const loop = await startLoop({
      model: { script: [ECHO, { text: 'First.' }, { text: 'Second.' }] },
      handlers: [ECHO_HANDLER],
    });
    const ask = createAsk(loop, stream);
    const { turn } = await ask(say('Begin.'));
    const second = await ask(say('Go on.'), { previous_response_id: turn.id, tool_choice: 'none' });
    expect(second.headers.get('x-skillwright-skipped')).toContain('none');
    expect(second.turn.text).toBe('Second.');
    expectNoRefusal(loop);
  });

  it('gets no request with an id that the gateway does not know', async () => {
    const loop = await startLoop({ model: { script: [ECHO] }, handlers: [ECHO_HANDLER] });
    const { status, turn } = await createAsk(loop, stream)(say('Go on.'), { previous_response_id: 'resp_unknown' });
    expect(status).toBe(404);
    expect(turn.error).toContain('resp_unknown');
    expect(loop.model.requests).toEqual([]);
  });
});

it('a key cannot continue from a response of another key', async () => {
  const loop = await startLoop({
    model: { script: [ECHO, { text: 'First.' }], strictness: 'off' },
    handlers: [ECHO_HANDLER],
  });
  const first = await createAsk(loop, false)(say('Begin.'));
  const { secret } = await loop.gateway.keys.create({ name: 'other', scopes: ['proxy'] });
  const before = loop.model.requests.length;
  const { status } = await askWith(
    {
      url: loop.url,
      format: 'openai-responses',
      stream: false,
      headers: { authorization: `Bearer ${secret}` },
      extra: { previous_response_id: first.turn.id },
    },
    say('Go on.'),
  );
  expect([status, loop.model.requests.length]).toEqual([404, before]);
});
