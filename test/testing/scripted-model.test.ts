import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createScriptedModel, type Conversation } from '../../packages/skillwright/src/testing/index.ts';
import { ask, bodyOf, errorOf, FORMATS, startModel } from './model-requests.ts';

describe('a scripted model', () => {
  it('plays its turns in order and reports when they are used up', async () => {
    const model = await startModel({ script: [{ text: 'One.' }, { text: 'Two.' }] });
    const said = await Promise.all([
      (await ask(model, 'openai-chat', bodyOf('openai-chat'))).text(),
      (await ask(model, 'anthropic-messages', bodyOf('anthropic-messages'))).text(),
    ]);
    expect(said[0]).toContain('One.');
    expect(said[1]).toContain('Two.');
    const { status, message } = await errorOf(await ask(model, 'gemini', bodyOf('gemini')));
    expect({ status, message }).toEqual({
      status: 400,
      message: 'The script of this model has 2 turns, and this is request 3.',
    });
  });

  it('repeats its last turn forever on request', async () => {
    const model = await startModel({ script: [{ calls: [{ name: 'weather' }] }], afterScript: 'repeat' });
    const ids = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const response = await ask(model, 'openai-chat', bodyOf('openai-chat'));
      const { choices } = (await response.json()) as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
      ids.add(choices[0].message.tool_calls[0].id);
    }
    expect(ids.size).toBe(5);
  });

  it.each(FORMATS)('passes the same conversation to respond in %s', async (format) => {
    const seen: Conversation[] = [];
    const model = await startModel({
      respond: (conversation) => {
        seen.push(conversation);
        return { text: `${conversation.userText} ${conversation.tools.map(({ name }) => name).join()}` };
      },
    });
    const text = await (await ask(model, format, bodyOf(format))).text();
    expect(text).toContain('Weather? weather');
    expect(seen).toMatchObject([
      {
        format,
        model: 'm',
        stream: false,
        system: 'Be brief.',
        messages: [{ role: 'user', text: 'Weather?' }],
        results: [],
        index: 0,
        tools: [{ name: 'weather', description: 'The weather of a city.', schema: { type: 'object' } }],
      },
    ]);
  });

  it.each([
    ['throws', () => Promise.reject(new TypeError('no idea')), 'no idea'],
    ['returns nothing', () => undefined as never, 'returned no turn'],
    ['returns an invalid status', () => ({ fault: { type: 'status', status: 99 } as const }), 'from 400 to 599'],
    ['returns a value that is not JSON', () => ({ calls: [{ name: 'x', arguments: 1n }] }), 'cannot be sent'],
  ])('returns a 400 when respond %s', async (_what, respond, message) => {
    const model = await startModel({ respond });
    const error = await errorOf(await ask(model, 'openai-responses', bodyOf('openai-responses')));
    expect(error.status).toBe(400);
    expect(error.message).toContain(message);
  });

  it('records requests with their outcomes', async () => {
    const model = await startModel({ script: [{ text: 'Hi.' }] });
    const body = bodyOf('openai-chat');
    await (await ask(model, 'openai-chat', body, { headers: { 'x-mark': 'a' } })).text();
    await (await ask(model, 'openai-chat', { ...body, messages: [] })).text();
    expect(model.requests).toMatchObject([
      { format: 'openai-chat', path: '/v1/chat/completions', body, turn: { text: 'Hi.' }, refusal: undefined },
      { refusal: { status: 400 }, turn: undefined },
    ]);
    expect(model.requests[0]?.headers['x-mark']).toBe('a');
    expect(model.requests[0]?.text).toBe(JSON.stringify(body));
    expect(await model.requests[0]?.ended).toBe('sent');
  });

  it('remembers only the configured number of requests', async () => {
    const model = await startModel({ script: [{}], afterScript: 'repeat', remembered: 2 });
    for (let round = 0; round < 4; round += 1) await (await ask(model, 'gemini', bodyOf('gemini'))).text();
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.conversation?.index).toBe(3);
  });

  it('runs beside others, each on its own port', async () => {
    const [one, two] = await Promise.all([startModel({ script: [] }), startModel({ script: [] })]);
    expect(one.url).not.toBe(two.url);
    expect(one.baseUrl('openai-chat')).toBe(`${one.url}/v1`);
    expect(one.baseUrl('openai-responses', 'openrouter')).toBe(`${one.url}/api/v1`);
    expect(one.baseUrl('gemini')).toBe(one.url);
  });

  it('is gone once closed, and may be closed twice', async () => {
    const model = await createScriptedModel({ script: [{ fault: { type: 'stall' } }] });
    const failure = ask(model, 'openai-chat', bodyOf('openai-chat')).catch((error: unknown) => error);
    await expect.poll(() => model.requests.length).toBe(1);
    await Promise.all([model.close(), model.close()]);
    expect(await failure).toBeInstanceOf(TypeError);
    expect(await model.requests[0]?.ended).toBe('aborted');
    await expect(fetch(model.url)).rejects.toThrow('fetch failed');
  });

  it.each([
    ['neither script nor respond', {}],
    ['both', { script: [], respond: () => ({}) }],
    ['an unknown format', { script: [], formats: ['telepathy'] as never }],
    ['nothing to repeat', { script: [], afterScript: 'repeat' as const }],
    ['room for no requests', { script: [], remembered: 0 }],
  ])('does not start with %s', async (_what, options) => {
    await expect(createScriptedModel(options)).rejects.toMatchObject({ code: 'InvalidOptions' });
  });
});

describe('the server', () => {
  it.each([
    ['openai-chat', 401],
    ['openai-responses', 401],
    ['anthropic-messages', 401],
    ['gemini', 403],
  ] as const)('refuses requests without a key in %s', async (format, status) => {
    const model = await startModel({ script: [{}] });
    const response = await ask(model, format, bodyOf(format), { headers: { authorization: null } });
    expect(response.status).toBe(status);
  });

  it.each([
    ['anthropic-messages', { headers: { authorization: null, 'x-api-key': 'right' } }],
    ['gemini', { headers: { authorization: null, 'x-goog-api-key': 'right' } }],
    ['gemini', { headers: { authorization: null }, query: '?key=right' }],
    ['openai-chat', { headers: { authorization: 'Bearer right' } }],
  ] as const)('accepts the key where clients of %s send it', async (format, options) => {
    const model = await startModel({ script: [{}], apiKey: 'right' });
    expect((await ask(model, format, bodyOf(format))).status).toBeGreaterThanOrEqual(400);
    expect((await ask(model, format, bodyOf(format), options)).status).toBe(200);
  });

  it.each(FORMATS)('accepts only JSON objects in %s', async (format) => {
    const model = await startModel({ script: [{}] });
    const body = bodyOf(format);
    const refused = [
      await ask(model, format, body, { headers: { 'content-type': 'text/plain' } }),
      await ask(model, format, body, { text: '{"a": ' }),
      await ask(model, format, body, { text: '[]' }),
      await ask(model, format, body, { text: '' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it('serves no other paths, and no other formats than those enabled', async () => {
    const model = await startModel({ script: [{}], formats: ['gemini'] });
    expect((await ask(model, 'openai-chat', bodyOf('openai-chat'))).status).toBe(404);
    expect((await ask(model, 'gemini', bodyOf('gemini'))).status).toBe(200);
    expect((await fetch(`${model.url}/v1/messages`)).status).toBe(404);
    expect((await fetch(`${model.url}//%zz`)).status).toBe(404);
  });

  it('knows only its models, if it has a list', async () => {
    const model = await startModel({ script: [{}], models: ['a', 'b'] });
    expect((await ask(model, 'gemini', bodyOf('gemini'))).status).toBe(404);
    expect((await ask(model, 'openai-chat', { ...bodyOf('openai-chat'), model: 'b' })).status).toBe(200);
    const lists = await Promise.all(
      [
        fetch(`${model.url}/v1/models`),
        fetch(`${model.url}/v1/models`, { headers: { 'anthropic-version': '2023-06-01' } }),
        fetch(`${model.url}/v1beta/models`),
      ].map(async (response): Promise<unknown> => (await response).json()),
    );
    expect(lists).toMatchObject([
      { object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] },
      { data: [{ id: 'a', type: 'model' }, { id: 'b' }], has_more: false },
      { models: [{ name: 'models/a' }, { name: 'models/b' }] },
    ]);
  });

  it('survives a client that leaves during a response', async () => {
    const model = await startModel({ script: [{ text: 'Still here.' }] });
    const socket = connect(Number(new URL(model.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      'POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{',
    );
    socket.destroy();
    await once(socket, 'close');
    expect((await ask(model, 'gemini', bodyOf('gemini'))).status).toBe(200);
  });
});
