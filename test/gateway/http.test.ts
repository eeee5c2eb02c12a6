import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../packages/gateway/src/app.ts';
import { VERSION } from '../../packages/skillwright/src/index.ts';
import { makeDataDirectory } from './store/data-directory.ts';
import { sendRaw, startGateway } from './gateway-server.ts';
import { keepLog } from './listening-gateway.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the health endpoints', () => {
  it('are public and reveal little', async () => {
    const { url } = await startGateway();
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok', version: VERSION });
    expect(await (await fetch(`${url}/ready`, { headers: { via: 'x' } })).json()).toEqual({ status: 'ready' });
  });

  it('report a closed store as not ready, with the reason', async () => {
    const { gateway, url } = await startGateway();
    await gateway.store.close();
    const response = await fetch(`${url}/ready`);
    const answer = { status: 'unavailable', code: 'StoreClosed', reason: 'The gateway was closed' };
    expect([response.status, await response.json()]).toEqual([503, answer]);
  });
});

describe('every response', () => {
  it('has a request id, the client’s own if it is harmless', async () => {
    const { url } = await startGateway();
    const idOf = async (given: string): Promise<string | null> =>
      (await fetch(`${url}/health`, { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idOf('abc-1.2_3')).toBe('abc-1.2_3');
    expect(await idOf('a"b')).toMatch(/^[\da-f-]{36}$/);
    expect(await idOf('x'.repeat(65))).toMatch(/^[\da-f-]{36}$/);
  });

  it('to a failed request is Problem Details with a code', async () => {
    const { url } = await startGateway();
    const response = await fetch(`${url}/nowhere?key=x`, { headers: { 'x-request-id': 'r1' } });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'The route does not exist',
      status: 404,
      detail: 'There is no route GET /nowhere. See / and /docs for the available routes.',
      error: 'There is no route GET /nowhere. See / and /docs for the available routes.',
      code: 'RouteNotFound',
      requestId: 'r1',
      data: {},
    });
  });

  it('is logged as text if the configuration says so', async () => {
    const lines: string[] = [];
    const gateway = await createGateway(
      { data: makeDataDirectory(), logFormat: 'text' },
      { logDestination: { write: (line) => lines.push(line) } },
    );
    await gateway.fetch(new Request('http://localhost/health'));
    await gateway.close();
    expect(lines.join('')).toMatch(/^\d\d:\d\d:\d\d info {2}request GET \/health 200 \d+ ms$/m);
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['GET', '/v1/messages', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['PUT', '/v1/responses/resp_1', 'GET, HEAD, POST, DELETE'],
    ['POST', '/docs', 'GET, HEAD'],
  ])('to %s %s has status 405 and the allowed methods %s', async (method, path, allowed) => {
    const gateway = await createGateway({ data: makeDataDirectory(), logLevel: 'silent' });
    const response = await gateway.fetch(new Request(`http://localhost${path}`, { method }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ code: 'MethodNotAllowed' });
    await gateway.close();
  });

  it('to a crash reveals nothing internal, and the log has the details', async () => {
    const { url, lines } = await startGateway();
    const text = await (await fetch(`${url}/defect`, { headers: { 'x-request-id': 'r2' } })).text();
    expect(JSON.parse(text)).toMatchObject({ status: 500, code: 'Unexpected' });
    expect(text).not.toContain('secret of the inside');
    const logged = lines.find(({ level }) => level === 'error');
    expect(logged).toMatchObject({ requestId: 'r2', err: { message: 'a secret of the inside' } });
  });
});

describe('a request body', () => {
  const value = { text: 'ä'.repeat(1000), list: [1, null, true] };
  const bytes = Buffer.from(JSON.stringify(value));

  it.each([
    ['uncompressed', bytes, {}],
    ['with a vendor-specific JSON type', bytes, { 'content-type': 'application/vnd.api+json; charset=utf-8' }],
    ['as gzip', gzipSync(bytes), { 'content-encoding': 'gzip' }],
    ['as deflate', deflateSync(bytes), { 'content-encoding': 'DEFLATE' }],
    ['as br', brotliCompressSync(bytes), { 'content-encoding': 'br' }],
    ['as zstd', zstdCompressSync(bytes), { 'content-encoding': 'zstd' }],
  ])('is read %s', async (_how, body, headers) => {
    const { gateway, url } = await startGateway();
    const init = { method: 'POST', body: new Uint8Array(body), headers: { ...JSON_TYPE, ...headers } };
    expect(await (await fetch(`${url}/json`, init)).json()).toEqual(value);
    expect(await (await gateway.fetch(new Request('http://localhost/json', init))).json()).toEqual(value);
  });

  it.each([
    ['not JSON', '{"a":', {}, 400, 'InvalidJson'],
    ['empty', '', {}, 400, 'InvalidJson'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), {}, 400, 'InvalidJson'],
    ['nested 100,000 levels deep', '['.repeat(100_000), {}, 400, 'InvalidJson'],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'ContentTypeNotSupported'],
    [
      'plain text, which pages may send anywhere',
      '{}',
      { 'content-type': 'text/plain' },
      415,
      'ContentTypeNotSupported',
    ],
    ['compressed in an unknown way', 'x', { 'content-encoding': 'compress' }, 415, 'EncodingNotSupported'],
    ['compressed twice', gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip, gzip' }, 415, 'EncodingNotSupported'],
    ['an encoding called __proto__', 'x', { 'content-encoding': '__proto__' }, 415, 'EncodingNotSupported'],
    ['not compressed as it claims', '{}', { 'content-encoding': 'gzip' }, 400, 'BodyUnreadable'],
    ['compressed and cut off', gzipSync(bytes).subarray(0, 40), { 'content-encoding': 'gzip' }, 400, 'BodyUnreadable'],
    ['too large', 'x'.repeat(20_000), {}, 413, 'BodyTooLarge'],
    ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }, 413, 'BodyTooLarge'],
    ['a brotli bomb', brotliCompressSync(Buffer.alloc(1_000_000)), { 'content-encoding': 'br' }, 413, 'BodyTooLarge'],
  ])('is refused if it is %s', async (_what, body, headers, status, code) => {
    const { gateway, url } = await startGateway({ limits: { bodyBytes: 10_000 } });
    const content = typeof body === 'string' ? body : new Uint8Array(body);
    const limit = _what === 'a bomb' || _what.startsWith('nested') ? 200_000 : 10_000;
    const { url: other } = limit === 10_000 ? { url } : await startGateway({ limits: { bodyBytes: limit } });
    const init = { method: 'POST', body: content, headers: { ...JSON_TYPE, ...headers } };
    const response = await fetch(`${other}/json`, init);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
    if (limit === 10_000) expect((await gateway.fetch(new Request('http://localhost/json', init))).status).toBe(status);
  });

  it('is refused if it announces 50 MB, and during an upload of unannounced length', async () => {
    const { url, port } = await startGateway();
    const answer = await sendRaw(port, `POST /bytes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 52428800\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(`${url}/bytes`, { method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode);
        sending.destroy();
      });
      sending.on('error', reject);
      const chunk = Buffer.alloc(1024 * 1024);
      const send = (): void => {
        while (!sending.destroyed && sending.write(chunk));
        sending.once('drain', send);
      };
      send();
    });
    expect(status).toBe(413);
  });

  it('times out if it never arrives', async () => {
    const { port, gateway } = await startGateway({ limits: { bodyMs: 100 } });
    const answer = await sendRaw(port, 'POST /bytes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nabc');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    const init = { method: 'POST', body: new ReadableStream<Uint8Array>(), duplex: 'half' as const };
    expect((await gateway.fetch(new Request('http://localhost/bytes', init))).status).toBe(408);
  });

  it('is dropped when its client disconnects', async () => {
    const { port, lines } = await startGateway();
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST /bytes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nabc', () => socket.destroy());
    });
    await expect.poll(() => lines.find(({ path }) => path === '/bytes')).toMatchObject({ status: 499, cut: true });
  });
});

describe('a hostile request', () => {
  it.each([
    ['another site', 'evil.example', 403],
    ['a name that ends in ours', 'localhost.evil.example', 403],
    ['a name that starts with an address', '127.0.0.1.evil.example', 403],
    ['this machine', 'localhost:4747', 200],
    ['this machine with a dot', 'localhost.', 200],
    ['an address', '192.0.2.7:80', 200],
    ['a long address', '[::1]:4747', 200],
    ['a name that is allowed', 'Gateway.example:8443', 200],
  ])('with %s (%s) as Host gets %s', async (_what, host, status) => {
    const { port } = await startGateway({ allowedHosts: ['gateway.example'] });
    const answer = await sendRaw(port, `GET /health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(answer.split(' ')[1]).toBe(String(status));
  });

  it.each([
    ['without a Host', 'GET /health HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    [
      'with two Hosts',
      'GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
      403,
    ],
    ['with a broken Host', 'GET /health HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n', 400],
    [
      'with a flood of headers',
      `GET /health HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(20_000)}connection: close\r\n\r\n`,
      431,
    ],
    ['with an endless header', `GET /health HTTP/1.1\r\nhost: localhost\r\na: ${'b'.repeat(100_000)}`, 431],
    ['that is not HTTP', 'hello\r\n\r\n', 400],
    ['with an unknown method', 'BREW /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n', 400],
    [
      'with a path that leads above the root',
      'GET /../../etc/passwd HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      404,
    ],
    [
      'to another host',
      'GET http://evil.example/health HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
      403,
    ],
    [
      'that smuggles a second request',
      'POST /bytes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ])('%s is refused, and the gateway keeps running', async (_what, text, status) => {
    const { url, port } = await startGateway();
    expect((await sendRaw(port, text)).split(' ')[1]).toBe(String(status));
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('from a web page is refused unless its site is allowed', async () => {
    const { url, port } = await startGateway({ allowedOrigins: ['https://app.example'] });
    const post = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/proxy`, { method: 'POST', headers })).status;
    expect(await post({})).toBe(200);
    expect(await post({ origin: `http://127.0.0.1:${port}` })).toBe(200);
    expect(await post({ origin: 'https://app.example' })).toBe(200);
    expect(await post({ origin: 'https://evil.example' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ origin: `http://127.0.0.1:${port + 1}` })).toBe(403);
    const crossSite = `POST /proxy HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: cross-site\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
    expect((await sendRaw(port, crossSite)).split(' ')[1]).toBe('403');
  });

  it('from an allowed page passes the preflight, and the page can read the response', async () => {
    const { url } = await startGateway({ allowedOrigins: ['https://app.example'] });
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key',
    };
    const asked = await fetch(`${url}/proxy`, { method: 'OPTIONS', headers });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example']);
    expect(asked.headers.get('access-control-allow-headers')).toBe('x-api-key');
    const read = await fetch(`${url}/proxy`, { headers });
    expect(read.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });
});

describe('the log', () => {
  it('records requests that were refused early, and those made through gateway.fetch', async () => {
    const { gateway, lines } = await startGateway();
    const refused = await gateway.fetch(
      new Request('http://evil.example/health', { headers: { 'x-request-id': 'r4' } }),
    );
    expect([refused.status, refused.headers.get('x-request-id')]).toEqual([403, 'r4']);
    await expect.poll(() => lines.at(-1)).toMatchObject({ requestId: 'r4', status: 403 });
  });

  it('has one line per request, and never a key', async () => {
    const env = { MY_KEY: 'provider-secret-"1"' };
    const upstreams = [{ id: 'a', format: 'openai-chat' as const, baseUrl: 'https://a.example', apiKeyEnv: 'MY_KEY' }];
    const { gateway, url, lines } = await startGateway({ upstreams }, { env });
    const { key, secret } = await gateway.keys.create({ name: 'app', scopes: ['manage'] });
    await (await fetch(`${url}/manage?key=${secret}`, { headers: { 'x-request-id': 'r3' } })).text();
    await expect
      .poll(() => lines.at(-1))
      .toMatchObject({ requestId: 'r3', method: 'GET', path: '/manage', status: 200, apiKeyId: key.id });
    gateway.log.info(
      { headers: { authorization: 'Bearer abc', 'x-api-key': 'def' }, req: { headers: { 'x-goog-api-key': 'ghi' } } },
      `called with ${secret} and ${env.MY_KEY}`,
    );
    gateway.log.info({ url: 'https://a.example/v1?alt=sse&key=jkl-mno' });
    const text = JSON.stringify(lines);
    for (const hidden of [secret.slice(12), 'provider-secret', 'abc', 'def', 'ghi', 'jkl'])
      expect(text).not.toContain(hidden);
    expect(text).toContain('[redacted]');
  });
});

describe('metrics', () => {
  it('count requests by route pattern, never by path', async () => {
    const { gateway, url } = await startGateway();
    for (const path of ['/health', '/health', '/a/1', '/a/2']) await (await fetch(`${url}${path}`)).text();
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('# TYPE skillwright_http_requests_total counter');
    expect(text).toContain('skillwright_http_requests_total{method="GET",route="/health",status="200"} 2');
    expect(text).toContain('skillwright_http_requests_total{method="GET",route="none",status="404"} 2');
    expect(text).toContain('skillwright_http_request_seconds_count{route="/health"} 2');
    expect(text).toContain('skillwright_http_request_seconds_bucket{route="/health",le="+Inf"} 2');
    expect(text).toMatch(/^skillwright_http_requests_under_way 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).not.toContain('/a/1');
    const { secret } = await gateway.keys.create({ name: 'p', scopes: ['manage'] });
    const scraped = await fetch(`${url}/metrics`, { headers: { via: 'proxy', authorization: `Bearer ${secret}` } });
    expect(scraped.status).toBe(200);
  });
});

describe('a shutdown', () => {
  it('right after the start leaves no error in the log, and lists the skills once', async () => {
    for (let count = 0; count < 5; count += 1) {
      const { lines, logDestination } = keepLog();
      const gateway = await createGateway({ data: makeDataDirectory() }, { logDestination });
      await gateway.close();
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(lines.filter(({ msg }) => msg === 'Skills discovered.')).toHaveLength(1);
    }
  });

  it('refuses new requests, lets running ones end, and closes the store', async () => {
    const { gateway, url, close } = await startGateway({ limits: { shutdownMs: 60_000 } });
    const reader = new AbortController();
    const stream = await fetch(`${url}/slow`, { signal: reader.signal });
    const closing = close();
    const refused = await gateway.fetch(new Request('http://localhost/health'));
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'ShuttingDown' })]);
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    await gateway.store.check();
    await stream.body?.cancel();
    await closing;
    await expect(gateway.store.check()).rejects.toMatchObject({ code: 'StoreClosed' });
  });

  it('ends requests that take too long', async () => {
    const { url, close } = await startGateway({ limits: { shutdownMs: 1 } });
    const stream = await fetch(`${url}/slow`);
    const [text] = await Promise.all([stream.text(), close()]);
    expect(text).toBe('first');
    await close();
  });
});
