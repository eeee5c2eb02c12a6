import { describe, expect, it } from 'vitest';
import type { WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { startHostileUpstream } from './hostile-upstream.ts';
import { createLoopClient, KINDS, requestBody, send, userEntries } from './loop-client.ts';
import { startGatewayTo, startLoop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden' } }] };

/** How each dialect tells an error. */
function messageIn(format: WireFormatName, text: string): unknown {
  const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
  if (format === 'gemini') expect(error?.code).toBeTypeOf('number');
  return error?.message;
}

describe.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const)('in %s', (format) => {
  it.each([
    ['no JSON', 'not json'],
    ['half of a JSON', '{"model": "some-mod'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a text', '"hello"'],
    ['null', 'null'],
    ['what is nested too deeply', `{"model":"m","messages":${'['.repeat(600)}${']'.repeat(600)}}`],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]).toString('latin1')],
  ])('a body of %s is refused in the client’s dialect, and no provider hears of it', async (what, body) => {
    const { url, model } = await startLoop({ model: { script: [] }, handlers: [ECHO_HANDLER] });
    // fetch would write the text as UTF-8.
    const bytes = what.startsWith('bytes') ? (Buffer.from(body, 'latin1') as unknown as string) : body;
    const response = await sendBytes({ url, format }, bytes);
    expect(response.status).toBe(400);
    expect(messageIn(format, await response.text())).toBeTypeOf('string');
    expect(model.requests).toEqual([]);
  });

  it('shapes that no client sends are the provider’s to refuse', async () => {
    const { url, model } = await startLoop({ model: { script: [] }, handlers: [ECHO_HANDLER] });
    const field = {
      'openai-chat': 'messages',
      'openai-responses': 'input',
      'anthropic-messages': 'messages',
      gemini: 'contents',
    }[format];
    for (const history of [
      7,
      {},
      [null],
      [[]],
      [{ role: 7, content: { a: [] } }],
      [{ role: 'assistant', content: [null, 5] }],
    ]) {
      const response = await sendBytes(
        { url, format },
        JSON.stringify({ model: 'm', max_tokens: 10, [field]: history }),
      );
      expect(response.status).toBe(400);
      await response.text();
    }
    expect(model.requests).toHaveLength(6);
    expect(model.requests.every(({ refusal }) => refusal !== undefined)).toBe(true);
  });

  it('a model that nobody has is told with those there are', async () => {
    const { url } = await startLoop({ model: { script: [] } });
    const { gateway } = await startLoop({ model: { script: [] } });
    expect(gateway.config.upstreams).toHaveLength(4);
    const body = { model: 'bad\nmodel', messages: [] };
    const path = format === 'gemini' ? '/v1beta/models/bad%0Amodel:generateContent' : undefined;
    const response = await sendBytes({ url, format, path }, JSON.stringify(body));
    expect(response.status).toBe(404);
    expect(messageIn(format, await response.text())).toContain('demo');
  });

  it.each([
    ['x-skillwright-mode', 'perhaps'],
    ['x-skillwright-activity', 'everything'],
  ])('a header %s of %j is refused with what it takes', async (header, value) => {
    const { url } = await startLoop({ model: { script: [] } });
    const options = { url, format, stream: false, headers: { [header]: value } };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    expect(response.status).toBe(400);
    expect(messageIn(format, await response.text())).toContain(header);
  });
});

function sendBytes(
  { url, format, path }: { url: string; format: WireFormatName; path?: string | undefined },
  body: string,
): Promise<Response> {
  const paths = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    gemini: '/v1beta/models/m:generateContent',
  };
  return fetch(`${url}${path ?? paths[format]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

describe.each(KINDS)('in $format, streaming: $stream', (kind) => {
  it('a model that calls skills for ever is told that it may not, and then is ended', async () => {
    const { url, model } = await startLoop({
      model: { script: [ECHO], afterScript: 'repeat' },
      config: { limits: { skillRounds: 2 } },
      handlers: [ECHO_HANDLER],
    });
    const { turn, status, headers } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(status).toBe(200);
    expect(turn.calls).toEqual([]);
    expect(turn.stop).toBe('end');
    expect(model.requests).toHaveLength(4);
    const [, , third, fourth] = model.requests.map(({ conversation }) => conversation?.results[0]?.text ?? '');
    expect(third).toContain('echo of hidden');
    expect(fourth).toContain('used up');
    expect(new Set(model.requests.map(({ body }) => JSON.stringify(body['tools']))).size).toBe(1);
    if (!kind.stream) expect(headers.get('x-skillwright-rounds')).toBe('4');
  });

  it('a model that heeds the end of its budget has the last word', async () => {
    const { url } = await startLoop({
      model: { script: [ECHO, ECHO, { text: 'That is all.' }] },
      config: { limits: { skillRounds: 1 } },
      handlers: [ECHO_HANDLER],
    });
    const { turn } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(turn).toMatchObject({ text: 'That is all.', stop: 'end', calls: [] });
  });

  it('a skill that never ends is ended with the time for skills', async () => {
    const { url, model } = await startLoop({
      model: { script: [ECHO, { text: 'It took too long.' }] },
      config: { limits: { skillMs: 1_000 } },
      handlers: [{ ...ECHO_HANDLER, execute: () => new Promise(() => undefined) }],
    });
    const { turn } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(turn.text).toBe('It took too long.');
    expect(model.requests[1]?.conversation?.results[0]?.text).toContain('ancelled');
  });

  it('calls that a client leaves are ended, and so is the provider’s answer', async () => {
    const began = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const { url } = await startLoop({
      model: { script: [ECHO] },
      handlers: [
        {
          ...ECHO_HANDLER,
          execute: (_input, { signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => ended.resolve(undefined));
              began.resolve(undefined);
            }),
        },
      ],
    });
    const leaving = new AbortController();
    const answer = createLoopClient({ url, ...kind, signal: leaving.signal }).say('Begin.');
    await began.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await ended.promise;
  });

  it('a proxy that cannot remember still proxies', async () => {
    const { url, gateway, lines } = await startLoop({
      model: { script: [ECHO, { text: 'Done.' }] },
      handlers: [ECHO_HANDLER],
    });
    await gateway.store.close();
    const { turn } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(turn.text).toBe('Done.');
    expect(lines.map(({ msg }) => msg)).toContain('a turn could not be kept');
  });
});

it.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const)(
  'a client that does not read holds back the provider in %s, and loses nothing',
  async (format) => {
    const text = 'word '.repeat(2_000_000);
    const model = await startHostileUpstream([{ text, frameLength: 20_000 }]);
    const { url } = await startGatewayTo(model, {}, [ECHO_HANDLER]);
    const options = { url, format, stream: true };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    const raw = await response.text();
    expect(raw.split('word').length).toBeGreaterThan(2_000_000);
  },
);
