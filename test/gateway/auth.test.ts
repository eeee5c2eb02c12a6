import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFirstKey, makeFirstKeys } from '../../packages/gateway/src/auth/first-key.ts';
import { createKeyLimits } from '../../packages/gateway/src/auth/key-limits.ts';
import { createKeyRing } from '../../packages/gateway/src/auth/key-ring.ts';
import { generateKey } from '../../packages/gateway/src/auth/key-text.ts';
import { proves } from '../proves.ts';
import { makeDataDirectory, openTestStore } from './store/data-directory.ts';
import { startGateway } from './gateway-server.ts';

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

describe('a gateway key', () => {
  it('has 256 random bits and is stored only as a hash', async () => {
    const data = makeDataDirectory();
    const { gateway, close } = await startGateway({ data });
    const { secret, key } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    expect(secret).toMatch(/^sk-sw-[\w-]{43}$/);
    expect(secret.startsWith(key.prefix)).toBe(true);
    expect(JSON.stringify(await gateway.keys.list())).not.toContain(secret);
    await close();
    expect(readFileSync(join(data, 'gateway.db')).includes(secret.slice(key.prefix.length))).toBe(false);
  });

  it('is accepted in every header that clients use', async () => {
    proves('S4.auth.bearer');
    const { gateway, url } = await startGateway();
    const { secret, key } = await gateway.keys.create({ name: 'app', scopes: ['manage'] });
    const ways: [string, Record<string, string>][] = [
      ['', { authorization: `Bearer ${secret}` }],
      ['', { authorization: `bearer  ${secret}` }],
      ['', { 'x-api-key': secret }],
      ['', { 'x-goog-api-key': secret }],
      [`?alt=sse&key=${secret}`, {}],
      ['', { authorization: 'Bearer sk-a-providers-own', 'x-api-key': secret }],
    ];
    for (const [query, headers] of ways) {
      const response = await fetch(`${url}/manage${query}`, { headers });
      expect(await response.json()).toEqual({ tenant: key.id, apiKeyId: key.id, scopes: ['manage'], usesSkills: true });
    }
  });

  it.each([
    ['no key', {}, 401],
    ['a key that does not exist', { authorization: `Bearer ${generateKey()}` }, 401],
    ['a provider’s key', { authorization: 'Bearer sk-proj-0123456789' }, 401],
    ['an odd header', { authorization: 'Basic c2stc3c6' }, 401],
    ['a key of the wrong shape', { authorization: `Bearer sk-sw-${'x'.repeat(5000)}` }, 401],
    ['SQL', { 'x-api-key': "sk-sw-' or 1=1 --" }, 401],
  ])('is required to manage, even on loopback: %s is not enough', async (_what, headers, status) => {
    proves('S4.auth.management');
    const { url } = await startGateway();
    const response = await fetch(`${url}/manage`, { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'Unauthenticated', status });
  });

  it('gives access to what its scopes allow, and to nothing else', async () => {
    const { gateway, url } = await startGateway();
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['execute'] });
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${url}${path}`, { headers: { 'x-api-key': secret } })).status;
    expect([await statusOf('/manage'), await statusOf('/execute'), await statusOf('/proxy')]).toEqual([403, 200, 403]);
  });

  it('is refused once it is revoked or has expired', async () => {
    let time = 1_000_000;
    const { gateway, url } = await startGateway({}, { now: () => time });
    const headers = async (expiresAt?: number): Promise<{ id: string; headers: { 'x-api-key': string } }> => {
      const { key, secret } = await gateway.keys.create({
        name: 'app',
        scopes: ['manage'],
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      return { id: key.id, headers: { 'x-api-key': secret } };
    };
    const [revoked, expiring] = [await headers(), await headers(time + 100)];
    expect((await fetch(`${url}/manage`, revoked)).status).toBe(200);
    expect((await fetch(`${url}/manage`, expiring)).status).toBe(200);
    expect(await gateway.keys.revoke(revoked.id)).toBe(true);
    expect(await gateway.keys.revoke(revoked.id)).toBe(false);
    time += 101;
    expect((await fetch(`${url}/manage`, revoked)).status).toBe(401);
    expect((await fetch(`${url}/manage`, expiring)).status).toBe(401);
    expect((await fetch(`${url}/proxy`, revoked)).status).toBe(401);
  });

  it('records its last use without a write for every request', async () => {
    let time = 1_000_000;
    const { keys } = await openTestStore();
    const ring = createKeyRing(keys, { now: () => time, onError: (error) => expect.unreachable(String(error)) });
    const { secret } = await ring.create({ name: 'app', scopes: ['proxy'] });
    const lastUse = async (): Promise<number | null | undefined> => (await ring.list())[0]?.lastUsedAt;
    await ring.find(secret);
    expect(await lastUse()).toBe(1_000_000);
    time += 59_000;
    await ring.find(secret);
    expect(await lastUse()).toBe(1_000_000);
    time += 1000;
    await ring.find(secret);
    expect(await lastUse()).toBe(1_060_000);
  });
});

describe('an anonymous client', () => {
  it('may use the proxy from this machine, and nothing else', async () => {
    const { url } = await startGateway();
    expect(await (await fetch(`${url}/proxy`)).json()).toEqual({
      tenant: 'anonymous',
      apiKeyId: null,
      scopes: ['proxy'],
      usesSkills: true,
    });
    expect((await fetch(`${url}/proxy`, { headers: { authorization: 'Bearer sk-proj-mine' } })).status).toBe(200);
    expect((await fetch(`${url}/execute`)).status).toBe(401);
  });

  it('may do nothing behind a proxy or from an unknown address', async () => {
    const { gateway, url } = await startGateway();
    expect((await fetch(`${url}/proxy`, { headers: FORWARDED })).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers: FORWARDED })).status).toBe(401);
    expect((await gateway.fetch(new Request(`${url}/proxy`))).status).toBe(401);
  });
});

describe('the first key', () => {
  it('is made once, on loopback', async () => {
    const { keys } = await openTestStore();
    const ring = createKeyRing(keys, { now: Date.now, onError: () => {} });
    await checkFirstKey(ring, { host: '127.0.0.1' });
    const first = await makeFirstKeys(ring);
    expect((await ring.find(first?.admin ?? ''))?.scopes).toEqual(['manage', 'execute', 'proxy']);
    expect((await ring.find(first?.app ?? ''))?.scopes).toEqual(['proxy']);
    expect(await makeFirstKeys(ring)).toBeUndefined();
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'gateway.example'])(
    'must exist before the gateway listens on %s',
    async (host) => {
      const { keys } = await openTestStore();
      const ring = createKeyRing(keys, { now: Date.now, onError: () => {} });
      await expect(checkFirstKey(ring, { host })).rejects.toMatchObject({ code: 'KeysRequired', data: { host } });
      expect(await ring.list()).toEqual([]);
      const adminToken = generateKey();
      await checkFirstKey(ring, { host, adminToken });
      await checkFirstKey(ring, { host, adminToken });
      expect(await makeFirstKeys(ring)).toBeUndefined();
      expect(await ring.list()).toHaveLength(1);
      expect(await ring.find(adminToken)).toBeDefined();
    },
  );

  it.each(['admin', 'sk-sw-short', 'hunter2-hunter2-hunter2-hunter2'])('cannot be %s', async (adminToken) => {
    const { keys } = await openTestStore();
    const ring = createKeyRing(keys, { now: Date.now, onError: () => {} });
    const trying = checkFirstKey(ring, { host: '127.0.0.1', adminToken });
    await expect(trying).rejects.toMatchObject({
      code: 'InvalidConfiguration',
      message: expect.not.stringContaining(adminToken) as string,
    });
  });
});

describe('the limits of a key', () => {
  const allowance = { requestsPerMinute: 60, concurrentRequests: 2 };
  const codeOf = (work: () => unknown): string => {
    try {
      work();
      return 'let through';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('allow a minute’s worth of requests at once, and then one at a time', () => {
    let time = 0;
    const limits = createKeyLimits(() => time);
    const send = (tenant = 'a'): string => codeOf(() => limits.enter(tenant, allowance)());
    for (let index = 0; index < 60; index += 1) expect(send()).toBe('let through');
    expect(send()).toBe('RateLimited');
    expect(send('b')).toBe('let through');
    time += 999;
    expect(send()).toBe('RateLimited');
    time += 1;
    expect(send()).toBe('let through');
    expect(send()).toBe('RateLimited');
    time -= 500_000;
    expect(send()).toBe('RateLimited');
  });

  it('count each concurrent request once', () => {
    const limits = createKeyLimits(() => 0);
    const leave = limits.enter('a', allowance);
    limits.enter('a', allowance);
    expect(codeOf(() => limits.enter('a', allowance))).toBe('ConcurrencyLimited');
    leave();
    leave();
    limits.enter('a', allowance);
    expect(codeOf(() => limits.enter('a', allowance))).toBe('ConcurrencyLimited');
  });

  it('answer 429 with the time to wait', async () => {
    const { gateway, url } = await startGateway();
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['manage'], requestsPerMinute: 1 });
    const send = (): Promise<Response> => fetch(`${url}/manage`, { headers: { 'x-api-key': secret } });
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.json()).toMatchObject({ code: 'RateLimited' });
  });

  it('count a stream until it ends or its reader leaves', async () => {
    const { url } = await startGateway({ limits: { concurrentRequests: 1 } });
    const reader = new AbortController();
    const stream = await fetch(`${url}/slow`, { signal: reader.signal });
    expect(stream.status).toBe(200);
    expect(await (await fetch(`${url}/proxy`)).json()).toMatchObject({ code: 'ConcurrencyLimited' });
    reader.abort();
    await expect.poll(async () => (await fetch(`${url}/proxy`)).status).toBe(200);
  });

  it('count a stream from gateway.fetch until it is read or canceled', async () => {
    const { gateway, close } = await startGateway();
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'], concurrentRequests: 1 });
    const request = (path: string): Request =>
      new Request(`http://localhost${path}`, { headers: { 'x-api-key': secret } });
    const stream = await gateway.fetch(request('/slow'));
    expect((await gateway.fetch(request('/proxy'))).status).toBe(429);
    await stream.body?.cancel();
    expect(await (await gateway.fetch(request('/proxy'))).json()).toMatchObject({ scopes: ['proxy'] });
    const second = await gateway.fetch(request('/slow'));
    await Promise.all([close(), second.text()]);
  });
});
