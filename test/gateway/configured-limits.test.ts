import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../packages/gateway/src/app.ts';
import { createLoopClient, KINDS } from './proxy/loop/loop-client.ts';
import { loopConfig, loopEnvironment, startLoop } from './proxy/loop/loop-gateway.ts';
import { ECHO_HANDLER } from './proxy/loop/loop-handlers.ts';
import { answered, said } from './proxy/loop/told-upstream.ts';
import { startUpstream } from './upstream-server.ts';

const DAY_MS = 86_400_000;

describe.each(KINDS)('limits.skillTokens in $format, streaming: $stream', (kind) => {
  it('ends the rounds of a request once they have used the configured tokens', async () => {
    const usage = { input: 300, output: 100, cachedInput: 0, reasoning: 0 };
    const { url, model } = await startLoop({
      model: { script: [{ calls: [{ name: 'echo', arguments: { text: 'again' } }], usage }], afterScript: 'repeat' },
      config: { limits: { skillTokens: 1_000 } },
      handlers: [ECHO_HANDLER],
    });
    const { turn, status } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect([status, turn.stop, turn.calls]).toEqual([200, 'end', []]);
    // Three rounds take 1,200 tokens. The model is told so, and gets no further round.
    const results = model.requests.map(({ conversation }) => conversation?.results[0]?.text ?? '');
    expect(results.map((text) => text.includes('used up'))).toEqual([false, false, false, true]);
  });
});

describe('limits.conversationDays', () => {
  it('limits how long a response can be continued, counted from the last request that continued it', async () => {
    let made = 0;
    const { url } = await startUpstream((_request, response) => {
      made += 1;
      const told = answered(`resp_${made}`, [said('Done.', `msg_${made}`)]);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
    });
    let now = Date.now();
    const gateway = await createGateway(
      loopConfig({ baseUrl: () => `${url}/v1` }, { limits: { conversationDays: 2 } }),
      { env: loopEnvironment(), logDestination: { write: () => {} }, now: () => now },
    );
    onTestFinished(() => gateway.close());
    const { secret } = await gateway.keys.create({ name: 'some', scopes: ['proxy'] });
    const ask = async (previous?: string): Promise<{ readonly status: number; readonly id: string }> => {
      const response = await gateway.fetch(
        new Request('http://localhost/v1/responses', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
          body: JSON.stringify({ model: 'm', input: 'Begin.', ...(previous && { previous_response_id: previous }) }),
        }),
      );
      const { id } = (await response.json()) as { id: string };
      return { status: response.status, id };
    };
    const first = await ask();
    now += 1.9 * DAY_MS;
    const second = await ask(first.id);
    now += 2.1 * DAY_MS;
    const late = await ask(second.id);
    expect([first, second, late].map(({ status }) => status)).toEqual([200, 200, 404]);
  });
});
