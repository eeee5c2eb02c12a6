import { expect, it } from 'vitest';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import { startGatewayTo } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { WAYS } from './named-answers.ts';
import { answered, said } from '../loop/told-upstream.ts';
import { startUpstream } from '../../upstream-server.ts';

type Ask = (
  method: string,
  path: string,
  body?: WireBody,
) => Promise<{ readonly status: number; readonly text: string }>;

async function startKeeper(): Promise<{ asker(scopes?: 'manage'): Promise<Ask>; seen(): readonly string[] }> {
  let made = 0;
  const upstream = await startUpstream(({ method, url }, response) => {
    made += 1;
    const id = method === 'POST' && url === '/v1/conversations' ? `conv_${made}` : `resp_${made}`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...answered(id, [said('Done.')]), metadata: { id: 'conv_of_others' } }));
  });
  const { url, gateway } = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` }, {}, [ECHO_HANDLER]);
  return {
    seen: () => upstream.seen.map((request) => `${request.method} ${request.url}`),
    asker: async (more) => {
      const scopes = more === undefined ? (['proxy'] as const) : (['proxy', more] as const);
      const { secret } = await gateway.keys.create({ name: 'some', scopes });
      return async (method, path, body) => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: response.status, text: await response.text() };
      };
    },
  };
}

const idIn = (text: string): string => String((JSON.parse(text) as WireBody)['id']);

it.each(WAYS)('a conversation belongs to the key that made it, for requests %s', async (_way, headers) => {
  const { asker, seen } = await startKeeper();
  const [owner, other, manager] = [await asker(), await asker(), await asker('manage')];
  const { text } = await owner('POST', '/v1/conversations', { metadata: { a: 'b' } });
  const id = idIn(text);
  const mode = 'x-skillwright-mode' in headers ? { tool_choice: 'none' } : {};
  const request = { model: 'm', input: 'Hello.', ...mode };
  const all = async (ask: Ask, conversation: string): Promise<readonly number[]> => [
    (await ask('POST', '/v1/responses', { ...request, conversation })).status,
    (await ask('POST', '/v1/responses', { ...request, conversation: { id: conversation } })).status,
    (await ask('GET', `/v1/conversations/${conversation}`)).status,
    (await ask('POST', `/v1/conversations/${conversation}`, { metadata: {} })).status,
    (await ask('DELETE', `/v1/conversations/${conversation}`)).status,
  ];
  expect(await all(owner, id)).toEqual([200, 200, 200, 200, 200]);
  expect(await all(manager, id)).toEqual([200, 200, 200, 200, 200]);
  const before = seen().length;
  expect(await all(other, id)).toEqual([404, 404, 404, 404, 404]);
  expect(await all(owner, 'conv_of_others')).toEqual([404, 404, 404, 404, 404]);
  expect(seen()).toHaveLength(before);
});

it('a new conversation cannot take items of others, and its items cannot be listed', async () => {
  const { asker, seen } = await startKeeper();
  const owner = await asker();
  const items = [{ type: 'item_reference', id: 'msg_of_others' }];
  expect((await owner('POST', '/v1/conversations', { items })).status).toBe(404);
  expect(seen()).toEqual([]);
  const id = idIn((await owner('POST', '/v1/conversations')).text);
  for (const path of [
    `/v1/conversations/${id}/items`,
    `/v1/conversations/${id}/items/msg_1`,
    `/v1/conversations/${id}%2Fitems`,
  ])
    expect([path, (await owner('GET', path)).status]).toEqual([path, 404]);
  expect(seen()).toEqual(['POST /v1/conversations']);
});

it('conversations are not found without an upstream that keeps them', async () => {
  const { url } = await startGatewayTo({ baseUrl: () => 'http://127.0.0.1:1' }, { upstreams: [] });
  const response = await fetch(`${url}/v1/conversations`, { method: 'POST' });
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('openai-responses')]);
});
