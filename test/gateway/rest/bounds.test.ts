import { describe, expect, it } from 'vitest';
import { callWith, installReverseText, REVERSE_TEXT, startRest } from './rest-gateway.ts';

const SKILL = { name: 'echo', handlerCode: 'echo-handler', schema: { input: {}, output: {} } };

describe('over REST', () => {
  it('large bodies and inputs get a 413, and lists stay short', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    await installReverseText(manager, SKILL);
    const runner = await rest.client('execute');
    const run = (a: unknown): ReturnType<typeof runner.call> =>
      runner.call('POST', '/api/skills/executions', { skillName: 'echo', input: { a } });
    expect(await run('x'.repeat(9_000_000))).toMatchObject({ status: 413, body: { code: 'BodyTooLarge' } });
    expect(await run('x'.repeat(5_000_000))).toMatchObject({ status: 413, body: { code: 'InputTooLarge' } });
    expect(await run(Array.from({ length: 300_000 }, () => []))).toMatchObject({
      status: 413,
      body: { code: 'InputTooLarge' },
    });
    for (let index = 0; index < 5; index += 1) expect((await run('x'.repeat(4_000_000))).status).toBe(200);
    const { status, body } = await runner.call('GET', '/api/skills/executions?limit=200');
    expect(status).toBe(200);
    expect(JSON.stringify(body).length).toBeLessThan(10_000);
    expect(body['data']).toHaveLength(5);
  });

  it('a schema with too many patterns to check in time is not installed', async () => {
    const manager = await (await startRest()).client('manage');
    const places = Array.from({ length: 2_500 }, (_, place) => place);
    const properties = Object.fromEntries(places.map((place) => [`p${place}`, { pattern: `^(?:ab${place})+$` }]));
    const schema = { input: { type: 'object', properties }, output: {} };
    const refused = await manager.call('POST', '/api/skills/install', { ...REVERSE_TEXT, ...SKILL, schema });
    expect(refused).toMatchObject({ status: 422, body: { code: 'InvalidSchema' } });
    expect(refused.body['error']).toContain('too complex');
  });

  it('an input that takes longer than 100 ms to validate is refused, and nothing runs', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    const slow = { type: 'string', pattern: '^.*a.*a.*a.*b$' };
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`p${place}`, slow]));
    await installReverseText(manager, { ...SKILL, schema: { input: { type: 'object', properties }, output: {} } });
    const input = Object.fromEntries(Object.keys(properties).map((name) => [name, 'a'.repeat(2_000)]));
    const refused = await manager.call('POST', '/api/skills/executions', { skillName: 'echo', input });
    expect(refused).toMatchObject({ status: 400, body: { code: 'InvalidInput' } });
    expect(refused.body['error']).toContain('longer than 100 ms');
    expect((await manager.call('GET', '/api/skills/executions')).body).toMatchObject({ total: 0 });
  });

  it('two managers cannot revoke each other', async () => {
    const { gateway } = await startRest();
    for (let round = 0; round < 5; round += 1) {
      for (const { id } of await gateway.keys.list()) await gateway.keys.revoke(id);
      const make = (name: string): ReturnType<typeof gateway.keys.create> =>
        gateway.keys.create({ name, scopes: ['manage'] });
      const [one, other] = [await make('one'), await make('other')];
      const revoke = async (id: string, secret: string): Promise<number> => {
        const headers = { authorization: `Bearer ${secret}` };
        const request = new Request(`http://localhost/api/keys/${id}`, { method: 'DELETE', headers });
        return (await gateway.fetch(request)).status;
      };
      const statuses = await Promise.all([revoke(one.key.id, other.secret), revoke(other.key.id, one.secret)]);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      const left = (await gateway.keys.list()).filter(({ revokedAt }) => revokedAt === null);
      expect(left).toHaveLength(1);
    }
  });

  it('an event stream ends when its key is revoked', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    rest.gateway.executor.registerHandler('waits', (_input, { signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({}), { once: true });
      });
    });
    await installReverseText(manager, { ...SKILL, name: 'waits', handlerCode: 'waits' });
    const runner = await rest.client('execute');
    const { body } = await runner.call('POST', '/api/skills/executions', { skillName: 'waits', wait: false });
    const { id } = body['execution'] as { id: string };
    const follow = (secret: string): Promise<Response> =>
      fetch(`${rest.url}/api/skills/executions/${id}/events`, { headers: { authorization: `Bearer ${secret}` } });
    const watcher = await rest.client('manage');
    const [own, another] = [await follow(runner.secret), await follow(watcher.secret)];
    expect((await manager.call('DELETE', `/api/keys/${watcher.keyId}`)).status).toBe(200);
    expect(await another.text()).toContain('"status":"running"');
    expect(await rest.gateway.executor.getExecution(id)).toMatchObject({ status: 'running' });
    expect((await manager.call('DELETE', `/api/keys/${runner.keyId}`)).status).toBe(200);
    await own.text();
    await expect
      .poll(async () => (await rest.gateway.executor.getExecution(id))?.status, { timeout: 5_000 })
      .toBe('cancelled');
    expect((await callWith(rest.url, runner.secret, 'GET', '/api/skills')).status).toBe(401);
  });

  it('nothing runs for a key that does not exist, and an installation for such a key says so', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    const gone = await rest.client('execute');
    await installReverseText(manager, SKILL);
    await rest.gateway.keys.revoke(gone.keyId);
    for (const apiKeyId of ['nobody', gone.keyId]) {
      const install = { ...SKILL, name: 'other', version: '1.0.0', description: 'x', apiKeyId };
      expect(await manager.call('POST', '/api/skills/install', install)).toMatchObject({
        status: 200,
        body: { warnings: [expect.stringContaining(apiKeyId)] },
      });
      const run = { skillName: 'echo', apiKeyId };
      expect(await manager.call('POST', '/api/skills/executions', run)).toMatchObject({
        status: 404,
        body: { code: 'KeyNotFound' },
      });
    }
  });

  it('a skill cannot be installed under a name that the gateway itself uses', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage');
    for (const name of ['web_search', 'omniroute_web_search', 'load_skill', 'use_skill']) {
      const install = { ...SKILL, name, version: '9.0.0', description: 'x' };
      expect(await manager.call('POST', '/api/skills/install', install)).toMatchObject({
        status: 400,
        body: { code: 'InvalidSkill' },
      });
    }
  });

  it('page numbers must be plain digits', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage');
    for (const query of ['page=0x1', 'page=1e3', 'limit=%2010', 'limit=1.5', 'page=', 'page=-1', 'limit=201', 'page=0'])
      expect(await manager.call('GET', `/api/keys?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'InvalidRequest' },
      });
    expect((await manager.call('GET', '/api/keys?page=2&limit=10')).body).toMatchObject({ page: 2, limit: 10 });
  });
});
