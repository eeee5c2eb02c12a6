import { createScriptedModel } from 'skillwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProxy, type TestUpstream } from './proxy-gateway.ts';
import { answerJson, startUpstream, type UpstreamServer } from '../../upstream-server.ts';

type Headers = Record<string, string>;

const ANTHROPIC = { 'x-api-key': 'placeholder', 'anthropic-version': '2023-06-01' };

async function get(url: string, headers: Headers = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

/** Starts a provider with these models, in OpenAI's format. */
function startModels(...ids: string[]): Promise<UpstreamServer> {
  return startUpstream(
    answerJson({ object: 'list', data: ids.map((id) => ({ id, object: 'model', extra: { of: id } })) }),
  );
}

const idsOf = (list: unknown): unknown[] => (list as { data: { id: string }[] }).data.map(({ id }) => id);

describe('the list of models', () => {
  it('has the demo model if there is no upstream, in the caller’s format', async () => {
    const { url } = await startProxy([]);
    expect(await get(`${url}/v1/models`)).toEqual({
      object: 'list',
      data: [{ id: 'demo', object: 'model', created: 0, owned_by: 'skillwright' }],
    });
    const entry = { type: 'model', id: 'demo', display_name: 'demo', created_at: '1970-01-01T00:00:00Z' };
    const page = { data: [entry], has_more: false, first_id: 'demo', last_id: 'demo' };
    expect(await get(`${url}/v1/models`, ANTHROPIC)).toEqual(page);
    expect(await get(`${url}/v1/models`, { 'anthropic-version': '2023-06-01' })).toEqual(page);
    const gemini = { models: [expect.objectContaining({ name: 'models/demo' })] };
    expect(await get(`${url}/v1/models`, { 'x-goog-api-key': 'placeholder' })).toEqual(gemini);
    expect(await get(`${url}/v1beta/models?key=placeholder`)).toEqual(gemini);
  });

  it('merges the models of all upstreams of the format, each once, as the upstream describes them', async () => {
    const router = await startModels('openai/gpt-5', 'gpt-5');
    const own = await startModels('gpt-5', 'gpt-5', 'o1-mini', 'whisper');
    const chat = { format: 'openai-chat' as const };
    const { url } = await startProxy(
      [
        { ...chat, id: 'router', baseUrl: `${router.url}/api/v1`, models: ['*/*'] },
        { ...chat, id: 'own', baseUrl: `${own.url}/v1`, apiKeyEnv: 'KEY', models: ['gpt-*', 'o1-*', 'o1-pro'] },
        { format: 'openai-responses', baseUrl: `${own.url}/v1`, apiKeyEnv: 'KEY' },
        { format: 'anthropic-messages', baseUrl: 'http://127.0.0.1:1' },
      ],
      { env: { KEY: 'provider-key' } },
    );
    const list = await get(`${url}/v1/models`);
    expect(idsOf(list)).toEqual(['openai/gpt-5', 'gpt-5', 'o1-mini', 'o1-pro', 'whisper', 'demo']);
    expect(list.data).toContainEqual({ id: 'gpt-5', object: 'model', extra: { of: 'gpt-5' } });
    // Two upstreams at one address are asked once.
    expect(own.seen.map(({ method, url: path, headers }) => [method, path, headers.authorization])).toEqual([
      ['GET', '/v1/models', 'Bearer provider-key'],
    ]);
    expect(router.seen.map(({ url: path }) => path)).toEqual(['/api/v1/models']);
  });

  it('understands the lists of real providers in every format', async () => {
    const model = await createScriptedModel({ script: [], models: ['m-1', 'm-2'], apiKey: 'k' });
    onTestFinished(() => model.close());
    const formats = ['openai-chat', 'anthropic-messages', 'gemini'] as const;
    const given = formats.map((format): TestUpstream => ({ format, baseUrl: model.baseUrl(format), apiKeyEnv: 'KEY' }));
    const { url } = await startProxy(given, { env: { KEY: 'k' } });
    expect(idsOf(await get(`${url}/v1/models`))).toEqual(['m-1', 'm-2', 'demo']);
    expect(await get(`${url}/v1/models`, ANTHROPIC)).toMatchObject({ first_id: 'm-1', last_id: 'demo' });
    expect(await get(`${url}/v1beta/models`)).toMatchObject({
      models: [{ name: 'models/m-1', version: '001' }, { name: 'models/m-2' }, { name: 'models/demo' }],
    });
  });

  it('is cached, and concurrent requests share one fetch', async () => {
    const upstream = await startModels('a');
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    await Promise.all(Array.from({ length: 20 }, () => get(`${url}/v1/models`)));
    await get(`${url}/v1/models`);
    expect(upstream.seen).toHaveLength(1);
  });

  it.each([
    ['an error', answerJson({ error: 'no' }, 500)],
    ['a page', answerJson('<html>')],
    ['a broken connection', (_request, response) => void response.destroy()],
    ['another shape', answerJson({ data: { a: 1 } })],
    ['broken entries', answerJson({ data: [null, 1, { id: 5 }, { id: '' }, {}] })],
    ['cut JSON', (_request, response) => void response.writeHead(200).end('{"data": [')],
  ] satisfies [string, Parameters<typeof startUpstream>[0]][])(
    'tolerates an upstream that returns %s',
    async (_what, answer) => {
      const broken = await startUpstream(answer);
      const whole = await startModels('a');
      const { url } = await startProxy([
        { format: 'openai-chat', id: 'broken', baseUrl: broken.url, models: ['named', 'x-*'] },
        { format: 'openai-chat', id: 'whole', baseUrl: whole.url },
      ]);
      expect(idsOf(await get(`${url}/v1/models`))).toEqual(['named', 'a', 'demo']);
    },
  );

  it('needs a gateway key, and is refused without one in the caller’s format', async () => {
    const { url } = await startProxy([]);
    const headers = { ...ANTHROPIC, 'x-forwarded-for': '10.0.0.1' };
    const response = await fetch(`${url}/v1/models`, { headers });
    expect([response.status, await response.json()]).toMatchObject([401, { error: { type: 'authentication_error' } }]);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const openai = await fetch(`${url}/v1/models`, { headers: { 'x-forwarded-for': '10.0.0.1' } });
    const error = { type: 'invalid_request_error', code: 'invalid_api_key' };
    expect([openai.status, await openai.json()]).toMatchObject([401, { error }]);
  });

  it('is rate-limited, with an error in the caller’s format', async () => {
    const { url, gateway } = await startProxy([]);
    const { secret } = await gateway.keys.create({ name: 'p', scopes: ['proxy'], requestsPerMinute: 1 });
    const ask = (headers: Record<string, string>): Promise<Response> => fetch(`${url}/v1/models`, { headers });
    await ask({ authorization: `Bearer ${secret}` });
    const openai = await ask({ authorization: `Bearer ${secret}` });
    const error = { type: 'requests', code: 'rate_limit_exceeded' };
    expect([openai.status, await openai.json()]).toMatchObject([429, { error }]);
    const anthropic = await ask({ 'x-api-key': secret });
    expect(await anthropic.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
  });
});

describe('a single model', () => {
  it('is described by its upstream, or by the gateway if it is the demo model', async () => {
    const upstream = await startUpstream(answerJson({ id: 'x' }));
    const { url } = await startProxy([
      { format: 'openai-responses', baseUrl: `${upstream.url}/v1` },
      { format: 'gemini', baseUrl: upstream.url },
    ]);
    await get(`${url}/v1/models/openai/gpt-5`);
    await get(`${url}/v1beta/models/gemini-3?key=placeholder`);
    expect(upstream.seen.map(({ url: path }) => path)).toEqual(['/v1/models/openai/gpt-5', '/v1beta/models/gemini-3']);
    expect(await get(`${url}/v1/models/demo`)).toMatchObject({ id: 'demo', object: 'model' });
    expect(await get(`${url}/v1beta/models/demo`)).toMatchObject({ name: 'models/demo' });
  });

  it('is not found if no upstream has it', async () => {
    const { url } = await startProxy([]);
    const response = await fetch(`${url}/v1/models/gpt-5`);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  });
});

describe('endpoints without skills', () => {
  const formats = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
  const start = async (): Promise<{ url: string; upstream: UpstreamServer; headers: Record<string, string> }> => {
    const upstream = await startUpstream(answerJson({ ok: true }));
    const bases = { 'openai-chat': '/v1', 'openai-responses': '/v1', 'anthropic-messages': '', gemini: '' };
    const given = formats.map((format) => ({ format, baseUrl: `${upstream.url}${bases[format]}` }));
    const { url, gateway } = await startProxy(given);
    const { secret } = await gateway.keys.create({ name: 'operator', scopes: ['proxy', 'manage'] });
    return { upstream, url, headers: { 'x-api-key': secret } };
  };

  it.each([
    ['POST', '/v1/messages/count_tokens', '{"model":"claude-5"}'],
    ['POST', '/v1/embeddings', '{"model":"text-embedding-3","input":"x"}'],
    ['POST', '/v1beta/models/gemini-3:countTokens', '{"contents":[]}'],
    ['POST', '/v1beta/models/gemini-3:embedContent', '{"content":{}}'],
    ['GET', '/v1/responses/resp_1?include=a&include=b', undefined],
    ['DELETE', '/v1/responses/resp_1', undefined],
    ['POST', '/v1/responses/resp_1/cancel', undefined],
    ['GET', '/v1/responses/resp_1/input_items', undefined],
    ['POST', '/v1/responses/input_tokens', '{"model":"gpt-5","input":"x"}'],
  ])('are passed through: %s %s', async (method, path, body) => {
    const { url, upstream, headers } = await start();
    const type = { 'content-type': 'application/json' };
    const init = { method, ...(body === undefined ? { headers } : { body, headers: { ...headers, ...type } }) };
    const response = await fetch(`${url}${path}`, init);
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
    const [seen] = upstream.seen;
    expect([seen?.method, seen?.url, seen?.body.toString()]).toEqual([method, path, body ?? '']);
  });

  it('report errors in the caller’s format', async () => {
    const { url, upstream } = await start();
    const init = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
    const tokens = await fetch(`${url}/v1/messages/count_tokens`, init);
    expect([tokens.status, await tokens.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
    const embeddings = await fetch(`${url}/v1/embeddings`, { ...init, body: '{"input":"x"}' });
    expect([embeddings.status, await embeddings.json()]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/^`model` is missing/) as string, code: 'invalid_request' } },
    ]);
    expect(upstream.seen).toEqual([]);
  });
});
