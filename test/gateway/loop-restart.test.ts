import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { GatewayConfigInput } from '../../packages/gateway/src/config/config.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../packages/skillwright/src/testing/index.ts';
import { makeDataDirectory } from './data-directory.ts';
import { createLoopClient, KINDS, WEATHER } from './loop-client.ts';
import { loopConfig, loopEnvironment, startGatewayTo, startLoop, UPSTREAM_KEY } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const hooks = new URL('../package/resolve-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('loop-child.ts', import.meta.url));

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

/** The provider got both answers, in order, and everything it said before. */
function expectBothAnswers({ requests }: ScriptedModel): void {
  const [first, second] = requests.map(({ conversation }) => conversation);
  expect(requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect(second?.tools).toEqual(first?.tools);
  expect(second?.results.map(({ name }) => name)).toEqual(['echo', 'weather']);
  expect(second?.results[0]?.text).toContain('echo of first');
  expect(second?.results[1]?.text).toContain('sunny');
}

/** A gateway in a process of its own, and how to end it as a power cut would. */
async function startChild(config: GatewayConfigInput): Promise<{ url: string; kill(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    ['--import', hooks, program, JSON.stringify({ ...config, logLevel: 'silent' })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: loopEnvironment(),
    },
  );
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const died = exited.then(([code]) => Promise.reject(new TypeError(`The gateway ended with ${String(code)}.`)));
  died.catch(() => undefined);
  const [line] = (await Promise.race([once(child.stdout, 'data'), died])) as [Buffer];
  return { url: line.toString().trim(), kill };
}

describe.each(KINDS)('a mixed turn in $format, streaming: $stream', ({ format, stream }) => {
  it('survives a restart of the gateway between its halves', async () => {
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

it.each(KINDS)('an answer that a shutdown cuts off is no whole one, in $format, streaming: $stream', async (kind) => {
  const stalling: ScriptedTurn = { text: 'Once upon a time', frameLength: 3, fault: { type: 'stall', afterFrames: 8 } };
  const { url, close, model } = await startLoop({ model: { script: [stalling] }, handlers: [ECHO_HANDLER] });
  const answer = createLoopClient({ url, ...kind }).say('Begin.');
  await vi.waitUntil(() => model.requests.length === 1);
  await close();
  const { status, turn } = await answer;
  expect(turn.stop).toBe('error');
  expect(status === 503 || (kind.stream && status === 200)).toBe(true);
  expect(await model.requests[0]?.ended).toBe('aborted');
});

it('a mixed turn survives the death of the gateway as soon as its client has the first half', async () => {
  const model = await createScriptedModel({ script: SCRIPT, apiKey: UPSTREAM_KEY });
  onTestFinished(() => model.close());
  const config = loopConfig(model);
  const { url, kill } = await startChild(config);
  const client = createLoopClient({ url, format: 'anthropic-messages', stream: true, tools: [WEATHER] });
  await client.say('What is the weather like?');
  await kill();
  const restarted = await startGatewayTo(model, { data: config.data }, [ECHO_HANDLER]);
  const { turn } = await client.at(restarted.url).answer('sunny');
  expect(turn.text).toBe('Sunny.');
  expectBothAnswers(model);
});
