import { describe, expect, it } from 'vitest';
import { callWith, installReverseText, REVERSE_TEXT, startRest, type RestGateway } from './rest-gateway.ts';

/**
 * Returns the `x-skillwright-skipped` header of a request, with a key or without, that names skills or asks for all.
 */
async function skippedFor(
  key: string | undefined,
  { url }: RestGateway,
  skills: string | undefined,
): Promise<string | null> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(skills === undefined ? {} : { 'x-skillwright-skills': skills }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello.' }] }),
  });
  await response.text();
  return response.headers.get('x-skillwright-skipped');
}

describe('an installation', () => {
  it('returns that the skill is off, and the request that turns it on', async () => {
    const { client } = await startRest();
    const manager = await client('manage', 'execute');
    const { body } = await manager.call('POST', '/api/skills/install', REVERSE_TEXT);
    const path = `/api/skills/${String(body['id'])}`;
    expect(body).toMatchObject({ mode: 'off', turnOn: { method: 'PUT', path, body: { mode: 'auto' } } });
    const { turnOn } = body as { turnOn: { method: string; path: string; body: object } };
    expect(await manager.call(turnOn.method, turnOn.path, turnOn.body)).toMatchObject({ body: { mode: 'auto' } });
  });

  it('is followed by a 403 that says how to turn the skill on, until it is on', async () => {
    const { client } = await startRest();
    const manager = await client('manage', 'execute');
    const { body } = await manager.call('POST', '/api/skills/install', REVERSE_TEXT);
    const refused = await manager.call('POST', '/api/skills/executions', { skillName: 'reverse-text' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'SkillNotAllowed' } });
    expect(refused.body['error']).toContain(`PUT /api/skills/${String(body['id'])} with {"mode":"auto"}`);
    expect(refused.body['error']).toContain('npx skillwright skills set reverse-text mode=auto');
  });
});

describe('an unknown name', () => {
  it('gets the nearest skill that the key can see', async () => {
    const { client } = await startRest();
    const [manager, worker] = [await client('manage'), await client('execute')];
    const id = await installReverseText(manager);
    await installReverseText(manager, { name: 'secret-text', apiKeyId: manager.keyId });
    const errorOf = async (method: string, path: string, body?: object): Promise<unknown> => {
      const answer = await worker.call(method, path, body);
      expect(answer).toMatchObject({ status: 404, body: { code: 'UnknownSkill' } });
      return answer.body['error'];
    };
    expect(await errorOf('POST', '/api/skills/executions', { skillName: 'revers-text' })).toBe(
      "There is no skill 'revers-text' that this key can see. Did you mean 'reverse-text'?",
    );
    expect(await errorOf('POST', '/api/skills/executions', { skillName: 'secret-texts' })).toBe(
      "There is no skill 'secret-texts' that this key can see.",
    );
    expect(await errorOf('GET', '/api/skills/reverse-tetx')).toBe(
      `There is no skill with the id 'reverse-tetx'. Did you mean reverse-text, whose id is ${id}?`,
    );
    expect(await errorOf('GET', '/api/skills/reverse-text')).toBe(
      `There is no skill with the id 'reverse-text'. That is a name: the id of reverse-text@1.0.0 is ${id}.`,
    );
    expect(await errorOf('GET', '/api/skills/secret-text')).not.toContain('secret-text@');
  });

  it('gets the nearest document for agents, or the nearest path', async () => {
    const { client, url } = await startRest();
    const manager = await client('manage');
    const [first] = (await manager.call('GET', '/api/agent-skills')).body['skills'] as { id: string }[];
    const id = first?.id ?? '';
    expect((await manager.call('GET', `/api/agent-skills/${id}s`)).body).toMatchObject({ data: { suggestion: id } });
    expect((await manager.call('GET', '/api/skils')).body).toMatchObject({
      code: 'RouteNotFound',
      error: 'There is no route GET /api/skils. Did you mean /api/skills?',
      data: { suggestion: '/api/skills' },
    });
    expect((await callWith(url, undefined, 'POST', '/v1/chat/completion')).body).toMatchObject({
      data: { suggestion: '/v1/chat/completions' },
    });
    expect((await callWith(url, undefined, 'GET', '/quite/another')).body).toMatchObject({
      error: 'There is no route GET /quite/another. See / and /docs for the available routes.',
      data: {},
    });
  });

  it('gets instructions for making a key if the request’s own key is unknown', async () => {
    const { url } = await startRest();
    expect((await callWith(url, `sk-sw-${'x'.repeat(43)}`, 'GET', '/api/skills')).body['error']).toBe(
      "This key does not exist, has expired, or was revoked. Create one with 'npx skillwright keys create <name> --scopes execute' and the admin key in SKILLWRIGHT_TOKEN.",
    );
    const { url: closed } = await startRest({ anonymous: 'off' });
    expect((await callWith(closed, undefined, 'GET', '/api/skills')).body['error']).toBe(
      "This gateway requires a key, and the request has none. Create one with 'npx skillwright keys create <name> --scopes execute' and the admin key in SKILLWRIGHT_TOKEN.",
    );
  });

  it('gets the command for a suitable key if the scope is missing', async () => {
    const { client } = await startRest();
    const proxy = await client('proxy');
    expect((await proxy.call('POST', '/api/skills/executions', { skillName: 'x', input: {} })).body).toMatchObject({
      code: 'ScopeMissing',
      error: expect.stringContaining("'npx skillwright keys create <name> --scopes execute'") as string,
    });
  });

  it('gets the nearest name in x-skillwright-skipped', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage');
    await installReverseText(manager);
    const told = await skippedFor(undefined, rest, 'revers-text');
    expect(told).toBe('no skill fits: there is no skill named revers-text (did you mean reverse-text?)');
  });
});

describe('a built-in skill', () => {
  it('is named in x-skillwright-skipped if it needs a key and the request has none', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage');
    const proxied = await rest.client('proxy');
    const [skill] = await rest.gateway.registry.getSkillVersions('file_read');
    await manager.call('PUT', `/api/skills/${skill?.id}`, { mode: 'on' });
    expect(await skippedFor(undefined, rest, 'file_read')).toBe(
      'no skill fits: file_read needs a request with a gateway key',
    );
    expect(await skippedFor(undefined, rest, undefined)).toBe(
      'no skill fits: file_read needs a request with a gateway key',
    );
    expect(await skippedFor(proxied.secret, rest, 'file_read')).toBeNull();
  });

  it('is not removed: the response says to turn it off instead', async () => {
    const { client, gateway } = await startRest();
    const manager = await client('manage');
    const [skill] = await gateway.registry.getSkillVersions('file_read');
    const refused = await manager.call('DELETE', `/api/skills/${skill?.id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'SkillPermanent' } });
    expect(refused.body['error']).toContain('Turn it off instead');
    expect((await manager.call('GET', `/api/skills/${skill?.id}`)).status).toBe(200);
  });
});

it('a list of skills returns its rows once, and repeats them in data only on request', async () => {
  const { client } = await startRest();
  const manager = await client('manage');
  const once = (await manager.call('GET', '/api/skills?limit=2')).body;
  expect(once['skills']).toHaveLength(2);
  expect(once).not.toHaveProperty('data');
  expect((await manager.call('GET', '/api/skills?limit=2&data=0')).body).toEqual(once);
  const twice = (await manager.call('GET', '/api/skills?limit=2&data=1')).body;
  expect(twice).toEqual({ ...once, data: once['skills'] });
  expect((await manager.call('GET', '/api/skills?data=yes')).body['error']).toBe('data must be one of 0, 1.');
});

describe('an unknown model', () => {
  it.each([
    ['/v1/chat/completions', { model: 'gpt-5', messages: [] }, 'OPENAI_API_KEY or OPENROUTER_API_KEY'],
    ['/v1/messages', { model: 'claude-5', messages: [] }, 'ANTHROPIC_API_KEY or OPENROUTER_API_KEY'],
    ['/v1beta/models/gemini-9:generateContent', { contents: [] }, 'GEMINI_API_KEY'],
  ])('at %s names the variable to set while no upstream is configured', async (path, request, variables) => {
    const { url } = await startRest();
    const { status, body } = await callWith(url, undefined, 'POST', path, request);
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain(`Set ${variables} and restart the gateway`);
  });
});

describe('a request with a wrong value', () => {
  it.each([
    [
      'POST',
      '/api/keys',
      { name: 'x' },
      'scopes is missing: it must be a list of one or more of manage, execute, proxy',
    ],
    [
      'POST',
      '/api/keys',
      { name: 'x', scopes: 'proxy' },
      'scopes must be a list of one or more of manage, execute, proxy',
    ],
    ['PUT', '/api/settings', { skillEnabled: false }, "unknown field 'skillEnabled' (fields: skillsEnabled"],
    ['POST', '/api/skills/install', {}, 'schema is missing: it must be an object with input, output'],
    ['POST', '/api/approvals/a', {}, 'decision is missing: it must be one of allow, deny'],
    ['GET', '/api/skills?limit=1000', undefined, 'limit must be a whole number from 1 to 200'],
  ])('%s %s %j names the allowed values', async (method, path, request, message) => {
    const { client } = await startRest();
    const { status, body } = await (await client('manage')).call(method, path, request);
    expect(status).toBe(400);
    expect(String(body['error']).toLowerCase()).toContain(message.toLowerCase());
    expect(String(body['error'])).not.toContain('characters');
  });
});
