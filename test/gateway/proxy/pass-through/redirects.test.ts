import { describe, expect, it } from 'vitest';
import { startGatewayTo } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { completion, completionCalls, user } from '../loop/told-upstream.ts';
import { answerJson, startUpstream, type Answer, type SeenRequest } from '../../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const CHAT_BODY = { model: 'm', messages: [user('Begin.')] };
const MESSAGES_BODY = { ...CHAT_BODY, max_tokens: 9 };
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Begin.' }] }] };

interface Pair {
  /** Requests that reached the redirect's target. */
  readonly elsewhere: readonly SeenRequest[];
  readonly upstream: readonly SeenRequest[];
  /** The origin of the redirect's target. */
  readonly origin: string;
  readonly lines: readonly Record<string, unknown>[];
  /** Sends a request as a vendor's client does: with a gateway key, following redirects. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** A gateway for a provider that redirects to another host. */
async function startPair(answer: (origin: string) => Answer): Promise<Pair> {
  const elsewhere = await startUpstream(answerJson({}));
  const upstream = await startUpstream(answer(elsewhere.url));
  const baseUrl = (format: string): string => (format.startsWith('openai') ? `${upstream.url}/v1` : upstream.url);
  const { gateway, url, lines } = await startGatewayTo({ baseUrl }, {}, [ECHO_HANDLER]);
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy', 'manage'] });
  return {
    elsewhere: elsewhere.seen,
    upstream: upstream.seen,
    origin: elsewhere.url,
    lines,
    send: (method, path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-api-key': secret, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

function redirect(status = 302): (origin: string) => Answer {
  return (origin) => (_request, response) => {
    response.writeHead(status, { location: `${origin}/v1/secret-path`, refresh: `0; url=${origin}/` }).end('Moved');
  };
}

describe('an upstream’s redirect stops at the gateway', () => {
  it.each([
    ['openai-chat', CHAT, CHAT_BODY],
    ['openai-chat', CHAT, { ...CHAT_BODY, stream: true }],
    ['openai-responses', '/v1/responses', { model: 'm', input: 'Begin.' }],
    ['openai-responses', '/v1/responses', { model: 'm', input: 'Begin.', stream: true }],
    ['anthropic-messages', '/v1/messages', MESSAGES_BODY],
    ['anthropic-messages', '/v1/messages', { ...MESSAGES_BODY, stream: true }],
    ['gemini', '/v1beta/models/m:generateContent', CONTENTS],
    ['gemini', '/v1beta/models/m:streamGenerateContent?alt=sse', CONTENTS],
  ])('in the format %s at %s, with skills and without', async (format, path, body) => {
    const { send, elsewhere, upstream, origin } = await startPair(redirect());
    for (const mode of ['on', 'off']) {
      const response = await send('POST', path, body, { 'x-skillwright-mode': mode });
      const text = await response.text();
      expect([mode, response.status, response.headers.get('location')]).toEqual([mode, 502, null]);
      expect(text).toContain(`The upstream '${format}' redirects to '${origin}'`);
      expect(text).not.toContain('secret-path');
    }
    expect(elsewhere).toEqual([]);
    expect(upstream).toHaveLength(2);
  });

  it.each([
    ['POST', '/v1/embeddings', { model: 'm', input: 'x' }],
    ['POST', '/v1/messages/count_tokens', MESSAGES_BODY],
    ['POST', '/v1beta/models/m:countTokens', CONTENTS],
    ['POST', '/v1/responses/input_tokens', { model: 'm', input: 'x' }],
    ['GET', '/v1/responses/resp_1', undefined],
    ['GET', '/v1/responses/resp_1/input_items', undefined],
    ['POST', '/v1/responses/resp_1/cancel', undefined],
    ['DELETE', '/v1/responses/resp_1', undefined],
  ])('at %s %s', async (method, path, body) => {
    const { send, elsewhere, origin } = await startPair(redirect(307));
    const response = await send(method, path, body);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain(`redirects to '${origin}'`);
    expect(elsewhere).toEqual([]);
  });

  it.each([300, 301, 303, 305, 308, 399])('with the status %i', async (status) => {
    const { send, elsewhere } = await startPair(redirect(status));
    for (const mode of ['on', 'off'])
      expect((await send('POST', CHAT, CHAT_BODY, { 'x-skillwright-mode': mode })).status).toBe(502);
    expect(elsewhere).toEqual([]);
  });

  it('in the list of models, which keeps those of other upstreams', async () => {
    const { send, elsewhere, lines } = await startPair(redirect());
    const { data } = (await (await send('GET', '/v1/models')).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['demo']);
    expect(elsewhere).toEqual([]);
    expect(JSON.stringify(lines)).toContain('redirects to');
  });

  it.each([
    [false, 502],
    [true, 200],
  ])('in a later round of a turn (streaming: %s)', async (stream, status) => {
    const call = completionCalls('c1', [['a', 'echo', { text: 'x' }]]);
    let asked = 0;
    const { send, elsewhere, origin, upstream } = await startPair((target) => (request, response, incoming) => {
      asked += 1;
      const answer = asked === 1 ? (stream ? streamOf(call) : answerJson(call)) : redirect()(target);
      answer(request, response, incoming);
    });
    const response = await send('POST', CHAT, { ...CHAT_BODY, stream });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(`The upstream 'openai-chat' redirects to '${origin}'`);
    expect(elsewhere).toEqual([]);
    expect(upstream).toHaveLength(2);
  });
});

/** A stream with some text, which makes the client's stream begin, and then a call. */
function streamOf(call: ReturnType<typeof completionCalls>): Answer {
  const { choices, ...shared } = call;
  const [{ message }] = choices as [{ message: { tool_calls: object[] } }];
  const calls = message.tool_calls.map((one, index) => ({ index, ...one }));
  const deltas = [
    { delta: { role: 'assistant', content: 'Let me see.' }, finish_reason: null },
    { delta: { tool_calls: calls }, finish_reason: 'tool_calls' },
  ];
  const chunks = deltas.map((one) => ({ ...shared, object: 'chat.completion.chunk', choices: [{ index: 0, ...one }] }));
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${text}data: [DONE]\n\n`);
  };
}

describe('the target of a redirect', () => {
  it.each([
    ['/v1/elsewhere', 'to another path of the same origin,'],
    ['https://user:password@api.example/v1?key=secret', "to 'https://api.example',"],
    ['file:///etc/passwd', 'to something other than an http or https URL,'],
    ['http://[', 'to something other than an http or https URL,'],
    [undefined, 'without a target,'],
  ])('is reported by its origin only: %s', async (location, told) => {
    const { send } = await startPair(() => (_request, response) => {
      response.writeHead(302, location === undefined ? {} : { location }).end();
    });
    for (const mode of ['on', 'off']) {
      const text = await (await send('POST', CHAT, CHAT_BODY, { 'x-skillwright-mode': mode })).text();
      expect(text).toContain(told);
      expect(text).not.toMatch(/secret|password|etc/);
    }
  });
});

describe('an answer that is not a redirect', () => {
  it('loses headers that could make a client’s library follow a redirect', async () => {
    const { send } = await startPair((origin) => (_request, response) => {
      const headers = { 'content-type': 'application/json', location: `${origin}/next`, refresh: `0; url=${origin}` };
      response.writeHead(201, headers).end(JSON.stringify(completion('c1', 'Hello.')));
    });
    for (const mode of ['on', 'off']) {
      const response = await send('POST', CHAT, CHAT_BODY, { 'x-skillwright-mode': mode });
      expect(response.ok).toBe(true);
      expect([response.headers.get('location'), response.headers.get('refresh')]).toEqual([null, null]);
      await response.text();
    }
  });

  it('reaches the client with the status 304', async () => {
    const { send } = await startPair(() => (_request, response) => void response.writeHead(304).end());
    expect((await send('GET', '/v1/responses/resp_1')).status).toBe(304);
  });
});
