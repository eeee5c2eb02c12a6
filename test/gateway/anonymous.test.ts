import { describe, expect, it } from 'vitest';
import type { GatewayConfigInput } from '../../packages/gateway/src/config/config.ts';
import { parseConfig } from '../../packages/gateway/src/config/parse-config.ts';
import { readConfig } from '../../packages/gateway/src/index.ts';
import { makeDataDirectory } from './store/data-directory.ts';
import { sendRaw, startGateway } from './gateway-server.ts';
import { createLoopClient, KINDS, send, type LoopClientOptions } from './proxy/loop/loop-client.ts';
import { SAMPLE_SKILLS, startLoop, type Loop } from './proxy/loop/loop-gateway.ts';

const DEFAULT = parseConfig({}, { file: undefined, names: new Map(), overrides: {}, env: {} });
const TASK = 'How many words are in "to be or not to be"?';

function startWith(config: GatewayConfigInput): Promise<Loop> {
  return startLoop({ model: { respond: () => ({ text: 'six' }) }, config: { skills: SAMPLE_SKILLS, ...config } });
}

describe('with anonymous off, the default', () => {
  it.each(KINDS)('refuses a model request without a key in its own dialect: $format, stream $stream', async (kind) => {
    const { url, model } = await startWith({ anonymous: DEFAULT.anonymous });
    const response = await send({ url, ...kind }, { messages: [], contents: [], input: [], model: 'some-model' });
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('application/json');
    const body = (await response.json()) as { error: { message: string; status?: string; type?: string } };
    expect(body.error.message).toContain('npx skillwright keys create');
    expect(body.error.message).toContain('"anonymous" to "chat" or "skills" (SKILLWRIGHT_ANONYMOUS)');
    expect(model.requests).toEqual([]);
  });

  it('explains the difference when a provider’s key is sent instead of a gateway key', async () => {
    const { url } = await startWith({ anonymous: 'off' });
    const headers = { authorization: 'Bearer sk-proj-mine', 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' });
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain('The key in the request is not from this gateway, whose keys start with sk-sw-');
    expect(error.message).not.toContain('mine');
  });

  it.each(['/v1/models', '/v1beta/models', '/v1/models/demo', '/v1/responses/resp_1'])(
    'GET %s requires a key, too',
    async (path) => {
      const { url } = await startWith({ anonymous: 'off' });
      expect((await fetch(`${url}${path}`)).status).toBe(401);
    },
  );

  it.each(['/health', '/ready', '/docs', '/openapi.json', '/', '/metrics'])('%s requires no key', async (path) => {
    const { url } = await startWith({ anonymous: 'off' });
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain('word-count');
  });

  it('a key with the scope proxy gets skills', async () => {
    const { url, gateway } = await startWith({ anonymous: 'off' });
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await createLoopClient({ url, format: 'openai-chat', stream: false, headers }).say(TASK);
    expect(answer.headers.get('x-skillwright-injected')).toContain('word-count');
  });
});

describe('with anonymous set to chat', () => {
  it.each(KINDS)('lets a local program use models without skills: $format, stream $stream', async (kind) => {
    const { url, model } = await startWith({ anonymous: 'chat' });
    const options: LoopClientOptions = { url, ...kind, headers: { 'x-skillwright-skills': 'word-count' } };
    const answer = await createLoopClient(options).say(TASK);
    expect([answer.status, answer.turn.text]).toEqual([200, 'six']);
    expect(answer.headers.get('x-skillwright-injected')).toBeNull();
    expect(answer.headers.get('x-skillwright-skipped')).toContain('skills need a key');
    expect(model.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('a key still gets skills', async () => {
    const { url, gateway } = await startWith({ anonymous: 'chat' });
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    const headers = { 'x-api-key': secret };
    const answer = await createLoopClient({ url, format: 'anthropic-messages', stream: false, headers }).say(TASK);
    expect(answer.headers.get('x-skillwright-injected')).toContain('word-count');
  });
});

describe('with anonymous set to skills', () => {
  it('gives a local program skills, and logs at the start what is open', async () => {
    const { url } = await startWith({ anonymous: 'skills' });
    const answer = await createLoopClient({ url, format: 'openai-chat', stream: false }).say(TASK);
    expect(answer.headers.get('x-skillwright-injected')).toContain('word-count');
    const { warnings } = await readConfig({
      cwd: makeDataDirectory(),
      env: { SKILLWRIGHT_ANONYMOUS: 'skills' },
      overrides: { skills: [] },
    });
    expect(warnings).toEqual([
      '"anonymous" is "skills": every program and user of this machine may use models and run skills without a key.',
    ]);
  });

  it.each(['/api/skills', '/api/executions', '/api/settings', '/api/keys', '/api/traces', '/api/agent-skills'])(
    'does not give access to %s',
    async (path) => {
      const { url } = await startWith({ anonymous: 'skills' });
      expect([401, 404]).toContain((await fetch(`${url}${path}`)).status);
    },
  );
});

describe('a request forwarded by a proxy', () => {
  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-server',
    'x-real-ip',
    'x-client-ip',
    'client-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'cf-ray',
    'x-original-forwarded-for',
    'x_forwarded_for',
    'x-forwarded',
    'cdn-loop',
    'fly-client-ip',
    'fastly-client-ip',
    'x-azure-clientip',
    'x-vercel-forwarded-for',
    'x-vercel-ip-country',
    'x-remote-ip',
    'x-remote-addr',
    'x-cluster-client-ip',
    'x-envoy-external-address',
    'proxy-client-ip',
    'wl-proxy-client-ip',
    'x-appengine-user-ip',
    'x-amzn-trace-id',
    'tailscale-user-login',
    'x-nginx-proxy',
    'x-forward-for',
    'x-forwardedfor',
    'x-varnish',
    'front-end-https',
    'x-scheme',
    'x-ssl-client-cert',
    'ssl-client-verify',
    'remote-user',
    'x-remote-user',
    'x-auth-request-email',
    'x-goog-iap-jwt-assertion',
    'x-goog-authenticated-user-email',
    'x-ms-client-principal',
    'x-ms-client-principal-name',
    'x-amzn-oidc-data',
  ])('is recognized by its header %s', async (header) => {
    const { url } = await startGateway();
    const response = await fetch(`${url}/proxy`, { headers: { [header]: '127.0.0.1' } });
    expect(response.status).toBe(401);
    expect(JSON.stringify(await response.json())).toContain(`the header '${header}' shows that a proxy`);
    expect((await fetch(`${url}/metrics`, { headers: { [header]: '127.0.0.1' } })).status).toBe(401);
  });
});

describe('a request from this machine', () => {
  it('may carry headers of vendors’ clients', async () => {
    const { url } = await startGateway();
    const headers = { 'x-goog-api-client': 'a/1', 'x-ms-client-request-id': '1', 'x-stainless-os': 'Linux' };
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
  });

  const LOCAL = 'Host: localhost\r\nConnection: close\r\n';
  const statusOf = async (port: number, start: string, headers = ''): Promise<string | undefined> =>
    (await sendRaw(port, `${start} HTTP/1.1\r\n${LOCAL}${headers}\r\n`)).split(' ')[1];

  it.each(['x-skip', 'x-app', 'x-request-id', 'x-stainless-os', 'x-goog-api-client', 'anthropic-beta', 'traceparent'])(
    'is local even with the header %s',
    async (header) => {
      const { port } = await startGateway();
      expect(await statusOf(port, 'GET /proxy', `${header}: a\r\n`)).toBe('200');
    },
  );

  it.each([
    ['localhost', '200'],
    ['LOCALHOST.', '200'],
    ['127.0.0.1:4747', '200'],
    ['[::1]:4747', '200'],
    ['203.0.113.5', '401'],
    ['0.0.0.0:4747', '401'],
    ['10.0.0.5:4747', '401'],
    ['[2001:db8::1]', '401'],
    ['gateway.example', '401'],
    ['gateway.example:443', '401'],
  ])('with the Host %s gets %s, because a proxy may pass on its client’s Host', async (host, status) => {
    const { port } = await startGateway({ allowedHosts: ['gateway.example'] });
    const text = await sendRaw(port, `GET /proxy HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(text.split(' ')[1]).toBe(status);
    if (status === '401') expect(text).toContain("the header 'host' shows that a proxy");
    const metrics = await sendRaw(port, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(metrics.split(' ')[1]).toBe(status);
  });

  it.each([500, 998, 1_500, 2_500])('is refused when a proxy’s header follows %i others', async (count) => {
    const { port } = await startGateway();
    const headers = `${'a:\r\n'.repeat(count)}X-Forwarded-For: 9.9.9.9\r\n`;
    expect(await statusOf(port, 'GET /proxy', headers)).toBe('401');
  });

  it('is refused from a page of another site however many headers precede its Origin', async () => {
    const { port } = await startGateway();
    const headers = `${'a:\r\n'.repeat(1_500)}Origin: http://evil.example\r\n`;
    expect(await statusOf(port, 'GET /proxy', headers)).toBe('403');
  });

  it.each([
    ['http://evil.example/proxy', '401'],
    ['http://192.0.2.1/proxy', '401'],
    ['http://localhost/proxy', '200'],
    ['http://127.0.0.1:4747/proxy', '200'],
  ])('for %s gets %s', async (target, status) => {
    const { port } = await startGateway();
    expect(await statusOf(port, `GET ${target}`)).toBe(status);
  });
});

describe('the setting anonymous', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'gateway.example'])('is refused together with the host %s', async (host) => {
    for (const anonymous of ['chat', 'skills'])
      await expect(
        readConfig({ cwd: makeDataDirectory(), env: {}, overrides: { host, anonymous } }),
      ).rejects.toMatchObject({
        code: 'InvalidConfiguration',
        message: expect.stringContaining(`anonymous must be off while host is ${host}`) as string,
      });
    await expect(
      readConfig({ cwd: makeDataDirectory(), env: {}, overrides: { host, anonymous: 'off' } }),
    ).resolves.toMatchObject({ config: { anonymous: 'off' } });
  });

  it('cannot be changed over REST', async () => {
    const { url, gateway } = await startWith({ anonymous: 'off' });
    const { secret } = await gateway.keys.create({ name: 'admin', scopes: ['manage'] });
    const response = await fetch(`${url}/api/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ anonymous: 'skills' }),
    });
    expect(response.status).toBe(400);
  });
});
