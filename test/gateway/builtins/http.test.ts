import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { startServer } from '../../security/network/server.ts';
import { openBuiltIns, type TestBuiltIns } from './built-ins.ts';

function openHttp(env: Record<string, string> = {}): TestBuiltIns {
  return openBuiltIns({ builtins: { allowHosts: ['127.0.0.1'] }, env });
}

describe('http_request', () => {
  it('sends one request and returns the response', async () => {
    proves('S4.builtin.http_request');
    const { authority } = await startServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        response.writeHead(201, { 'content-type': 'text/plain', 'x-seen': String(request.headers['x-own']) });
        response.end(`${request.method} ${request.url} ${body}`);
      })();
    });
    const { call } = openHttp();
    const url = `http://${authority}/a?b=1`;
    const sent = { url, method: 'POST', headers: { 'X-Own': 'yes' }, body: 'hello' };
    expect(await call('http_request', sent)).toEqual({
      success: true,
      url,
      method: 'POST',
      status: 201,
      statusText: 'Created',
      headers: expect.objectContaining({ 'content-type': 'text/plain', 'x-seen': 'yes' }) as object,
      body: 'POST /a?b=1 hello',
      truncated: false,
    });
  });

  it('defaults to GET, and returns error statuses as results', async () => {
    const { authority } = await startServer((request, response) => response.writeHead(404).end(request.method));
    expect(await openHttp().call('http_request', { url: `http://${authority}/` })).toMatchObject({
      success: false,
      method: 'GET',
      status: 404,
      statusText: 'Not Found',
      body: 'GET',
    });
  });

  it('supports exactly GET, HEAD, POST, PUT, PATCH and DELETE', async () => {
    proves('S4.http.methods');
    const seen: string[] = [];
    const { authority } = await startServer((request, response) => {
      seen.push(request.method ?? '');
      response.end();
    });
    const { call } = openHttp();
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'delete'];
    for (const method of methods) await call('http_request', { url: `http://${authority}/`, method });
    for (const method of ['OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND', 'GET /x', ''])
      await expect(call('http_request', { url: `http://${authority}/`, method })).rejects.toMatchObject({
        code: 'InvalidInput',
      });
    expect(seen).toEqual([...methods.slice(0, -1), 'DELETE']);
  });

  it.each([
    'host',
    'connection',
    'content-length',
    'cookie',
    'set-cookie',
    'authorization',
    'proxy-authorization',
    'Authorization',
    'COOKIE',
    'transfer-encoding',
    'x\r\ny',
  ])('never sends the header %j', async (name) => {
    proves('S4.http.headers');
    const { authority, connections } = await startServer((_request, response) => response.end());
    await expect(
      openHttp().call('http_request', { url: `http://${authority}/`, headers: { [name]: '1' } }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^Invalid(?:Input|Options)$/) as string });
    expect(connections()).toBe(0);
  });

  it('does not follow redirects', async () => {
    proves('S4.http.redirects');
    let requests = 0;
    const { authority } = await startServer((_request, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' }).end('moved');
    });
    expect(await openHttp().call('http_request', { url: `http://${authority}/` })).toMatchObject({
      success: false,
      status: 302,
      headers: expect.objectContaining({ location: '/elsewhere' }) as object,
      body: 'moved',
    });
    expect(requests).toBe(1);
  });

  it('keeps 256,000 bytes of a response, or SKILLS_MAX_HTTP_RESPONSE_BYTES, and says what it cut', async () => {
    proves('S4.http.truncate', 'S4.env.SKILLS_MAX_HTTP_RESPONSE_BYTES');
    const { authority } = await startServer((request, response) => {
      if (request.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('y'.repeat(1_000_000)));
      else response.end('x'.repeat(300_000));
    });
    const url = `http://${authority}/`;
    const usual = openHttp();
    const whole = await usual.call('http_request', { url });
    expect(whole).toMatchObject({ success: true, truncated: true });
    expect(String(whole['body'])).toHaveLength(256_000);
    expect(await usual.call('http_request', { url, maxBytes: 3 })).toMatchObject({ body: 'xxx', truncated: true });
    expect(await usual.call('http_request', { url: `${url}packed`, maxBytes: 3000 })).toMatchObject({
      truncated: true,
    });
    await expect(usual.call('http_request', { url, maxBytes: 256_001 })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    const { call } = openHttp({ SKILLS_MAX_HTTP_RESPONSE_BYTES: '5' });
    expect(await call('http_request', { url })).toMatchObject({ body: 'xxxxx', truncated: true });
  });

  it('ends on timeout and on cancellation', async () => {
    const { authority, allClosed } = await startServer(() => {});
    const { call } = openHttp();
    await expect(call('http_request', { url: `http://${authority}/`, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'RequestTimeout',
    });
    await expect(call('http_request', { url: `http://${authority}/`, timeoutMs: 60_001 })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    const cancel = new AbortController();
    const cancelled = call('http_request', { url: `http://${authority}/` }, { signal: cancel.signal });
    cancel.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'RequestCancelled' });
    await allClosed();
  });
});

describe('the network of http_request', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
    'http://a.localhost./',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[64:ff9b::7f00:1]/',
    'file:///etc/passwd',
    'http://user:pass@127.0.0.1/',
    'gopher://127.0.0.1/',
  ])('does not reach %s', async (url) => {
    proves('S4.http.public-only');
    const { call } = openBuiltIns();
    await expect(call('http_request', { url })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:AddressNotAllowed|UrlNotAllowed)$/) as string,
    });
  });

  it('does not reach a server on this machine', async () => {
    const { authority, connections } = await startServer((_request, response) => response.end('inside'));
    await expect(openBuiltIns().call('http_request', { url: `http://${authority}/` })).rejects.toMatchObject({
      code: 'AddressNotAllowed',
      message: expect.stringContaining(`can add '${authority}' to 'builtins.allowHosts'`) as string,
    });
    expect(connections()).toBe(0);
  });
});
