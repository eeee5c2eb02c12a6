import { describe, expect, it } from 'vitest';
import { startGatewayTo } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { answerJson, startUpstream, type SeenRequest } from '../../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const LIMIT = 1_000;

const commas = (text: string, count: number): string => Array.from({ length: count }, () => text).join(',');
const keys = (count: number): string => Array.from({ length: count }, (_, place) => `"k${place}":0`).join(',');
const chat = (messages: string): string => `{"model":"m","messages":[{"role":"user","content":"Hi."},${messages}]}`;
const call = (args: string): string =>
  `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":${JSON.stringify(args)}}}]}`;

interface Limited {
  readonly seen: readonly SeenRequest[];
  post(path: string, body: string): Promise<Response>;
}

async function startLimited(
  answer: unknown = {},
  limits: { jsonValues?: number } = { jsonValues: LIMIT },
): Promise<Limited> {
  const upstream = await startUpstream(answerJson(answer));
  const baseUrl = (format: string): string => (format.startsWith('openai') ? `${upstream.url}/v1` : upstream.url);
  const { gateway, url } = await startGatewayTo({ baseUrl }, { limits }, [ECHO_HANDLER]);
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy', 'manage', 'execute'] });
  const headers = { 'content-type': 'application/json', 'x-api-key': secret };
  return { seen: upstream.seen, post: (path, body) => fetch(`${url}${path}`, { method: 'POST', headers, body }) };
}

describe('a body with more JSON values than the limit is refused before it is parsed', () => {
  it.each([
    ['empty arrays', CHAT, chat(commas('[]', LIMIT))],
    ['empty objects', CHAT, chat(commas('{}', LIMIT))],
    ['nulls', CHAT, chat(commas('null', LIMIT))],
    ['numbers', CHAT, chat(commas('7', LIMIT))],
    ['texts', CHAT, chat(commas('""', LIMIT))],
    ['keys', CHAT, chat(`{${keys(LIMIT / 2)}}`)],
    ['arguments that are JSON in a text', CHAT, chat(call(`[${commas('[]', LIMIT)}]`))],
    [
      'the input of a call',
      '/v1/messages',
      chat(`{"role":"assistant","content":[{"input":"[${commas('[]', LIMIT)}]"}]}`),
    ],
    [
      'arguments with escapes',
      '/v1/responses',
      `{"model":"m","input":[{"arguments":"\\u005b${commas('[]', LIMIT)}]"}]}`,
    ],
    ['a key with escapes', '/v1/responses', `{"model":"m","input":[{"argument\\u0073":"[${commas('[]', LIMIT)}]"}]}`],
    ['parts', '/v1beta/models/m:generateContent', `{"contents":[${commas('{}', LIMIT)}]}`],
    ['tokens', '/v1/embeddings', `{"model":"m","input":[${commas('7', LIMIT)}]}`],
    ['messages', '/v1/messages/count_tokens', `{"model":"m","messages":[${commas('[]', LIMIT)}]}`],
    ['input', '/v1/responses/input_tokens', `{"model":"m","input":[${commas('[]', LIMIT)}]}`],
    ['fields over REST', '/api/skills/match', `{"text":"x","more":[${commas('[]', LIMIT)}]}`],
  ])('%s at %s', async (_what, path, body) => {
    const { post, seen } = await startLimited();
    const response = await post(path, body);
    expect(response.status).toBe(413);
    expect(await response.text()).toContain(`The body has more than ${LIMIT} JSON values`);
    expect(seen).toEqual([]);
  });

  it('in the error format of each API, with the error code', async () => {
    const { post } = await startLimited();
    const codeAt = async (path: string): Promise<unknown> => (await post(path, `[${commas('[]', LIMIT)}]`)).json();
    expect(await codeAt(CHAT)).toMatchObject({ error: { type: 'invalid_request_error', code: 'too_many_values' } });
    expect(await codeAt('/v1/messages')).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
    expect(await codeAt('/v1beta/models/m:generateContent')).toMatchObject({
      error: { code: 413, details: [{ reason: 'TooManyValues' }] },
    });
    expect(await codeAt('/api/skills/match')).toMatchObject({ code: 'TooManyValues', data: { jsonValues: LIMIT } });
  });

  it('by default for 27 MB of empty arrays or two million keys', async () => {
    const { post, seen } = await startLimited({}, {});
    for (const messages of [commas('[]', 9_000_000), `{${keys(2_000_000)}}`])
      expect((await post(CHAT, chat(messages))).status).toBe(413);
    expect(seen).toEqual([]);
  });
});

describe('a body is accepted', () => {
  it('with exactly as many JSON values as the limit', async () => {
    const { post } = await startLimited();
    const filled = (count: number): string => `{"model":"m","input":[${commas('7', count)}]}`;
    expect((await post('/v1/embeddings', filled(LIMIT - 5))).status).toBe(200);
    expect((await post('/v1/embeddings', filled(LIMIT - 4))).status).toBe(413);
  });

  it('with any number of brackets inside its texts', async () => {
    const { post } = await startLimited();
    expect((await post('/v1/embeddings', `{"model":"m","text":"${commas('[]', LIMIT)}"}`)).status).toBe(200);
  });

  it('without parsing if its path names the model and skills are off', async () => {
    const { post, seen } = await startLimited();
    const body = `{"contents":[${commas('[]', LIMIT)}]}`;
    expect((await post('/v1beta/models/m:countTokens', body)).status).toBe(200);
    expect(seen[0]?.body.toString()).toBe(body);
  });

  it.each([
    ['/v1/chat/completions', 'messages', chatEntries],
    ['/v1/messages', 'messages', messageEntries],
  ])('at %s by default with a history of 20,000 entries, half of them calls', async (path, field, entries) => {
    const { post, seen } = await startLimited({}, {});
    const history = Array.from({ length: 10_000 }, (_, place) => entries(place)).flat();
    await post(path, JSON.stringify({ model: 'm', max_tokens: 9, [field]: [...history, LAST_ENTRY] }));
    expect(JSON.parse(seen[0]?.body.toString() ?? '{}')).toHaveProperty(`${field}.length`, 20_001);
  });
});

const LAST_ENTRY = { role: 'user', content: 'Go on.' };
const QUESTION = { query: 'weather in Paris', limit: 5, tags: ['today', 'tomorrow'] };

function chatEntries(place: number): readonly object[] {
  const called = { name: 'search', arguments: JSON.stringify(QUESTION) };
  const id = `call_${place}`;
  return [
    { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] },
    { role: 'tool', tool_call_id: id, content: `${place} results` },
  ];
}

function messageEntries(place: number): readonly object[] {
  const id = `toolu_${place}`;
  const content = [{ type: 'text', text: `${place} results` }];
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id, name: 'search', input: QUESTION },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: false }] },
  ];
}

describe('an upstream’s JSON response', () => {
  it('is left out of the list of models if it exceeds the limit, and the other models stay', async () => {
    const list = { object: 'list', data: Array.from({ length: LIMIT }, (_, id) => ({ id: `m${id}` })) };
    const upstream = await startUpstream(answerJson(list));
    const { gateway, url, lines } = await startGatewayTo(
      { baseUrl: () => upstream.url },
      { limits: { jsonValues: LIMIT } },
    );
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
    expect(await response.json()).toMatchObject({ data: [{ id: 'demo' }] });
    expect(JSON.stringify(lines)).toContain(`more than ${LIMIT} JSON values`);
  });
});
