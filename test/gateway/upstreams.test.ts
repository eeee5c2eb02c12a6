import { describe, expect, it, onTestFinished } from 'vitest';
import { callUpstream } from '../../packages/gateway/src/upstream/call-upstream.ts';
import { isFailure, type UpstreamPlace } from '../../packages/gateway/src/upstream/upstream.ts';
import { createUpstreams } from '../../packages/gateway/src/upstream/upstreams.ts';
import type { UpstreamConfig } from '../../packages/gateway/src/config/config.ts';
import { createScriptedModel } from 'skillwright/testing';
import { answerJson, startUpstream } from './upstream-server.ts';
import { startProxy } from './proxy/pass-through/proxy-gateway.ts';

const BASE = 'http://127.0.0.1:1';
const setting = (id: string, more: Partial<UpstreamConfig>): UpstreamConfig => ({
  id,
  format: 'openai-chat',
  baseUrl: `${BASE}/v1`,
  models: ['*'],
  forwardKeys: false,
  ...more,
});

describe('a model', () => {
  const upstreams = createUpstreams(
    {
      upstreams: [
        setting('router', { models: ['*/*'] }),
        setting('small', { models: ['gpt-mini', 'o1-*'] }),
        setting('claude', { format: 'anthropic-messages', baseUrl: BASE, models: ['claude-*'] }),
        setting('rest', { models: ['gpt-*'] }),
      ],
    },
    {},
  );
  const idOf = (...asked: Parameters<typeof upstreams.route>): string | undefined => upstreams.route(...asked)?.id;

  it('goes to the first upstream that has it in the format of the endpoint', () => {
    expect(idOf('openai-chat', 'openai/gpt-mini')).toBe('router');
    expect(idOf('openai-chat', 'gpt-mini')).toBe('small');
    expect(idOf('openai-chat', 'gpt-5')).toBe('rest');
    expect(idOf('anthropic-messages', 'claude-5')).toBe('claude');
  });

  it('goes nowhere in another format or under an unknown name', () => {
    expect(idOf('openai-chat', 'claude-5')).toBeUndefined();
    expect(idOf('gemini', 'gpt-5')).toBeUndefined();
    expect(idOf('openai-chat', 'a/../b')).toBeUndefined();
  });

  it('named demo is the demo model in every format', () => {
    for (const format of ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const) {
      const demo = upstreams.route(format, 'demo');
      expect([demo?.id, demo?.place, demo?.client('demo').isDemo]).toEqual(['demo', undefined, true]);
    }
  });

  it('unknown to every upstream gets an error with the available models, and the format that may have it', () => {
    const { code, status, message } = upstreams.unknownModel('openai-chat', 'claude-5');
    expect([code, status]).toEqual(['ModelNotFound', 404]);
    expect(message).toContain('Available models: */*, gpt-mini, o1-*, gpt-*, demo.');
    expect(message).toContain('in another format: anthropic-messages');
  });
});

describe('an upstream', () => {
  it('keeps its most recently used clients', async () => {
    const upstreams = createUpstreams({ upstreams: [setting('a', {})] }, {});
    const [upstream] = upstreams.all;
    const first = upstream?.client('gpt-5');
    expect(upstream?.client('gpt-5')).toBe(first);
    expect(upstream?.client('gpt-5', { withoutKey: true })).not.toBe(first);
    for (let index = 0; index < 300; index += 1) upstream?.client(`m${index}`);
    expect(upstream?.client('gpt-5')).not.toBe(first);
    await upstreams.close();
  });

  it('sends its key, except with a request that has its own', async () => {
    const model = await createScriptedModel({
      script: [{ text: 'Hi' }],
      afterScript: 'repeat',
      apiKey: 'provider-key',
    });
    const baseUrl = model.baseUrl('openai-chat');
    const upstreams = createUpstreams(
      { upstreams: [setting('a', { baseUrl, apiKeyEnv: 'KEY' })] },
      { KEY: 'provider-key' },
    );
    const [upstream] = upstreams.all;
    const body = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hi' }] };
    const signal = AbortSignal.timeout(10_000);
    expect((await upstream?.client('gpt-5').send({ body, stream: false, signal }))?.ok).toBe(true);
    expect((await upstream?.client('gpt-5', { withoutKey: true }).send({ body, stream: false, signal }))?.ok).toBe(
      false,
    );
    await upstreams.close();
    await model.close();
  });

  it('uses one connection for requests with skills and without', async () => {
    const server = await startUpstream(answerJson({ choices: [{ message: { role: 'assistant', content: 'Hi' } }] }));
    const upstreams = createUpstreams({ upstreams: [setting('a', { baseUrl: server.url })] }, {});
    onTestFinished(() => upstreams.close());
    const [upstream] = upstreams.all;
    const place = upstream?.place as UpstreamPlace;
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
    for (let round = 0; round < 2; round += 1) {
      const answer = await callUpstream(place, { method: 'POST', path: '/chat/completions', headers: [] }).answer;
      if (isFailure(answer)) throw new TypeError(answer.message);
      await answer.message.toArray();
      const reply = await upstream
        ?.client(`m${round}`)
        .send({ body, stream: false, signal: AbortSignal.timeout(9_000) });
      if (reply?.ok !== true) throw new TypeError(reply?.failure.message);
      for await (const _ of reply.chunks);
    }
    expect([server.seen.length, server.connections()]).toEqual([4, 1]);
  });

  it('is refused if its key is not a valid header, without naming the key', () => {
    const make = (): unknown => createUpstreams({ upstreams: [setting('a', { apiKeyEnv: 'KEY' })] }, { KEY: 'söcret' });
    expect(make).toThrow(expect.objectContaining({ code: 'InvalidConfiguration' }));
    expect(make).not.toThrow(/söcret/);
  });

  it('refuses a gateway key for a known provider, but accepts it for another gateway', () => {
    const env = { OPENAI_API_KEY: 'sk-sw-aaaaaaaaaaaaaaaaaaaaaaaa' };
    const open = (baseUrl: string) => () =>
      createUpstreams({ upstreams: [setting('openai', { baseUrl, apiKeyEnv: 'OPENAI_API_KEY' })] }, env);
    expect(open('https://api.openai.com/v1')).toThrow(/^OPENAI_API_KEY holds a gateway key, /);
    expect(open(`${BASE}/v1`)).not.toThrow();
  });
});

describe('an unknown model', () => {
  const body = JSON.stringify({ model: 'nope', messages: [] });
  const post = async (path: string, headers: Record<string, string> = {}): Promise<[number, unknown]> => {
    const { url } = await startProxy([]);
    const response = await fetch(`${url}${path}`, { method: 'POST', body, headers });
    return [response.status, await response.json()];
  };

  it('gets an error in OpenAI’s format', async () => {
    const [status, error] = await post('/v1/chat/completions');
    expect(status).toBe(404);
    expect(error).toEqual({
      error: {
        message:
          "There is no model 'nope' because no upstream is configured; only demo is available. Set OPENAI_API_KEY or OPENROUTER_API_KEY and restart the gateway, or add an upstream to 'upstreams' in its configuration.",
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    });
  });

  it('gets an error in Anthropic’s format', async () => {
    const [status, error] = await post('/v1/messages', { 'x-request-id': 'r1' });
    expect([status, error]).toEqual([
      404,
      {
        type: 'error',
        error: { type: 'not_found_error', message: expect.stringContaining("no model 'nope'") as string },
        request_id: 'r1',
      },
    ]);
  });

  it('gets an error in Gemini’s format', async () => {
    const [status, error] = await post('/v1beta/models/nope:generateContent');
    expect(status).toBe(404);
    expect(error).toMatchObject({
      error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'ModelNotFound', domain: 'skillwright' }] },
    });
  });
});

describe('the demo model', () => {
  const ask = async (path: string, body: object): Promise<Response> => {
    const { url } = await startProxy([]);
    const headers = { 'content-type': 'application/json' };
    return fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  };
  const messages = [{ role: 'user', content: 'Hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];

  it.each([
    ['/v1/chat/completions', { model: 'demo', messages }, { object: 'chat.completion' }],
    ['/v1/responses', { model: 'demo', input: 'Hello' }, { object: 'response' }],
    ['/v1/messages', { model: 'demo', max_tokens: 100, messages }, { type: 'message' }],
    ['/v1beta/models/demo:generateContent', { contents }, { modelVersion: 'demo' }],
  ])('responds at %s', async (path, body, expected) => {
    const response = await ask(path, body);
    expect([response.status, response.headers.get('x-skillwright-skipped')]).toEqual([200, 'test']);
    expect(await response.json()).toMatchObject(expected);
  });

  it('streams', async () => {
    const text = await (await ask('/v1/chat/completions', { model: 'demo', stream: true, messages })).text();
    expect(text).toMatch(/^data: \{/);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('streams to Gemini clients in the requested framing', async () => {
    const path = '/v1beta/models/demo:streamGenerateContent';
    expect(await (await ask(`${path}?alt=sse`, { contents })).text()).toMatch(/^data: \{/);
    const array = await ask(path, { contents });
    expect(array.headers.get('content-type')).toMatch(/^application\/json/);
    expect((await array.json()) as unknown[]).toContainEqual(expect.objectContaining({ modelVersion: 'demo' }));
  });

  it('explains what it cannot do and what it does not understand', async () => {
    expect((await ask('/v1/messages/count_tokens', { model: 'demo', messages })).status).toBe(404);
    const bad = await ask('/v1/responses', { model: 'demo', input: 'x', previous_response_id: 'resp_gone' });
    expect([bad.status, await bad.json()]).toMatchObject([400, { error: { code: 'previous_response_not_found' } }]);
  });
});
