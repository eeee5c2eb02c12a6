import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../../../packages/skillwright/src/testing/index.ts';
import { makeDataDirectory } from '../../store/data-directory.ts';
import { startChild } from '../../gateway-child.ts';
import { createLoopClient, KINDS, WEATHER } from '../loop/loop-client.ts';
import { loopConfig, startGatewayTo, startLoop, UPSTREAM_KEY } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const SCRIPT: readonly ScriptedTurn[] = [
  {
    text: 'Both.',
    calls: [
      { name: 'echo', arguments: { text: 'first' } },
      { name: 'weather', arguments: { city: 'Bonn' } },
    ],
  },
  { text: 'Sunny.' },
];

/** Expects that the second request has both results in order, and the same tools as the first. */
function expectBothAnswers({ requests }: ScriptedModel): void {
  const [first, second] = requests.map(({ conversation }) => conversation);
  expect(requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect(second?.tools).toEqual(first?.tools);
  expect(second?.results.map(({ name }) => name)).toEqual(['echo', 'weather']);
  expect(second?.results[0]?.text).toContain('echo of first');
  expect(second?.results[1]?.text).toContain('sunny');
}

describe.each(KINDS)('a turn with client and skill calls in $format, streaming: $stream', ({ format, stream }) => {
  it('survives a gateway restart between its two requests', async () => {
    const data = makeDataDirectory();
    const { model, url, close } = await startLoop({
      model: { script: SCRIPT },
      config: { data },
      handlers: [ECHO_HANDLER],
    });
    const client = createLoopClient({ url, format, stream, tools: [WEATHER] });
    await client.say('What is the weather like?');
    await close();
    const restarted = await startGatewayTo(model, { data }, [ECHO_HANDLER]);
    const { turn } = await client.at(restarted.url).answer('sunny');
    expect(turn.text).toBe('Sunny.');
    expectBothAnswers(model);
  });
});

it.each(KINDS)(
  'does not count a response that a shutdown cuts off as complete, in $format, streaming: $stream',
  async (kind) => {
    const stalling: ScriptedTurn = {
      text: 'Once upon a time',
      frameLength: 3,
      fault: { type: 'stall', afterFrames: 8 },
    };
    const { url, close, model } = await startLoop({ model: { script: [stalling] }, handlers: [ECHO_HANDLER] });
    const answer = createLoopClient({ url, ...kind }).say('Begin.');
    await vi.waitUntil(() => model.requests.length === 1, 20_000);
    await close();
    const { status, turn } = await answer;
    expect(turn.stop).toBe('error');
    expect(status === 503 || (kind.stream && status === 200)).toBe(true);
    expect(await model.requests[0]?.ended).toBe('aborted');
  },
);

it.each(WIRE_FORMATS)(
  'a turn with client and skill calls in %s survives a kill of the gateway after the client received the first response',
  async (format) => {
    const model = await createScriptedModel({ script: SCRIPT, apiKey: UPSTREAM_KEY });
    onTestFinished(() => model.close());
    const config = loopConfig(model);
    const { url, kill } = await startChild(config);
    const client = createLoopClient({ url, format, stream: true, tools: [WEATHER] });
    await client.say('What is the weather like?');
    await kill();
    const restarted = await startGatewayTo(model, { data: config.data }, [ECHO_HANDLER]);
    const { turn } = await client.at(restarted.url).answer('sunny');
    expect(turn.text).toBe('Sunny.');
    expectBothAnswers(model);
  },
);
