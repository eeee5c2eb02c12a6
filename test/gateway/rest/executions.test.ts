import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { createLoopClient } from '../proxy/loop/loop-client.ts';
import { SAMPLE_SKILLS, startLoop } from '../proxy/loop/loop-gateway.ts';
import {
  callWith,
  installReverseText,
  REVERSE_TEXT,
  startRest,
  type RestClient,
  type RestGateway,
} from './rest-gateway.ts';

const NOTHING = { input: {}, output: {} };

/** A skill that prints something and then waits until it is released or canceled. */
async function installWaiting(
  { gateway }: RestGateway,
  manager: RestClient,
): Promise<{ letGo(): void; aborted(): boolean }> {
  const gate = Promise.withResolvers<void>();
  let isAborted = false;
  gateway.executor.registerHandler('waits', async (_input, { signal, onOutput }) => {
    onOutput('stdout', 'begun\n');
    signal.addEventListener('abort', () => void (isAborted = true), { once: true });
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([gate.promise, aborted]);
    onOutput('stderr', 'done\n');
    return { done: true };
  });
  await installReverseText(manager, { name: 'waits', handlerCode: 'waits', schema: NOTHING });
  return { letGo: () => gate.resolve(), aborted: () => isAborted };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

describe('running a skill', () => {
  it('returns the whole execution, recorded for the calling key', async () => {
    proves('S4.rest.executions-post');
    const { client } = await startRest();
    const [manager, worker] = [await client('manage'), await client('execute')];
    await installReverseText(manager);
    const order = { skillName: 'reverse-text', version: '^1.0', input: { text: 'abc' }, sessionId: 'talk' };
    const { status, body } = await worker.call('POST', '/api/skills/executions', order);
    expect(status).toBe(200);
    expect(body['execution']).toMatchObject({
      skillName: 'reverse-text',
      version: '1.0.0',
      apiKeyId: worker.keyId,
      sessionId: 'talk',
      input: { text: 'abc' },
      status: 'success',
      errorMessage: null,
      durationMs: expect.any(Number) as unknown,
    });
  });

  it('returns a failed execution if the handler fails, and an error if the request is wrong', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    rest.gateway.executor.registerHandler('fails', () => Promise.reject(new RangeError('out of range')));
    await installReverseText(manager, { name: 'fails', handlerCode: 'fails', schema: NOTHING });
    await installReverseText(manager);
    const run = (order: object): Promise<unknown> => manager.call('POST', '/api/skills/executions', order);
    expect(await run({ skillName: 'fails' })).toMatchObject({
      status: 200,
      body: { execution: { status: 'error', errorMessage: expect.stringContaining('out of range') as unknown } },
    });
    expect(await run({ skillName: 'nobody' })).toMatchObject({ status: 404, body: { code: 'UnknownSkill' } });
    expect(await run({ skillName: 'reverse-text', version: '^2' })).toMatchObject({ status: 404 });
    expect(await run({ skillName: 'reverse-text', version: 'new!' })).toMatchObject({ status: 400 });
    expect(await run({ skillName: 'reverse-text', input: { text: 5 } })).toMatchObject({ status: 400 });
    expect(await run({ input: {} })).toMatchObject({ status: 400, body: { code: 'InvalidRequest' } });
  });

  it('runs a script of a package', async () => {
    const { client } = await startRest({ skills: SAMPLE_SKILLS });
    const worker = await client('execute');
    const order = { skillName: 'word-count', input: { tool: 'count_words', arguments: { text: 'to be or not' } } };
    const { body } = await worker.call('POST', '/api/skills/executions', order);
    expect(body['execution']).toMatchObject({ status: 'success', output: { words: 4 } });
  });

  it('returns 503 to every key while the master switch is off, but the registry still works', async () => {
    proves('S4.rest.503', 'S4.ops.master-switch');
    const { client } = await startRest();
    const manager = await client('manage', 'execute');
    await installReverseText(manager);
    await manager.call('PUT', '/api/settings', { skillsEnabled: false });
    const run = (): Promise<unknown> =>
      manager.call('POST', '/api/skills/executions', { skillName: 'reverse-text', input: { text: 'x' } });
    expect(await run()).toMatchObject({
      status: 503,
      body: { error: expect.stringMatching(/^Skills execution is disabled/) as unknown, code: 'SkillsDisabled' },
    });
    expect((await manager.call('GET', '/api/skills?q=reverse')).body['total']).toBe(1);
    await manager.call('PUT', '/api/settings', { skillsEnabled: true });
    expect(await run()).toMatchObject({ status: 200 });
  });

  it('acts for another key only with the scope manage', async () => {
    const { client } = await startRest();
    const [manager, worker, other] = [
      await client('manage', 'execute'),
      await client('execute'),
      await client('execute'),
    ];
    await installReverseText(manager);
    const run = (who: RestClient, apiKeyId: string | null): Promise<unknown> =>
      who.call('POST', '/api/skills/executions', { skillName: 'reverse-text', input: { text: 'x' }, apiKeyId });
    expect(await run(worker, other.keyId)).toMatchObject({ status: 403, body: { code: 'ScopeMissing' } });
    expect(await run(worker, null)).toMatchObject({ status: 403 });
    expect(await run(worker, worker.keyId)).toMatchObject({ status: 200 });
    expect(await run(manager, other.keyId)).toMatchObject({ body: { execution: { apiKeyId: other.keyId } } });
  });

  it('is canceled when its client disconnects', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    const waiting = await installWaiting(rest, manager);
    const gone = new AbortController();
    const request = fetch(`${rest.url}/api/skills/executions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${manager.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ skillName: 'waits' }),
      signal: gone.signal,
    }).catch(() => undefined);
    const running = async (): Promise<number> => rest.gateway.executor.countExecutions({ status: 'running' });
    await until(async () => (await running()) === 1);
    gone.abort();
    await request;
    await until(() => waiting.aborted());
    await until(async () => (await running()) === 0);
    expect(await rest.gateway.executor.countExecutions({ status: 'cancelled' })).toBe(1);
  });
});

describe('executions', () => {
  it('are listed for the key that ran them, and all of them for a key with the scope manage', async () => {
    proves('S4.rest.executions-get');
    const { client } = await startRest();
    const [manager, worker, other] = [await client('manage'), await client('execute'), await client('execute')];
    await installReverseText(manager);
    for (const who of [worker, worker, other])
      await who.call('POST', '/api/skills/executions', { skillName: 'reverse-text', input: { text: 'x' } });
    const count = async (who: RestClient, query = ''): Promise<unknown> =>
      (await who.call('GET', `/api/skills/executions${query}`)).body['total'];
    expect([await count(worker), await count(other), await count(manager)]).toEqual([2, 1, 3]);
    expect(await count(manager, `?apiKeyId=${worker.keyId}`)).toBe(2);
    expect(await count(worker, `?apiKeyId=${worker.keyId}`)).toBe(2);
    expect(await worker.call('GET', `/api/skills/executions?apiKeyId=${other.keyId}`)).toMatchObject({ status: 403 });
    expect(await count(manager, '?status=error')).toBe(0);
    const [newest] = (await other.call('GET', '/api/skills/executions')).body['data'] as { id: string }[];
    const prefix = newest?.id.slice(0, 18);
    expect([await count(manager, `?id=${prefix}`), await count(worker, `?id=${prefix}`)]).toEqual([1, 0]);
    expect(await count(manager, '?id=zz')).toBe(0);
    expect((await worker.call('GET', '/api/skills/executions?limit=1&page=2')).body).toMatchObject({
      page: 2,
      limit: 1,
      total: 2,
      totalPages: 2,
      data: [{ skillName: 'reverse-text' }],
    });
  });

  it('cannot be seen, followed or canceled by other keys', async () => {
    const rest = await startRest();
    const [manager, worker, other] = [
      await rest.client('manage'),
      await rest.client('execute'),
      await rest.client('execute'),
    ];
    const waiting = await installWaiting(rest, manager);
    const { body } = await worker.call('POST', '/api/skills/executions', { skillName: 'waits', wait: false });
    const path = `/api/skills/executions/${(body['execution'] as { id: string }).id}`;
    for (const [method, end] of [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/cancel'],
    ] as const)
      expect(await other.call(method, `${path}${end}`)).toMatchObject({
        status: 404,
        body: { code: 'ExecutionNotFound' },
      });
    expect(waiting.aborted()).toBe(false);
    expect((await manager.call('GET', path)).body).toMatchObject({ execution: { apiKeyId: worker.keyId } });
    waiting.letGo();
  });

  it('can be canceled while they run, but not afterwards', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    const waiting = await installWaiting(rest, manager);
    const started = await manager.call('POST', '/api/skills/executions', { skillName: 'waits', wait: false });
    const { id } = started.body['execution'] as { id: string };
    const cancel = (): Promise<unknown> => manager.call('POST', `/api/skills/executions/${id}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { success: true } });
    await until(() => waiting.aborted());
    await until(async () => (await rest.gateway.executor.getExecution(id))?.status === 'cancelled');
    expect(await cancel()).toMatchObject({ status: 409, body: { code: 'ExecutionEnded' } });
  });
});

describe('following an execution', () => {
  it('shows its status and output live, and ends with it', async () => {
    const rest = await startRest({ limits: { keepAliveMs: 1000 } });
    const manager = await rest.client('manage', 'execute');
    const waiting = await installWaiting(rest, manager);
    const { body } = await manager.call('POST', '/api/skills/executions', { skillName: 'waits', wait: false });
    const { id } = body['execution'] as { id: string };
    const response = await fetch(`${rest.url}/api/skills/executions/${id}/events`, {
      headers: { authorization: `Bearer ${manager.secret}` },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    while (!text.includes('begun')) text += (await reader?.read())?.value ?? '';
    waiting.letGo();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, type, data = '']) => {
      return { type, ...(JSON.parse(data) as { execution?: { status: string }; stream?: string; text?: string }) };
    });
    expect(events.filter(({ type }) => type === 'output')).toEqual([
      { type: 'output', stream: 'stdout', text: 'begun\n' },
      { type: 'output', stream: 'stderr', text: 'done\n' },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'status',
      execution: { id, status: 'success', output: { done: true } },
    });
  });

  it('stops when the client disconnects', async () => {
    const rest = await startRest();
    const manager = await rest.client('manage', 'execute');
    const waiting = await installWaiting(rest, manager);
    const { body } = await manager.call('POST', '/api/skills/executions', { skillName: 'waits', wait: false });
    const { id } = body['execution'] as { id: string };
    const gone = new AbortController();
    const response = await fetch(`${rest.url}/api/skills/executions/${id}/events`, {
      headers: { authorization: `Bearer ${manager.secret}` },
      signal: gone.signal,
    });
    await response.body?.getReader().read();
    const underWay = async (): Promise<string> => (await fetch(`${rest.url}/metrics`)).text();
    const count = async (): Promise<number> =>
      Number(/^skillwright_http_requests_under_way (\d+)/m.exec(await underWay())?.[1]);
    // The metrics request counts itself, and the execution goes on.
    const before = await count();
    gone.abort();
    await until(async () => (await count()) === before - 1);
    expect(waiting.aborted()).toBe(false);
    waiting.letGo();
  });

  it('shows the last status of one that has ended', async () => {
    const { client, url } = await startRest();
    const manager = await client('manage', 'execute');
    await installReverseText(manager);
    const order = { skillName: 'reverse-text', input: { text: 'x' } };
    const { body } = await manager.call('POST', '/api/skills/executions', order);
    const { id } = body['execution'] as { id: string };
    const events = await callWith(url, manager.secret, 'GET', `/api/skills/executions/${id}/events`);
    expect(events.body['text']).toMatch(/event: status\ndata: .*"status":"success"/);
  });
});

describe('the skill of the seed document', () => {
  it('runs in a conversation of an app that does not know about skills', async () => {
    proves('S4.install.example');
    const { gateway, url, model } = await startLoop({
      model: {
        script: [{ calls: [{ name: 'reverse-text', arguments: { text: 'stressed' } }] }, { text: 'It is desserts.' }],
      },
      config: { skills: [] },
    });
    const { key, secret } = await gateway.keys.create({ name: 'all', scopes: ['manage', 'execute', 'proxy'] });
    const installed = await callWith(url, secret, 'POST', '/api/skills/install', { ...REVERSE_TEXT, apiKeyId: key.id });
    await callWith(url, secret, 'PUT', `/api/skills/${String(installed.body['id'])}`, { mode: 'on' });
    const client = createLoopClient({
      url,
      format: 'openai-chat',
      stream: false,
      headers: { authorization: `Bearer ${secret}` },
    });
    const { turn } = await client.say('Please reverse "stressed".');
    expect(turn.text).toBe('It is desserts.');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('stressed');
    const { body } = await callWith(url, secret, 'GET', '/api/skills/executions');
    expect(body['data']).toMatchObject([{ skillName: 'reverse-text', status: 'success', apiKeyId: key.id }]);
  });
});
