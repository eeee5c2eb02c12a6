import { describe, expect, it } from 'vitest';
import { startGatewayTo } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { completion, completionCalls, message, startTold, user, type Told } from '../loop/told-upstream.ts';
import { answerJson, startUpstream } from '../../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const BODY = { model: 'some-model', messages: [user('Begin.')] };
const HELLO = completion('c1', 'Hello.');
const GEMINI = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }] };

describe('sends requests to the same address with skills and without', () => {
  it.each([
    ['/v1/messages?beta=true', { ...BODY, max_tokens: 9 }, message([{ type: 'text', text: 'Hello.' }])],
    [`${CHAT}?api-version=2024-10-21&x=%20y`, BODY, HELLO],
    ['/v1/models/some-model:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Begin.' }] }] }, GEMINI],
    ['/v1beta/models/m:generateContent?$fields=a', { contents: [{ parts: [{ text: 'Begin.' }] }] }, GEMINI],
  ])('%s', async (path, body, told: Told) => {
    const { post, seen } = await startTold([told]);
    const withSkills = await post(path, body);
    expect(withSkills.headers.get('x-skillwright-injected')).not.toBeNull();
    await post(path, body, { 'x-skillwright-mode': 'off' });
    expect(seen[0]?.url).toBe(seen[1]?.url);
    expect(seen[0]?.url).toBe(path);
  });

  it.each(['/v1', '/v1beta'])(
    'keeps the version in the upstream’s base URL when the client asks for %s',
    async (version) => {
      const upstream = await startUpstream(answerJson(GEMINI));
      const { url } = await startGatewayTo({ baseUrl: () => `${upstream.url}${version}` }, {}, [ECHO_HANDLER]);
      const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Begin.' }] }] });
      for (const asked of ['/v1', '/v1beta'])
        for (const mode of ['on', 'off']) {
          const headers = { 'content-type': 'application/json', 'x-skillwright-mode': mode };
          await (await fetch(`${url}${asked}/models/m:generateContent`, { method: 'POST', headers, body })).text();
        }
      const wanted = `${version}/models/m:generateContent`;
      expect(upstream.seen.map((seen) => seen.url)).toEqual([wanted, wanted, wanted, wanted]);
    },
  );

  it('removes the key from the address and asks for the stream type that the gateway reads', async () => {
    const stream = `data: ${JSON.stringify(GEMINI)}\n\n`;
    const { post, seen } = await startTold([stream]);
    const path = '/v1/models/some-model:streamGenerateContent';
    const body = { contents: [{ role: 'user', parts: [{ text: 'Begin.' }] }] };
    await (await post(`${path}?key=provider-key&alt=json&a=1`, body)).text();
    expect(seen[0]?.url).toBe(`${path}?alt=sse&a=1`);
  });
});

it.each(['on', 'off'])(
  'never sends a gateway key to a provider, in whichever header or parameter it comes, with skills %s',
  async (mode) => {
    const { post, seen, gateway } = await startTold([HELLO]);
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    await post(`${CHAT}?token=${secret}&a=1`, BODY, {
      authorization: `Bearer ${secret}`,
      'api-key': secret,
      'x-auth-token': `Token ${secret}`,
      'x-other': 'stays',
      'x-skillwright-mode': mode,
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe(`${CHAT}?a=1`);
    expect(JSON.stringify(seen[0]?.rawHeaders)).not.toContain('sk-sw-');
    expect(seen[0]?.headers).toMatchObject({ 'x-other': 'stays' });
    expect(seen[0]?.headers).not.toHaveProperty('api-key');
  },
);

it('gives each round its own idempotency key, and the first round the client’s key', async () => {
  const { post, seen } = await startTold([completionCalls('c1', [['a', 'echo', { text: 'x' }]]), HELLO]);
  await post(CHAT, BODY, { 'idempotency-key': 'one-request' });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual(['one-request', expect.stringMatching(/^one-request-[0-9a-f]{16}$/)]);
});

it.each(['on', 'off'])('returns the provider’s request id if it sends one, with skills %s', async (mode) => {
  const { post } = await startTold([
    (_request, response) => {
      const headers = { 'content-type': 'application/json', 'x-request-id': 'req_of_provider' };
      response.writeHead(200, headers).end(JSON.stringify(HELLO));
    },
    HELLO,
  ]);
  const headers = { 'x-skillwright-mode': mode, 'x-request-id': 'of-the-client' };
  expect((await post(CHAT, BODY, headers)).headers.get('x-request-id')).toBe('req_of_provider');
  expect((await post(CHAT, BODY, headers)).headers.get('x-request-id')).toBe('of-the-client');
});

it('adds skills to a history longer than any model’s context', async () => {
  const { post, bodies } = await startTold([HELLO]);
  const turns = Array.from({ length: 30_000 }, (_, place) => user(`q${place}`));
  const answer = await post(CHAT, { ...BODY, messages: turns });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-skillwright-skipped')).toBeNull();
  expect(bodies()[0]?.['messages']).toHaveLength(turns.length);
});
