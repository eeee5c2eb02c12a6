import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { GatewayConfigInput } from '../../../../packages/gateway/src/config/config.ts';
import type { Scope } from '../../../../packages/gateway/src/store/tables/api-key-table.ts';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import { SAMPLE_SKILLS, startGatewayTo, type Loop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { answered, echoCall, said, startTold, type ToldLoop } from '../loop/told-upstream.ts';
import { startUpstream, type UpstreamServer } from '../../upstream-server.ts';

interface Kept {
  readonly gateway: Omit<Loop, 'model'>;
  readonly upstream: UpstreamServer;
  /** Sends a request with one key. */
  ask(
    path: string,
    options?: { method?: string; body?: WireBody; key?: string },
  ): Promise<{ status: number; body: Body }>;
  createKey(scopes?: readonly Scope[]): Promise<string>;
}

interface Body {
  readonly id: string;
  readonly output: readonly WireBody[];
  readonly tools: readonly WireBody[];
  readonly data: readonly WireBody[];
  readonly error: { readonly message: string };
  readonly [key: string]: unknown;
}

const ECHO_CALL = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'echo',
  arguments: '{"text":"hidden"}',
};
const MESSAGE = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };

interface KeepingOptions {
  readonly isPacked?: boolean;
  /** The first response's call, if the request offers this tool. */
  readonly call?: WireBody;
  readonly offered?: string;
  readonly config?: GatewayConfigInput;
}

/** A provider that keeps its responses: the first calls a known tool, and the second says that it is done. */
async function startKeeping(options: KeepingOptions = {}): Promise<Kept> {
  const { isPacked = false, call = ECHO_CALL, offered = 'echo', config = {} } = options;
  const kept = new Map<string, { response: WireBody; input: readonly unknown[] }>();
  const upstream = await startUpstream(({ method, url, body }, response) => {
    const [path = '', query] = url.split('?');
    const [, id = '', part] = /^\/v1\/responses\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const send = (value: unknown, status = 200): void => {
      const text = JSON.stringify(value);
      const packing = isPacked ? { 'content-encoding': 'gzip' } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...packing });
      response.end(isPacked ? gzipSync(text) : text);
    };
    if (method === 'POST' && path === '/v1/responses') {
      const asked = JSON.parse(body.toString()) as WireBody & { input: readonly unknown[] };
      const isFirst =
        JSON.stringify(asked['tools'] ?? []).includes(`"${offered}"`) &&
        !JSON.stringify(asked.input).includes('function_call_output');
      const { tools = [], instructions = null, background = false, previous_response_id: previous = null } = asked;
      const own = `resp_${kept.size + 1}`;
      const answer = {
        id: own,
        object: 'response',
        created_at: kept.size,
        status: 'completed',
        background,
        output: [isFirst ? call : MESSAGE],
        tools,
        instructions,
        previous_response_id: previous,
        usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
      };
      kept.set(own, { response: answer, input: Array.isArray(asked.input) ? asked.input : [] });
      return send(answer);
    }
    const known = kept.get(id);
    if (known === undefined) return send({ error: { message: `No response ${id}.` } }, 404);
    if (method === 'DELETE') return send({ id, object: 'response', deleted: kept.delete(id) });
    if (part === 'input_items') return send({ object: 'list', data: known.input, has_more: false, query: query ?? '' });
    return send(part === 'cancel' ? { ...known.response, status: 'cancelled' } : known.response);
  });
  const gateway = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` }, config, [ECHO_HANDLER]);
  const createKey = async (scopes: readonly Scope[] = ['proxy']): Promise<string> =>
    (await gateway.gateway.keys.create({ name: 'some', scopes })).secret;
  const own = await createKey();
  const ask: Kept['ask'] = async (path, { method = 'GET', body, key = own } = {}) => {
    const response = await fetch(`${gateway.url}/v1/responses${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  return { gateway, upstream, ask, createKey };
}

const REQUEST = { model: 'm', input: 'Begin.', instructions: 'Be brief.' };
const HIDDEN = /echo|hidden/;

describe('a stored response of several rounds', () => {
  it('reads as the client first received it', async () => {
    const { ask, upstream } = await startKeeping();
    const { body: told } = await ask('', { method: 'POST', body: REQUEST });
    expect(told).toMatchObject({ id: 'resp_1', output: [MESSAGE], instructions: 'Be brief.', tools: [] });
    const { status, body } = await ask(`/${told.id}`);
    expect(status).toBe(200);
    const { skillwright: _, ...shown } = told;
    expect(body).toEqual(shown);
    expect(upstream.seen.slice(2).map(({ url }) => url)).toEqual(['/v1/responses/resp_1', '/v1/responses/resp_2']);
  });

  it('hides a call of a skill’s tool that the model was not offered', async () => {
    const call = { ...ECHO_CALL, name: 'count_words', arguments: '{"text":"hidden words"}' };
    const config = { skills: SAMPLE_SKILLS, limits: { skillToolBytes: 0 } };
    const { ask } = await startKeeping({ call, offered: 'use_skill', config });
    const { body: told } = await ask('', { method: 'POST', body: { ...REQUEST, input: 'Count the words.' } });
    expect(told.output).toEqual([MESSAGE]);
    const { body } = await ask(`/${told.id}`);
    expect(body.output).toEqual([MESSAGE]);
    expect(JSON.stringify(body)).not.toMatch(/count_words|hidden/);
  });

  it('is canceled through its last round, and keeps the id that the client knows', async () => {
    const { ask, upstream } = await startKeeping();
    await ask('', { method: 'POST', body: REQUEST });
    const { body } = await ask('/resp_1/cancel', { method: 'POST' });
    expect(body).toMatchObject({ id: 'resp_1', status: 'cancelled' });
    expect(JSON.stringify(body)).not.toMatch(HIDDEN);
    expect(upstream.seen.at(-1)).toMatchObject({ method: 'POST', url: '/v1/responses/resp_2/cancel' });
  });

  it('lists the client’s own input as its input items', async () => {
    const { ask } = await startKeeping();
    await ask('', { method: 'POST', body: REQUEST });
    const history = [{ role: 'user', content: 'Begin.' }, MESSAGE, { role: 'user', content: 'Go on.' }];
    const { body: second } = await ask('', { method: 'POST', body: { ...REQUEST, input: history } });
    const { body } = await ask(`/${second.id}/input_items?limit=5`);
    expect(body.data.map(({ content }) => content)).toEqual(['Begin.', MESSAGE.content, 'Go on.']);
    expect(body).toMatchObject({ query: 'limit=5' });
    expect(JSON.stringify(body)).not.toMatch(HIDDEN);
  });

  it('is deleted with all its rounds', async () => {
    const { ask, upstream } = await startKeeping();
    await ask('', { method: 'POST', body: REQUEST });
    expect(await ask('/resp_1', { method: 'DELETE' })).toEqual({
      status: 200,
      body: { id: 'resp_1', object: 'response', deleted: true },
    });
    const deleted = upstream.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
    expect(deleted).toEqual(['/v1/responses/resp_2', '/v1/responses/resp_1']);
    expect((await ask('/resp_1')).status).toBe(404);
  });

  it.each(['', '/input_items', '/cancel'])('does not exist for another key (%s)', async (part) => {
    const { ask, createKey, upstream } = await startKeeping();
    await ask('', { method: 'POST', body: REQUEST });
    const key = await createKey();
    const before = upstream.seen.length;
    const { status, body } = await ask(`/resp_1${part}`, { method: part === '/cancel' ? 'POST' : 'GET', key });
    expect(status).toBe(404);
    expect(body.error.message).toContain('resp_1');
    expect(upstream.seen).toHaveLength(before);
    expect((await ask('/resp_1', { key: await createKey(['proxy', 'manage']) })).status).toBe(200);
  });
});

describe.each([false, true])('a stored response without skills, compressed: %s', (isPacked) => {
  it('belongs to its client from the moment it exists', async () => {
    const { ask, createKey } = await startKeeping({ isPacked });
    const { body: told } = await ask('', { method: 'POST', body: { ...REQUEST, background: true } });
    await vi.waitFor(async () => expect((await ask(`/${told.id}`)).body).toEqual(told), 20_000);
    expect((await ask(`/${told.id}`, { key: await createKey() })).status).toBe(404);
  });
});

it('a stream without skills belongs to its client, and ids that it repeats from the request grant no ownership', async () => {
  const frames = [
    { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', metadata: { id: 'resp_of_others' } } },
    { type: 'response.completed', sequence_number: 1, response: { id: 'resp_1' } },
  ];
  const upstream = await startUpstream(({ method }, response) => {
    if (method === 'GET') return void response.writeHead(200).end('{"id":"resp_1"}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join(''));
  });
  const { url, gateway } = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` });
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...REQUEST, stream: true, background: true });
  await (await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })).text();
  const statusOf = async (id: string): Promise<number> =>
    (await fetch(`${url}/v1/responses/${id}`, { headers })).status;
  await vi.waitFor(async () => expect(await statusOf('resp_1')).toBe(200), 20_000);
  expect(await statusOf('resp_of_others')).toBe(404);
});

it('an unknown id is not found', async () => {
  const { ask } = await startKeeping();
  expect((await ask('/resp_unknown')).status).toBe(404);
});

it('responses are not found without an upstream, and the demo model keeps none', async () => {
  const { url } = await startGatewayTo({ baseUrl: () => 'http://127.0.0.1:1' }, { upstreams: [] }, [ECHO_HANDLER]);
  const get = async (id: string): Promise<unknown> => {
    const response = await fetch(`${url}/v1/responses/${id}`);
    return [response.status, await response.json()];
  };
  expect(await get('resp_nope')).toMatchObject([
    404,
    {
      error: {
        message: "This key has no response 'resp_nope'. Only a key with the scope manage can use other keys' objects.",
        type: 'invalid_request_error',
      },
    },
  ]);
  const asked = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', input: 'How many words are in "a b"?' }),
  });
  const { id } = (await asked.json()) as { id: string };
  expect(JSON.stringify(await get(id))).not.toContain('not configured');
  expect(await get(id)).toMatchObject([404, { error: { type: 'invalid_request_error' } }]);
});

describe('a response that the provider keeps in several parts', () => {
  const CALL = echoCall('1');
  const PARTS = new Map([
    ['resp_1', answered('resp_1', [CALL])],
    ['resp_2', answered('resp_2', [said('Done.')])],
  ]);
  const eventsOf = (kept: WireBody): string => {
    const [item] = kept['output'] as [WireBody];
    return [
      { type: 'response.created', response: { ...kept, output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: kept },
    ]
      .map(
        (event, number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`,
      )
      .join('');
  };
  const startParts = (): Promise<ToldLoop> =>
    startTold([
      ({ method, url, body }, answer) => {
        const isLast = method === 'GET' ? url.includes('resp_2') : body.toString().includes('echo of');
        const kept = PARTS.get(isLast ? 'resp_2' : 'resp_1') ?? {};
        if (method === 'GET' && url.includes('stream=true'))
          return void answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(eventsOf(kept));
        answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(kept));
      },
    ]);

  it('streams again in the form the client knows, from the requested event', async () => {
    const { ask, url } = await startParts();
    const { id } = await ask('/v1/responses', REQUEST);
    const stream = async (query: string): Promise<readonly WireBody[]> => {
      const text = await (await fetch(`${url}/v1/responses/${String(id)}?stream=true${query}`)).text();
      expect(text).not.toMatch(/echo|hidden/);
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as WireBody);
    };
    const events = await stream('');
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, place) => place));
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { id: 'resp_1', output: [{ type: 'message' }] },
    });
    expect(await stream('&starting_after=1')).toEqual(events.slice(2));
  });

  it.each(['input_tokens', 'compact'])('continues from its last part at /v1/responses/%s', async (part) => {
    const { ask, bodies } = await startParts();
    const { id } = await ask('/v1/responses', REQUEST);
    await ask(`/v1/responses/${part}`, { ...REQUEST, previous_response_id: id });
    expect(bodies().at(-1)).toEqual({ ...REQUEST, previous_response_id: 'resp_2' });
  });
});

it('a response belongs to its client wherever its id appears in the body', async () => {
  const { id, ...rest } = answered('resp_1', [said('Done.')]);
  const { gateway, url, post } = await startTold([{ metadata: { id: 'resp_of_others' }, ...rest, id }]);
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const headers = { authorization: `Bearer ${secret}` };
  await (await post('/v1/responses', REQUEST, { ...headers, 'x-skillwright-mode': 'off' })).text();
  const statusOf = async (asked: string): Promise<number> =>
    (await fetch(`${url}/v1/responses/${asked}`, { headers })).status;
  await vi.waitFor(async () => expect(await statusOf('resp_1')).toBe(200), 20_000);
  expect(await statusOf('resp_of_others')).toBe(404);
});
