import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import { answered, said } from '../loop/told-upstream.ts';
import { startUpstream } from '../../upstream-server.ts';
import { startNamed, WAYS, type Told } from './named-answers.ts';
import { startGatewayTo } from '../loop/loop-gateway.ts';

const REQUEST = { model: 'm', input: 'Begin.' };
const NEXT = '/v1/responses';
const PATHS = [NEXT, '/v1/responses/input_tokens', '/v1/responses/compact'];

function expectNotFound({ status, body }: Told, id: string): void {
  expect([status, body.error?.code]).toEqual([404, 'previous_response_not_found']);
  expect(body.error?.message).toContain(id);
}

describe.each(WAYS)('previous_response_id of a request %s', (_way, headers) => {
  it.each(PATHS)('cannot name a response of another key at %s, and nothing is sent upstream', async (path) => {
    const { asker, anonymous, seen } = await startNamed();
    const [owner, other] = [await asker(), await asker()];
    const { body: told } = await owner.ask(REQUEST, NEXT, headers);
    const { body: unkeyed } = await anonymous.ask(REQUEST, NEXT, headers);
    const before = seen.length;
    const follow = { ...REQUEST, previous_response_id: told.id };
    expectNotFound(await other.ask(follow, path, headers), String(told.id));
    expectNotFound(await anonymous.ask(follow, path, headers), String(told.id));
    const unkeyedFollow = { ...REQUEST, previous_response_id: unkeyed.id };
    expectNotFound(await owner.ask(unkeyedFollow, path, headers), String(unkeyed.id));
    expectNotFound(await owner.ask({ ...REQUEST, previous_response_id: 'resp_unknown' }, path, headers), 'unknown');
    expect(seen).toHaveLength(before);
  });

  it.each(PATHS)('can name one of the key’s own responses at %s immediately', async (path) => {
    const { asker, anonymous } = await startNamed();
    for (const one of [await asker(), anonymous]) {
      const { body } = await one.ask(REQUEST, NEXT, headers);
      expect((await one.ask({ ...REQUEST, previous_response_id: body.id }, path, headers)).status).toBe(200);
    }
  });

  it.each(PATHS)('can name every response with the scope manage at %s', async (path) => {
    const { asker, last } = await startNamed();
    const manager = await asker(['proxy', 'manage']);
    const body = { ...REQUEST, previous_response_id: 'resp_of_others' };
    expect((await manager.ask(body, path, headers)).status).toBe(200);
    expect(last()).toContain('resp_of_others');
  });
});

/** The fields in which a request may name the container to use. */
const PLACES: readonly (readonly [string, (names: WireBody) => WireBody])[] = [
  [
    'of a call of a shell',
    (names) => ({ input: [{ type: 'shell_call', call_id: 'c', action: {}, environment: names }] }),
  ],
  [
    'of a tool that was found',
    (names) => ({ input: [{ type: 'tool_search_output', tools: [{ type: 'shell', ...names }] }] }),
  ],
  ['of an additional tool', (names) => ({ input: [{ type: 'additional_tools', tools: [{ environment: names }] }] })],
  [
    'of a tool in a namespace',
    (names) => ({ tools: [{ type: 'namespace', name: 'n', tools: [{ environment: names }] }] }),
  ],
  ['of a tool', (names) => ({ tools: [{ type: 'code_interpreter', ...names }] })],
  [
    'of an allowed tool',
    (names) => ({ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ container: names }] } }),
  ],
  [
    'that a message cites',
    (names) => ({
      input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [{ ...names }] }] }],
    }),
  ],
];

/** All ways in which a request may refer to a part of a response. `made` is the end of the ids of that response's parts. */
const NAMES: readonly (readonly [string, (made: string) => WireBody])[] = [
  ['a conversation', (made) => ({ conversation: `conv_${made}` })],
  ['a conversation in an object', (made) => ({ conversation: { id: `conv_${made}` } })],
  ['a reference', (made) => ({ input: [{ type: 'item_reference', id: `msg_${made}` }] })],
  ['a reference without a type', (made) => ({ input: [{ id: `msg_${made}` }] })],
  ['a reference with the type null', (made) => ({ input: [{ type: null, id: `msg_${made}` }] })],
  ['reasoning without its content', (made) => ({ input: [{ type: 'reasoning', id: `rs_${made}`, summary: [] }] })],
  ['a picture', (made) => ({ input: [{ type: 'image_generation_call', id: `ig_${made}`, result: 'AAAA' }] })],
  ['a message without content', (made) => ({ input: [{ role: 'assistant', id: `msg_${made}`, content: [] }] })],
  ['a container', (made) => ({ tools: [{ type: 'code_interpreter', container: `cntr_${made}` }] })],
  [
    'a container of a shell',
    (made) => ({
      tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: `cntr_${made}` } }],
    }),
  ],
  ...PLACES.map(
    ([place, within]) => [`a container ${place}`, (made: string) => within({ container_id: `cntr_${made}` })] as const,
  ),
  [
    'a container in an object',
    (made) => ({ tools: [{ type: 'code_interpreter', container: { id: `cntr_${made}` } }] }),
  ],
];

/** Fields that the gateway does not search, because clients and models may write anything there. */
const FREE: readonly (readonly [string, WireBody])[] = [
  ['metadata', { metadata: { container_id: 'app' } }],
  ['the variables of a prompt', { prompt: { id: 'pmpt_1', variables: { container: 'app', container_id: 'app' } } }],
  [
    'a function’s parameters',
    { tools: [{ type: 'function', name: 'f', parameters: { container_id: { id: 'app' } } }] },
  ],
  ['headers', { tools: [{ type: 'mcp', server_label: 'm', headers: { container_id: 'app' } }] }],
  ['a schema', { text: { format: { type: 'json_schema', name: 's', schema: { container: { id: 'app' } } } } }],
  [
    'arguments',
    {
      input: [
        { type: 'tool_search_call', call_id: 'c', arguments: { container_id: 'app' } },
        { type: 'function_call_output', call_id: 'd', output: '{"container_id":"app"}' },
        { type: 'local_shell_call', call_id: 'e', action: { type: 'exec', env: { CONTAINER: 'app' }, command: [] } },
      ],
    },
  ],
  ['a container to be created', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
];

describe.each(WAYS)('an id in the input of a request %s', (_way, headers) => {
  it.each(NAMES)('is not found if it belongs to another key: %s', async (_name, namesOf) => {
    const { asker, anonymous, seen } = await startNamed();
    const [owner, other] = [await asker(), await asker()];
    const { body } = await owner.ask(REQUEST, NEXT, headers);
    const [{ id } = { id: '' }] = (body['output'] as WireBody[]).slice(-1);
    const before = seen.length;
    for (const one of [other, anonymous])
      for (const path of PATHS) {
        const told = await one.ask({ ...REQUEST, ...namesOf(String(id).replace('msg_', '')) }, path, headers);
        expect([told.status, told.body.error?.code]).toEqual([404, 'stored_not_found']);
      }
    expect(seen).toHaveLength(before);
  });

  it.each([
    ['whole', {}],
    ['as a stream', { stream: true }],
    ['with store: false', { store: false }],
  ])('is found at once in one of the key’s own responses, which came %s', async (_how, more) => {
    for (const isPacked of [false, true]) {
      const { asker, last } = await startNamed({ isPacked });
      const owner = await asker();
      const { body } = await owner.ask({ ...REQUEST, ...more }, NEXT, headers);
      const made = String((body['output'] as WireBody[]).at(-1)?.['id']).replace('msg_', '');
      for (const [name, namesOf] of NAMES.filter(([, names]) => !JSON.stringify(names('')).includes('conversation'))) {
        const named = namesOf(made);
        expect([name, (await owner.ask({ ...REQUEST, ...named }, NEXT, headers)).status]).toEqual([name, 200]);
        expect(last()).toContain(/\w+_\d+/.exec(JSON.stringify(named))?.[0]);
      }
    }
  });

  it('is ignored in free text', async () => {
    const { asker } = await startNamed();
    const one = await asker();
    for (const [name, body] of FREE)
      expect([name, (await one.ask({ ...REQUEST, ...body }, NEXT, headers)).status]).toEqual([name, 200]);
  });

  it.each([false, true])('may be an id that only the shell or a citation named, streamed: %s', async (stream) => {
    const { asker } = await startNamed();
    const owner = await asker();
    const { body } = await owner.ask({ ...REQUEST, stream }, NEXT, headers);
    const made = String((body['output'] as WireBody[]).at(-1)?.['id']).replace('msg_', '');
    for (const name of [`shell_${made}`, `cited_${made}`]) {
      const input = [{ type: 'shell_call', call_id: 'c', environment: { container_id: `cntr_${name}` } }];
      expect([name, (await owner.ask({ ...REQUEST, input }, NEXT, headers)).status]).toEqual([name, 200]);
      expect([name, (await (await asker()).ask({ ...REQUEST, input }, NEXT, headers)).status]).toEqual([name, 404]);
    }
  });

  it('is always found with the scope manage', async () => {
    const { asker } = await startNamed();
    const manager = await asker(['proxy', 'manage']);
    for (const [name, namesOf] of NAMES)
      expect([name, (await manager.ask({ ...REQUEST, ...namesOf('9') }, NEXT, headers)).status]).toEqual([name, 200]);
  });

  it('is not looked up if the item is complete', async () => {
    const { asker } = await startNamed();
    const input = [
      { type: 'message', role: 'assistant', id: 'msg_of_old', content: [{ type: 'output_text', text: 'Hello.' }] },
      { role: 'assistant', id: 'msg_of_old', content: 'Hello.' },
      { type: 'reasoning', id: 'rs_of_old', summary: [], encrypted_content: 'sealed' },
      { type: 'reasoning', id: 'rs_of_old', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'function_call', id: 'fc_of_old', call_id: 'c', name: 'weather', arguments: '{"id":"item_reference"}' },
      { type: 'function_call_output', id: 'fco_of_old', call_id: 'c', output: 'sunny' },
      { role: 'user', content: [{ type: 'input_file', file_id: 'file_of_the_operator' }] },
    ];
    const tools = [
      { type: 'function', name: 'run', parameters: { type: 'object', properties: { conversation: {}, id: {} } } },
      { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_of_the_operator'] } },
      { type: 'file_search', vector_store_ids: ['vs_of_the_operator'] },
    ];
    const metadata = { conversation: 'of the app', previous_response_id: 'of the app' };
    const { status } = await (await asker()).ask({ ...REQUEST, input, tools, metadata }, NEXT, headers);
    expect(status).toBe(200);
  });
});

it.each([...PATHS, '/v1/conversations'])('a body that is not an object is refused at %s', async (path) => {
  const { asker, seen } = await startNamed();
  const [owner, other] = [await asker(), await asker()];
  const { body: told } = await owner.ask(REQUEST);
  const before = seen.length;
  for (const body of [[{ ...REQUEST, previous_response_id: told.id }], '"text"', 'null', '5']) {
    const refused = await other.ask(body, path);
    expect([refused.status, refused.body.error?.message]).toEqual([400, 'The body is not a JSON object.']);
  }
  expect(seen).toHaveLength(before);
});

it('a response made in the background belongs to its client, with everything added later', async () => {
  let polls = 0;
  const upstream = await startUpstream(({ method, body }, response) => {
    polls += method === 'GET' ? 1 : 0;
    const output = polls > 0 ? [said('Done.', 'msg_late')] : [];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...answered('resp_1', output), background: body.includes('background') }));
  });
  const { url, gateway } = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` });
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const post = async (body: WireBody): Promise<number> =>
    (await fetch(`${url}${NEXT}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  const follow = { ...REQUEST, input: [{ type: 'item_reference', id: 'msg_late' }] };
  expect(await post({ ...REQUEST, background: true })).toBe(200);
  expect(await post(follow)).toBe(404);
  await (await fetch(`${url}${NEXT}/resp_1`, { headers })).text();
  expect(await post(follow)).toBe(200);
});

it('ids in the input of a response grant no ownership, because clients choose them', async () => {
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...answered('resp_1', []), data: [{ id: 'msg_x' }], output_text: '' }));
  });
  const { url, gateway } = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` });
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const post = async (body: WireBody): Promise<number> =>
    (await fetch(`${url}${NEXT}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  expect(await post({ ...REQUEST, input: [{ role: 'assistant', id: 'msg_x', content: 'Hello.' }] })).toBe(200);
  await (await fetch(`${url}${NEXT}/resp_1/input_items`, { headers })).text();
  expect(await post({ ...REQUEST, input: [{ type: 'item_reference', id: 'msg_x' }] })).toBe(404);
});

it('a compressed response can be continued at once by its owner', async () => {
  const { asker } = await startNamed({ isPacked: true });
  const owner = await asker();
  const off = { 'x-skillwright-mode': 'off' };
  let previous: unknown;
  for (let turn = 0; turn < 10; turn += 1) {
    const { status, body } = await owner.ask({ ...REQUEST, previous_response_id: previous }, NEXT, off);
    expect(status).toBe(200);
    previous = body.id;
  }
});

it.each([false, true])('the demo model continues only from a key’s own responses, streamed: %s', async (stream) => {
  const { url, gateway } = await startGatewayTo({ baseUrl: () => 'http://127.0.0.1:1' }, { upstreams: [] });
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const ask = async (
    previous?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; id: string }> => {
    const response = await fetch(`${url}${NEXT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'demo', input: 'Hello.', stream, previous_response_id: previous }),
    });
    return { status: response.status, id: /"id": ?"(resp_\w+)"/.exec(await response.text())?.[1] ?? '' };
  };
  const { id } = await ask();
  expect(id).toMatch(/^resp_/);
  expect((await ask(id)).status).toBe(200);
  expect((await ask(id, { authorization: `Bearer ${secret}` })).status).toBe(404);
});
