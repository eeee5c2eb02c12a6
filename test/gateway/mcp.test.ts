import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type GatewayConfigInput } from '../../packages/gateway/src/index.ts';
import { countProcesses } from '../e2e/cli/running/running-cli.ts';
import { ERAS, makeSkills, skillFiles, textOf, type Era } from '../e2e/mcp/mcp-client.ts';
import { startListening, type ListeningGateway } from './listening-gateway.ts';
import { makeDataDirectory } from './store/data-directory.ts';

type Scope = 'proxy' | 'execute' | 'manage';

/** A gateway with the skills `greet`, `sums`, `narrow` and `slow`. */
async function startGateway(config: GatewayConfigInput = {}): Promise<ListeningGateway> {
  const root = makeSkills({
    ...skillFiles('narrow', {}, { 'allowed-tools': 'Read' }),
    ...skillFiles('slow', { 'endless.mjs': "console.log('started');\nsetInterval(() => {}, 1000);\n" }),
  });
  const settings = { data: makeDataDirectory(), port: 0, skills: [`${root}/skills`], limits: { shutdownMs: 0 } };
  return startListening((log) =>
    createGateway({ ...settings, ...config }, { env: { PATH: process.env.PATH }, ...log }),
  );
}

async function keyOf({ gateway }: ListeningGateway, scopes: readonly Scope[] = ['execute']): Promise<string> {
  return (await gateway.keys.create({ name: 'agent', scopes })).secret;
}

async function connect({ url }: ListeningGateway, key: string, era: Era = '2026-07-28'): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {},
  );
  onTestFinished(() => client.close());
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return client;
}

function handleIn(text: string): string {
  return /activation: "([^"]+)"/.exec(text)?.[1] ?? '';
}

describe.each(ERAS)('/mcp in revision %s', (era) => {
  it('gives a key the skills of the gateway, and records what they run', async () => {
    const started = await startGateway();
    const client = await connect(started, await keyOf(started), era);
    expect(client.getInstructions()).toContain('Does greet when asked for it.');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['load_skill', 'use_skill', 'add']));
    expect(textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'greet' } }))).toContain('Do greet.');
    const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    expect(sum.structuredContent).toEqual({ sum: 3 });
    const call = { skill: 'greet', script: 'scripts/hello.mjs', args: ['Ada'] };
    expect(textOf(await client.callTool({ name: 'use_skill', arguments: call }))).toContain('hello Ada');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('greet');
    const { data: rows } = await started.gateway.store.executions.list({}, { page: 1, limit: 10 });
    expect(rows.map(({ skillName, status }) => [skillName, status])).toEqual(
      expect.arrayContaining([
        ['sums', 'success'],
        ['greet', 'success'],
      ]),
    );
    expect(new Set(rows.map(({ apiKeyId }) => apiKeyId)).size).toBe(1);
  });

  it('restricts tools by activations, and refuses an activation of another key', async () => {
    const started = await startGateway();
    const [client, other] = await Promise.all([
      connect(started, await keyOf(started), era),
      connect(started, await keyOf(started), era),
    ]);
    const activation = handleIn(textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'narrow' } })));
    const args = { a: 1, b: 2, activation };
    expect(textOf(await client.callTool({ name: 'add', arguments: args }))).toContain("not allowed for skill 'narrow'");
    expect(textOf(await other.callTool({ name: 'add', arguments: args }))).toContain('There is no such activation');
    expect(textOf(await other.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))).toBe('{"sum":3}');
  });

  it('shows and runs nothing that an operator turned off', async () => {
    const started = await startGateway();
    const { gateway } = started;
    const client = await connect(started, await keyOf(started), era);
    const [row] = gateway.registry.current.versions('sums', null);
    await gateway.registry.update(row?.id ?? '', { mode: 'off' });
    const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' });
    expect(tools.map(({ name }) => name)).not.toContain('add');
    await expect(client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).rejects.toThrow("Unknown tool 'add'");
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('sums');
    await expect(client.readResource({ uri: 'skill://sums/tools.json' })).rejects.toThrow(/not found/i);
    expect(await client.readResource({ uri: 'skill://greet/notes.md' })).toMatchObject({ contents: [{}] });
    await gateway.store.settings.update({ skillsEnabled: false });
    expect((await client.listTools(undefined, { cacheMode: 'refresh' })).tools).toEqual([]);
  });
});

it('a call over /mcp that needs approval names the one that a person may give', async () => {
  const started = await startGateway();
  const { gateway } = started;
  const client = await connect(started, await keyOf(started));
  const [row] = gateway.registry.current.versions('sums', null);
  await gateway.registry.update(row?.id ?? '', { policy: 'hybrid' });
  const call = { name: 'add', arguments: { a: 1, b: 2 } };
  const waiting = await client.callTool(call);
  expect(waiting.structuredContent).toMatchObject({ code: 'ApprovalRequired' });
  expect((await client.callTool(call)).structuredContent).toMatchObject({ code: 'ApprovalRequired' });
  const { data } = await gateway.approvals.list({ status: 'pending' }, { page: 1, limit: 10 });
  expect(data).toHaveLength(1);
  expect(textOf(waiting)).toContain(data[0]?.id);
  // MCP has no conversations, so the answer holds for one call.
  await gateway.approvals.decide(data[0]?.id ?? '', 'allow', { scope: 'conversation', by: null });
  expect((await client.callTool(call)).structuredContent).toEqual({ sum: 3 });
  expect((await client.callTool(call)).structuredContent).toMatchObject({ code: 'ApprovalRequired' });
});

it('a call over /mcp ends with its process when the client cancels it, and when the gateway shuts down', async () => {
  const started = await startGateway();
  const client = await connect(started, await keyOf(started));
  const endless = (word: string): Parameters<Client['callTool']>[0] => {
    return { name: 'use_skill', arguments: { skill: 'slow', script: 'endless.mjs', args: [word] } };
  };
  const [first, second] = [randomUUID(), randomUUID()];
  const abort = new AbortController();
  const cancelled = client.callTool(endless(first), { signal: abort.signal });
  cancelled.catch(() => {});
  await expect.poll(() => countProcesses(first)).toBeGreaterThan(0);
  abort.abort();
  await expect(cancelled).rejects.toThrow(/abort/i);
  await expect.poll(() => countProcesses(first)).toBe(0);
  const stopped = client.callTool(endless(second));
  stopped.catch(() => {});
  await expect.poll(() => countProcesses(second)).toBeGreaterThan(0);
  await started.close();
  expect(countProcesses(second)).toBe(0);
});

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Sends a request with any headers, which `fetch` would not, and returns the status and the body. */
function send(
  { port }: ListeningGateway,
  headers: Readonly<Record<string, string>>,
  body = LIST,
  method = 'POST',
): Promise<{ status: number | undefined; text: string; allow: string | undefined }> {
  const given = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/mcp', method, headers: given }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text, allow: response.headers.allow }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('/mcp refuses', () => {
  it('requests without a key, with a wrong one, and with one that may not execute', async () => {
    const started = await startGateway({ anonymous: 'skills' });
    expect((await send(started, {})).status).toBe(401);
    expect((await send(started, { authorization: 'Bearer sk-sw-made-up' })).status).toBe(401);
    const proxyKey = await keyOf(started, ['proxy']);
    expect((await send(started, { authorization: `Bearer ${proxyKey}` })).status).toBe(403);
    const key = await keyOf(started);
    expect((await send(started, { authorization: `Bearer ${key}` })).text).toContain('load_skill');
  });

  it('a foreign Host and a foreign Origin', async () => {
    const started = await startGateway();
    const authorization = `Bearer ${await keyOf(started)}`;
    expect((await send(started, { authorization, host: 'evil.example' })).text).toContain('HostNotAllowed');
    expect((await send(started, { authorization, origin: 'https://evil.example' })).text).toContain('OriginNotAllowed');
    expect((await send(started, { authorization, origin: `http://127.0.0.1:${started.port}` })).status).toBe(200);
  });

  it('bodies that are too large, not JSON, or not messages, and keeps serving', async () => {
    const started = await startGateway({ limits: { bodyBytes: 100_000, shutdownMs: 0 } });
    const authorization = `Bearer ${await keyOf(started)}`;
    expect((await send(started, { authorization }, `"${'x'.repeat(200_000)}"`)).status).toBe(413);
    for (const body of ['{', '7', '"text"', '[]', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":1,"method":"nothing"}']) {
      const { status = 0, text } = await send(started, { authorization }, body);
      expect(status === 200 ? text.includes('"error"') : status >= 400 && status < 500).toBe(true);
    }
    const unknown = { authorization, 'mcp-protocol-version': '1999-01-01' };
    expect((await send(started, unknown)).status).toBe(400);
    expect((await send(started, { authorization })).text).toContain('load_skill');
  });

  it('batches, because their calls would count as one request of the key', async () => {
    const started = await startGateway();
    const { secret } = await started.gateway.keys.create({
      name: 'agent',
      scopes: ['execute'],
      requestsPerMinute: 5,
      concurrentRequests: 1,
    });
    const authorization = `Bearer ${secret}`;
    const call = { name: 'use_skill', arguments: { skill: 'greet', script: 'scripts/hello.mjs', args: ['Ada'] } };
    const batch = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: call }));
    for (const body of [batch, batch.slice(0, 1), []]) {
      const { status, text } = await send(started, { authorization }, JSON.stringify(body));
      expect(status).toBe(400);
      expect(JSON.parse(text)).toEqual({
        jsonrpc: '2.0',
        error: { code: -32_600, message: 'Batches are not supported. Send each message in a request of its own.' },
        id: null,
      });
    }
    expect((await started.gateway.store.executions.list({}, { page: 1, limit: 10 })).total).toBe(0);
    expect((await send(started, { authorization })).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
    'the method %s with the status 405 and the allowed method, and logs no error',
    async (method) => {
      const started = await startGateway();
      const authorization = `Bearer ${await keyOf(started)}`;
      expect(await send(started, { authorization }, '', method)).toMatchObject({ status: 405, allow: 'POST' });
      expect(started.lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect((await send(started, {}, '', method)).status).toBe(401);
    },
  );

  it('keys that were revoked', async () => {
    const started = await startGateway();
    const { key, secret } = await started.gateway.keys.create({ name: 'agent', scopes: ['execute'] });
    const client = await connect(started, secret);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await started.gateway.keys.revoke(key.id);
    expect((await send(started, { authorization: `Bearer ${secret}` })).status).toBe(401);
  });
});
