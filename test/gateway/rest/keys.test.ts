import { describe, expect, it } from 'vitest';
import { callWith, startRest } from './rest-gateway.ts';

describe('keys', () => {
  it('are shown once, work at once, and appear nowhere afterwards', async () => {
    const { client, url, lines } = await startRest();
    const manager = await client('manage', 'execute');
    const created = await manager.call('POST', '/api/keys', { name: ' app ', scopes: ['execute', 'execute'] });
    expect(created.status).toBe(201);
    const { secret, key } = created.body as { secret: string; key: { id: string; prefix: string } };
    expect(key).toMatchObject({ name: 'app', scopes: ['execute'], revokedAt: null, expiresAt: null });
    expect(secret.startsWith(key.prefix)).toBe(true);
    expect((await callWith(url, secret, 'GET', '/api/skills')).status).toBe(200);
    const elsewhere = [await manager.call('GET', '/api/keys'), await manager.call('GET', '/api/audit'), lines];
    expect(JSON.stringify(elsewhere)).toContain(key.id);
    expect(JSON.stringify(elsewhere)).not.toContain(secret.slice(key.prefix.length));
    expect(await manager.call('DELETE', `/api/keys/${key.id}`)).toMatchObject({ status: 200 });
    expect((await callWith(url, secret, 'GET', '/api/skills')).status).toBe(401);
    expect(await manager.call('DELETE', `/api/keys/${key.id}`)).toMatchObject({
      status: 404,
      body: { code: 'KeyNotFound' },
    });
  });

  it('get no scope that their creator lacks', async () => {
    const { client } = await startRest();
    const manager = await client('manage');
    const create = (scopes: readonly string[]): Promise<unknown> =>
      manager.call('POST', '/api/keys', { name: 'x', scopes });
    expect(await create(['execute'])).toMatchObject({ status: 403, body: { data: { scopes: ['execute'] } } });
    expect(await create(['manage', 'proxy'])).toMatchObject({ status: 403 });
    expect(await create(['manage'])).toMatchObject({ status: 201 });
  });

  it('always include one with the scope manage', async () => {
    const { client } = await startRest();
    const manager = await client('manage');
    expect(await manager.call('DELETE', `/api/keys/${manager.keyId}`)).toMatchObject({
      status: 409,
      body: { code: 'LastManageKey' },
    });
    const { body } = await manager.call('POST', '/api/keys', { name: 'short', scopes: ['manage'], expiresAt: 9e14 });
    expect(body['key']).toMatchObject({ expiresAt: 9e14 });
    expect(await manager.call('DELETE', `/api/keys/${manager.keyId}`)).toMatchObject({ status: 409 });
    await manager.call('POST', '/api/keys', { name: 'second', scopes: ['manage'] });
    expect(await manager.call('DELETE', `/api/keys/${manager.keyId}`)).toMatchObject({ status: 200 });
    expect(await manager.call('GET', '/api/keys')).toMatchObject({ status: 401 });
  });

  it.each([
    ['no scopes', { name: 'x', scopes: [] }, 'scopes must be a list of one or more of manage, execute, proxy'],
    ['an unknown scope', { name: 'x', scopes: ['all'] }, 'scopes[0] must be one of manage, execute, proxy'],
    ['no name', { scopes: ['manage'] }, 'name is missing: it must be a text'],
    ['an empty name', { name: '  ', scopes: ['manage'] }, 'name must be a text that is not empty'],
    ['an end in the past', { name: 'x', scopes: ['manage'], expiresAt: 5 }, 'expiresat must be in the future'],
    [
      'a negative limit',
      { name: 'x', scopes: ['manage'], requestsPerMinute: -1 },
      'requestsperminute must be a whole number from 1 to 1000000',
    ],
  ])('are not created with %s', async (_what, body, message) => {
    const { client } = await startRest();
    const answer = await (await client('manage')).call('POST', '/api/keys', body);
    expect(answer.status).toBe(400);
    expect(String(answer.body['error']).toLowerCase()).toContain(message);
    expect(answer.body['code']).toBe('InvalidRequest');
  });
});

describe('the program that owns the gateway', () => {
  it('needs no key, and network clients cannot pose as it', async () => {
    const { gateway, url, client } = await startRest();
    const request = (): Request => new Request('http://localhost/api/keys', { headers: { operator: 'true' } });
    expect((await gateway.fetch(request(), { operator: true })).status).toBe(200);
    expect((await gateway.fetch(request())).status).toBe(401);
    expect((await fetch(`${url}/api/keys?operator=true`, { headers: { operator: 'true' } })).status).toBe(401);
    const headers = { 'content-type': 'application/json' };
    const settings = { method: 'PUT', headers, body: '{"traceContent":true}' };
    await gateway.fetch(new Request('http://localhost/api/settings', settings), { operator: true });
    const { body } = await (await client('manage')).call('GET', '/api/audit');
    expect(body['data']).toMatchObject([{ action: 'settings.update', apiKeyId: null }]);
  });
});

describe('settings', () => {
  it('can be changed one by one, and are saved', async () => {
    const { client, gateway } = await startRest();
    const manager = await client('manage');
    const settings = { skillsEnabled: true, customSkillExecutionEnabled: true, traceContent: false };
    expect((await manager.call('GET', '/api/settings')).body).toEqual({ settings });
    const changed = await manager.call('PUT', '/api/settings', { customSkillExecutionEnabled: false });
    expect(changed.body).toEqual({ success: true, settings: { ...settings, customSkillExecutionEnabled: false } });
    expect(gateway.store.settings.current.customSkillExecutionEnabled).toBe(false);
    expect(await gateway.store.settingTable.readAll()).toEqual({ customSkillExecutionEnabled: false });
    const { body } = await manager.call('GET', '/api/audit?action=settings.update');
    expect(body['data']).toMatchObject([{ before: settings, after: { customSkillExecutionEnabled: false } }]);
  });

  it.each([
    [{}, 'at least one setting to change'],
    [{ skillsEnabled: 'no' }, 'skillsenabled must be true or false'],
    [{ skillsenabled: false }, "unknown field 'skillsenabled'"],
    [null, 'the body must be an object'],
  ])('refuse %j', async (body, message) => {
    const { client } = await startRest();
    const answer = await (await client('manage')).call('PUT', '/api/settings', body);
    expect(answer.status).toBe(400);
    expect(String(answer.body['error']).toLowerCase()).toContain(message);
  });
});

describe('upstreams', () => {
  it('are listed without their keys', async () => {
    const upstreams = [{ id: 'one', format: 'gemini', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'PATH' } as const];
    const { client } = await startRest({ upstreams });
    const { body } = await (await client('manage')).call('GET', '/api/upstreams');
    expect(body).toEqual({
      upstreams: [
        { id: 'one', format: 'gemini', baseUrl: 'http://127.0.0.1:9', models: ['*'], forwardKeys: false, hasKey: true },
      ],
    });
  });
});

describe('traces', () => {
  it('are hidden from other keys', async () => {
    const { client, gateway } = await startRest();
    const [manager, worker] = [await client('manage'), await client('execute')];
    const common = {
      session: null,
      startedAt: 1,
      durationMs: 1,
      model: 'm',
      format: 'f',
      rounds: 1,
      skills: [],
      error: null,
    };
    const tokens = { inputTokens: null, outputTokens: null, events: [] };
    await gateway.store.traces.add([
      { id: 'own', tenant: worker.keyId, ...common, ...tokens },
      { id: 'other', tenant: manager.keyId, ...common, ...tokens },
    ]);
    expect((await worker.call('GET', '/api/traces')).body).toMatchObject({ total: 1, data: [{ id: 'own' }] });
    expect((await manager.call('GET', '/api/traces')).body).toMatchObject({ total: 2 });
    expect(await worker.call('GET', '/api/traces/other')).toMatchObject({
      status: 404,
      body: { code: 'TraceNotFound' },
    });
    expect(await worker.call('GET', '/api/traces/own')).toMatchObject({ status: 200 });
  });
});
