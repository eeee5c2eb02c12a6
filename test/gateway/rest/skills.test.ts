import { describe, expect, it } from 'vitest';
import type { AddedBytes } from '../../../packages/gateway/src/rest/skills/added-bytes.ts';
import { proves } from '../../proves.ts';
import { SAMPLE_SKILLS } from '../proxy/loop/loop-gateway.ts';
import { callWith, installReverseText, REVERSE_TEXT, startRest } from './rest-gateway.ts';

describe('installing a skill', () => {
  it('accepts the seed document’s request unchanged, and says that its key does not exist', async () => {
    proves('S4.install.example', 'S4.rest.install', 'S4.install.handler-name');
    const { client, gateway } = await startRest();
    const manager = await client('manage');
    const { status, body } = await manager.call('POST', '/api/skills/install', {
      ...REVERSE_TEXT,
      apiKeyId: 'your-api-key-id',
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        id: expect.any(String) as unknown,
        mode: 'off',
        turnOn: { method: 'PUT', path: `/api/skills/${String(body['id'])}`, body: { mode: 'auto' } },
        warnings: [expect.stringContaining('your-api-key-id')],
      },
    });
    expect(await gateway.registry.get(String(body['id']))).toMatchObject({
      name: 'reverse-text',
      version: '1.0.0',
      apiKeyId: 'your-api-key-id',
      kind: 'handler',
      handler: 'echo-handler',
      mode: 'off',
      enabled: false,
      installCount: 1,
    });
  });

  it('refuses a duplicate name and version for one key, but allows it for another key', async () => {
    const { client } = await startRest();
    const manager = await client('manage');
    const install = (more: object): Promise<{ status: number; body: unknown }> =>
      manager.call('POST', '/api/skills/install', { ...REVERSE_TEXT, ...more });
    expect((await install({})).status).toBe(200);
    expect(await install({})).toMatchObject({ status: 409, body: { code: 'SkillExists', status: 409 } });
    expect((await install({ version: '1.0.1' })).status).toBe(200);
    expect((await install({ apiKeyId: manager.keyId })).status).toBe(200);
  });

  it('treats the handler code as a name and never runs it', async () => {
    proves('S4.install.handler-name');
    const { client } = await startRest();
    const manager = await client('manage');
    const handlerCode = 'globalThis.wasRun = true; process.exit(3)';
    const answer = await manager.call('POST', '/api/skills/install', { ...REVERSE_TEXT, handlerCode });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'UnknownHandler', data: { handlers: ['echo-handler'] } },
    });
    expect('wasRun' in globalThis).toBe(false);
  });

  it('runs handlers that the program registered', async () => {
    proves('S4.install.registerHandler');
    const { client, gateway } = await startRest();
    gateway.executor.registerHandler('my-handler', async (input) => ({ got: input }));
    const manager = await client('manage', 'execute');
    await installReverseText(manager, { name: 'mine', handlerCode: 'my-handler', schema: { input: {}, output: {} } });
    const { body } = await manager.call('POST', '/api/skills/executions', { skillName: 'mine', input: { a: 1 } });
    expect(body['execution']).toMatchObject({ status: 'success', output: { got: { a: 1 } } });
  });

  it.each([
    ['a name that is too long', { name: 'x'.repeat(101) }, 400, 'name must be a text of at most 100 characters'],
    [
      'a name that is a sentence',
      { name: 'Reverse Text!' },
      400,
      'name must be lowercase letters and digits, with single',
    ],
    ['a name with an invalid ending', { name: 'reverse-' }, 400, 'name must be lowercase letters and digits'],
    ['no name', { name: '' }, 400, 'name must be a text that is not empty'],
    ['an invalid version', { version: '1.0' }, 400, 'version must be three numbers, as in 1.0.0'],
    [
      'a description that is too long',
      { description: 'x'.repeat(501) },
      400,
      'description must be a text of at most 500',
    ],
    [
      'a handler that is too long',
      { handlerCode: 'x'.repeat(50_001) },
      400,
      'handlerCode must be a text of at most 50000',
    ],
    ['no schema', { schema: undefined }, 400, 'schema is missing: it must be an object'],
    ['half a schema', { schema: { input: {} } }, 400, 'schema.output is missing'],
    ['an unknown member', { sourceCode: 'x' }, 400, "unknown field 'sourceCode'"],
    ['a schema of no type', { schema: { input: { type: 'text' }, output: {} } }, 422, 'input schema'],
    ['an invalid schema', { schema: { input: {}, output: { required: 'all' } } }, 422, 'output schema'],
  ])('explains what is wrong: %s', async (_what, wrong, status, message) => {
    const { client } = await startRest();
    const manager = await client('manage');
    const answer = await manager.call('POST', '/api/skills/install', { ...REVERSE_TEXT, ...wrong });
    expect(answer.status).toBe(status);
    expect(String(answer.body['error']).toLowerCase()).toContain(message.toLowerCase());
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('listing skills', () => {
  it('filters by words, mode and source, page by page', async () => {
    proves('S4.rest.list');
    const { client } = await startRest({ skills: SAMPLE_SKILLS });
    const manager = await client('manage');
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) await installReverseText(manager, { version });
    const list = async (query: string): Promise<Record<string, unknown>> =>
      (await manager.call('GET', `/api/skills?${query}`)).body;
    const all = await list('limit=200');
    expect(all).toMatchObject({ page: 1, limit: 200, totalPages: 1, provider: 'skillsmp' });
    expect(all['total']).toBe((all['skills'] as unknown[]).length);
    const found = await list('q=REVERSES&limit=2&page=2');
    expect(found).toMatchObject({ total: 3, page: 2, limit: 2, totalPages: 2 });
    expect(found['skills']).toHaveLength(1);
    expect((await list('mode=on'))['total']).toBe(3);
    expect((await list('mode=off&q=reverses'))['total']).toBe(0);
    expect((await list('source=skillsmp'))['total']).toBe(0);
    expect((await list('source=local&q=word-count'))['total']).toBe(1);
    expect(JSON.stringify(all)).not.toContain('# ');
  });

  it.each([
    ['page=0', 'page must be a whole number from 1 to 1000000'],
    ['page=x', 'page must be a whole number from 1 to 1000000'],
    ['limit=201', 'limit must be a whole number from 1 to 200'],
    ['limit=1.5', 'limit must be a whole number'],
    ['mode=maybe', 'mode must be one of on, off, auto'],
    ['source=', 'source must be one of'],
    ['page=1&page=2', 'page must be given once'],
  ])('refuses ?%s', async (query, message) => {
    const { client } = await startRest();
    const { status, body } = await (await client('manage')).call('GET', `/api/skills?${query}`);
    expect(status).toBe(400);
    expect(String(body['error']).toLowerCase()).toContain(message);
  });

  it('shows a key its own skills and the shared ones, and a key with the scope manage all of them', async () => {
    const { client } = await startRest();
    const [manager, worker, other] = [await client('manage'), await client('execute'), await client('execute')];
    const shared = await installReverseText(manager);
    const own = await installReverseText(manager, { name: 'own', apiKeyId: worker.keyId });
    const names = async (who: typeof worker): Promise<string[]> =>
      ((await who.call('GET', '/api/skills?q=reverses')).body['skills'] as { name: string }[])
        .map(({ name }) => name)
        .sort();
    expect(await names(worker)).toEqual(['own', 'reverse-text']);
    expect(await names(other)).toEqual(['reverse-text']);
    expect(await names(manager)).toEqual(['own', 'reverse-text']);
    expect((await worker.call('GET', `/api/skills/${own}`)).status).toBe(200);
    expect((await other.call('GET', `/api/skills/${shared}`)).status).toBe(200);
    expect(await other.call('GET', `/api/skills/${own}`)).toMatchObject({
      status: 404,
      body: { code: 'UnknownSkill' },
    });
  });
});

describe('one skill', () => {
  it('is shown with its tools, files, problems and versions, but without its path on disk', async () => {
    const { client } = await startRest({ skills: SAMPLE_SKILLS });
    const worker = await client('execute');
    const { body } = await worker.call('GET', '/api/skills?q=word-count');
    const [row] = body['skills'] as { id: string; name: string }[];
    const details = (await worker.call('GET', `/api/skills/${row?.id}`)).body;
    expect(details).toMatchObject({ ...row, diagnostics: [], versions: [{ id: row?.id }] });
    expect(details['tools']).toMatchObject([{ name: 'count_words' }, { name: 'word_frequency' }]);
    expect(details['files']).toContainEqual({ path: 'SKILL.md', size: expect.any(Number) as unknown });
    expect(JSON.stringify(details)).not.toContain(SAMPLE_SKILLS[0]);
  });

  it('tells how many bytes it adds to a request, by part', async () => {
    const { client } = await startRest({ skills: SAMPLE_SKILLS });
    const worker = await client('execute');
    const addsOf = async (name: string): Promise<AddedBytes> => {
      const { body } = await worker.call('GET', `/api/skills?q=${name}`);
      const row = (body['skills'] as { id: string; name: string }[]).find((skill) => skill.name === name);
      return (await worker.call('GET', `/api/skills/${row?.id}`)).body['adds'] as AddedBytes;
    };
    const adds = await addsOf('word-count');
    expect(adds.toolBytes).toBeGreaterThan(1_000);
    expect(adds.bytes).toBe(adds.systemBytes + adds.metaToolBytes + adds.toolBytes);
    expect(adds.bytes).toBeLessThanOrEqual(2_500);
    expect((await addsOf('calendar-calculator')).toolBytes).toBe(0);
    const handler = await addsOf('web_search');
    expect(handler).toMatchObject({ systemBytes: 0, metaToolBytes: 0, bytes: handler.toolBytes });
    expect(handler.bytes).toBeGreaterThan(100);
  });

  it('can be turned on, off and to automatic', async () => {
    proves('S4.rest.put', 'S4.dev.toggle');
    const { client } = await startRest();
    const manager = await client('manage', 'execute');
    const { body } = await manager.call('POST', '/api/skills/install', REVERSE_TEXT);
    const path = `/api/skills/${String(body['id'])}`;
    const run = async (): Promise<number> =>
      (await manager.call('POST', '/api/skills/executions', { skillName: 'reverse-text', input: { text: 'x' } }))
        .status;
    expect(await run()).toBe(403);
    const put = async (change: object): Promise<unknown> => (await manager.call('PUT', path, change)).body;
    expect(await put({ enabled: true })).toMatchObject({ success: true, enabled: true, mode: 'on' });
    expect(await run()).toBe(200);
    expect(await put({ mode: 'auto' })).toMatchObject({ success: true, enabled: true, mode: 'auto' });
    expect(await put({ enabled: true })).toMatchObject({ success: true, enabled: true, mode: 'auto' });
    expect(await put({ enabled: false })).toMatchObject({ success: true, enabled: false, mode: 'off' });
    expect(await run()).toBe(403);
    const settings = { policy: 'hybrid', tags: ['a'], timeoutMs: 5, retries: null };
    expect(await put(settings)).toEqual({ success: true, enabled: false, mode: 'off', ...settings });
  });

  it('can be reset to its own values', async () => {
    const { client } = await startRest({ skills: SAMPLE_SKILLS });
    const manager = await client('manage');
    for (const name of ['word-count', 'execute_command']) {
      const { body } = await manager.call('GET', `/api/skills?q=${name}`);
      const [own] = body['skills'] as { id: string; tags: string[] }[];
      const { id, mode, policy, tags, timeoutMs, retries } = own as never;
      const put = async (change: object): Promise<unknown> =>
        (await manager.call('PUT', `/api/skills/${String(id)}`, change)).body;
      const changed = { mode: 'on', policy: 'hybrid', tags: ['mine'], timeoutMs: 5, retries: 3 };
      expect(await put(changed)).toMatchObject(changed);
      const nothing = { mode: null, policy: null, tags: null, timeoutMs: null, retries: null };
      expect(await put(nothing)).toMatchObject({ mode, policy, tags, timeoutMs, retries });
    }
  });

  it.each([
    ['nothing', {}, 'must be an object with at least one setting to change'],
    ['a contradiction', { enabled: true, mode: 'off' }, "without 'enabled': true"],
    ['an unknown field', { timeoutMS: 5 }, "unknown field 'timeoutMS'"],
    ['a wrong type', { enabled: 'yes' }, 'enabled must be true or false'],
    ['an invalid timeout', { timeoutMs: 0 }, 'timeoutMs must be a whole number from 1 to 3600000'],
    ['a list', [], 'the body must be an object'],
  ])('is not changed by %s', async (_what, change, message) => {
    const { client } = await startRest();
    const manager = await client('manage');
    const id = await installReverseText(manager);
    const { status, body } = await manager.call('PUT', `/api/skills/${id}`, change);
    expect(status).toBe(400);
    expect(String(body['error']).toLowerCase()).toContain(message.toLowerCase());
  });

  it('can be removed once', async () => {
    proves('S4.rest.delete');
    const { client } = await startRest();
    const manager = await client('manage');
    const id = await installReverseText(manager);
    expect(await manager.call('DELETE', `/api/skills/${id}`)).toMatchObject({ status: 200, body: { success: true } });
    expect(await manager.call('DELETE', `/api/skills/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'UnknownSkill' },
    });
    expect(await manager.call('GET', `/api/skills/${id}`)).toMatchObject({ status: 404 });
  });
});

describe('matching skills', () => {
  it('returns the skills that fit, with a confidence and reasons', async () => {
    const { client } = await startRest({ skills: SAMPLE_SKILLS });
    const manager = await client('manage', 'execute');
    await installReverseText(manager, { name: 'mirror', description: 'Reverses a palindrome backwards.' });
    const match = async (text: string): Promise<{ fits: boolean; skills: Record<string, unknown>[] }> =>
      (await manager.call('POST', '/api/skills/match', { text })).body as never;
    const counted = await match('how many words are in this essay');
    expect(counted.fits).toBe(true);
    expect(counted.skills[0]).toMatchObject({ name: 'word-count', mode: 'auto' });
    expect(counted.skills[0]?.['confidence']).toBeGreaterThan(0.2);
    expect(counted.skills[0]?.['reasons']).not.toEqual([]);
    expect((await match('reverse this palindrome backwards')).skills[0]).toMatchObject({ name: 'mirror' });
  });
});

describe('an invalid request', () => {
  it('gets an error that uses the names as the client wrote them', async () => {
    const { client } = await startRest();
    const manager = await client('manage');
    const errorOf = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const answer = await manager.call(method, path, body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidRequest' } });
      return answer.body['error'];
    };
    expect(await errorOf('PUT', '/api/settings', { skillsEnabled: 1 })).toBe('skillsEnabled must be true or false.');
    expect(await errorOf('POST', '/api/keys', { name: 'a', scopes: ['manage'], expiresAt: 1 })).toBe(
      'expiresAt must be in the future.',
    );
    expect(await errorOf('PUT', '/api/settings', [])).toBe('The body must be an object.');
    expect(await errorOf('GET', '/api/skills/executions?sttus=error')).toBe(
      "Unknown parameter 'sttus' (parameters: apiKeyId, status, skill, id, page, limit).",
    );
    expect(await errorOf('GET', '/api/settings?all=1')).toBe("Unknown parameter 'all' (there are no parameters).");
    expect(await errorOf('GET', '/api/skills?page=1&page=2')).toBe('page must be given once.');
  });

  it('does not include one with a key in the URL', async () => {
    const { url, client } = await startRest();
    const { secret } = await client('manage');
    expect(await callWith(url, undefined, 'GET', `/api/settings?key=${secret}`)).toMatchObject({ status: 200 });
    expect(await callWith(url, undefined, 'GET', `/api/skills?page=1&key=${secret}`)).toMatchObject({ status: 200 });
  });

  it('gets the known handlers if it names an unknown one', async () => {
    const { gateway, client } = await startRest();
    const manager = await client('manage');
    const install = async (): Promise<unknown> =>
      (await manager.call('POST', '/api/skills/install', { ...REVERSE_TEXT, handlerCode: 'price-handlr' })).body[
        'error'
      ];
    expect(await install()).toContain('This gateway has echo-handler. ');
    for (let place = 0; place < 10; place += 1) gateway.executor.registerHandler(`handler-${place}`, () => null);
    expect(await install()).toMatch(/This gateway has echo-handler, handler-0, [^.]*, handler-8 and 1 more\. /);
  });
});

describe('paths and methods', () => {
  it('include the aliases of built-ins', async () => {
    const { client } = await startRest();
    const reader = await client('execute');
    expect((await reader.call('GET', '/api/skills/omniroute_web_search')).body).toMatchObject({ name: 'web_search' });
  });

  it('get a 405 with the allowed methods, or a 404 if the path is unknown', async () => {
    const { url } = await startRest();
    const put = await callWith(url, undefined, 'PUT', '/api/skills/install', {});
    expect(put).toMatchObject({ status: 405, body: { code: 'MethodNotAllowed' } });
    expect(put.headers.get('allow')).toBe('POST');
    const patched = await callWith(url, undefined, 'PATCH', '/api/skills/some', {});
    expect(patched.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE');
    const missing = await callWith(url, undefined, 'GET', '/api/skills/marketplace/x');
    expect(missing).toMatchObject({ status: 404, body: { code: 'RouteNotFound' } });
  });

  it('get a 413 or 415 in the same format', async () => {
    const { url, client } = await startRest({ limits: { bodyBytes: 2048 } });
    const manager = await client('manage');
    const long = await manager.call('POST', '/api/skills/match', { text: 'x'.repeat(5000) });
    expect(long).toMatchObject({ status: 413, body: { code: 'BodyTooLarge' } });
    const response = await fetch(`${url}/api/skills/match`, {
      method: 'POST',
      headers: { authorization: `Bearer ${manager.secret}`, 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ code: 'ContentTypeNotSupported', status: 415 });
  });
});
