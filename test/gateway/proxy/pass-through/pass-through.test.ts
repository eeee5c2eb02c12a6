import { randomBytes } from 'node:crypto';
import { Agent, request as send } from 'node:http';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createScriptedModel } from 'skillwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdClock } from '../../../support/hold-clock.ts';
import { sendRaw } from '../../gateway-server.ts';
import { startProxy } from './proxy-gateway.ts';
import { answerJson, startUpstream } from '../../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a passed-through request', () => {
  // Numbers and spaces that a serializer would write differently.
  const bytes = Buffer.from(
    '{ "model" : "m", "n": 1.0, "seed": 12345678901234567890, "x": "\\u00e4ä", "a":1, "a":2 }\n',
  );

  it('goes upstream byte for byte, with its headers, its query and the configured key', async () => {
    const upstream = await startUpstream(answerJson({}));
    const given = [{ format: 'openai-chat' as const, baseUrl: `${upstream.url}/base/v1`, apiKeyEnv: 'KEY' }];
    const { port } = await startProxy(given, { env: { KEY: 'provider-key' } });
    const head = [
      `POST ${CHAT}?api-version=1%2F2&x HTTP/1.1`,
      'Host: localhost',
      'User-Agent: OpenAI/JS 6',
      'X-Stainless-OS: Linux',
      'OpenAI-Organization: org-1',
      'Accept-Encoding: gzip, br',
      'Authorization: Bearer placeholder',
      'Cookie: session=1',
      'X-Skillwright-Mode: off',
      'Content-Type: application/json',
      `Content-Length: ${bytes.length}`,
      'Connection: close',
    ];
    await sendRaw(port, `${head.join('\r\n')}\r\n\r\n${bytes.toString()}`);
    const [seen] = upstream.seen;
    expect(seen?.body.equals(bytes)).toBe(true);
    expect([seen?.method, seen?.url]).toEqual(['POST', '/base/v1/chat/completions?api-version=1%2F2&x']);
    expect(seen?.rawHeaders).toEqual(
      [
        ['host', `127.0.0.1:${upstream.port}`, 'connection', 'keep-alive'],
        ['User-Agent', 'OpenAI/JS 6', 'X-Stainless-OS', 'Linux'],
        ['Accept-Encoding', 'gzip, br', 'Content-Type', 'application/json'],
        ['authorization', 'Bearer provider-key', 'content-length', String(bytes.length)],
      ].flat(),
    );
  });

  it.each([
    ['anthropic-messages', '/v1/messages', 'x-api-key', 'provider-key'],
    ['gemini', '/v1beta/models/m:generateContent?key=placeholder&alt=sse', 'x-goog-api-key', 'provider-key'],
    ['openai-responses', '/v1/responses', 'authorization', 'Bearer provider-key'],
  ] as const)('in the format %s puts the key where its provider expects it', async (format, path, header, value) => {
    const upstream = await startUpstream(answerJson({}));
    const { url } = await startProxy([{ format, baseUrl: upstream.url, apiKeyEnv: 'KEY' }], {
      env: { KEY: 'provider-key' },
    });
    await fetch(`${url}${path}`, { method: 'POST', body: '{"model":"m"}', headers: { 'x-api-key': 'placeholder' } });
    const { headers, url: seenUrl = '' } = upstream.seen[0] ?? {};
    expect(headers?.[header]).toBe(value);
    expect(seenUrl).not.toContain('placeholder');
    expect(JSON.stringify(headers)).not.toContain('placeholder');
  });

  it('keeps its own provider key only if the upstream has forwardKeys', async () => {
    const upstream = await startUpstream(answerJson({}));
    const baseUrl = upstream.url;
    const given = { format: 'anthropic-messages' as const, baseUrl, apiKeyEnv: 'KEY', forwardKeys: true };
    const { url } = await startProxy([given], { env: { KEY: 'configured-key' } });
    const post = async (headers: Record<string, string>): Promise<(string | string[] | undefined)[]> => {
      await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}', headers });
      const seen = upstream.seen.at(-1)?.headers ?? {};
      return [seen['x-api-key'], seen.authorization];
    };
    expect(await post({ authorization: 'Bearer of-the-client' })).toEqual([undefined, 'Bearer of-the-client']);
    expect(await post({})).toEqual(['configured-key', undefined]);
  });

  it('loses a gateway key before it goes upstream, whatever is configured', async () => {
    const upstream = await startUpstream(answerJson({}));
    const given = { format: 'openai-chat' as const, baseUrl: `${upstream.url}/v1`, forwardKeys: true };
    const { url, gateway } = await startProxy([given]);
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    for (const headers of [
      { authorization: `Bearer ${secret}` },
      { 'x-api-key': secret },
      { 'x-goog-api-key': secret },
    ])
      expect((await fetch(`${url}${CHAT}`, { method: 'POST', body: '{}', headers: { ...headers } })).status).toBe(200);
    expect((await fetch(`${url}${CHAT}?key=${secret}`, { method: 'POST', body: '{}' })).status).toBe(200);
    expect(upstream.seen).toHaveLength(4);
    expect(JSON.stringify(upstream.seen)).not.toContain('sk-sw-');
  });

  it.each([
    ['gzip', gzipSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['zstd', zstdCompressSync(bytes)],
  ])('is decompressed before it goes upstream: %s', async (packing, packed) => {
    const upstream = await startUpstream(answerJson({}));
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const headers = { ...JSON_TYPE, 'content-encoding': packing };
    await fetch(`${url}${CHAT}`, { method: 'POST', body: new Uint8Array(packed), headers });
    const [seen] = upstream.seen;
    expect([seen?.body.equals(bytes), seen?.headers['content-encoding']]).toEqual([true, undefined]);
    expect(seen?.headers['content-length']).toBe(String(bytes.length));
  });

  it('arrives whole with 50 MB', async () => {
    const upstream = await startUpstream(answerJson({}));
    const limits = { bodyBytes: 64 * 1024 ** 2 };
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }], { config: { limits } });
    const body = randomBytes(50 * 1024 ** 2);
    await fetch(`${url}${CHAT}`, { method: 'POST', body, headers: JSON_TYPE });
    expect(upstream.seen[0]?.body.equals(body)).toBe(true);
  });

  it.each(['/v1/responses/../files', '/v1/responses/%2e%2e/files', '/v1/models/x%2f..%2f..%2ffiles'])(
    'cannot leave the paths of the API: %s',
    async (path) => {
      const upstream = await startUpstream(answerJson({ secret: true }));
      const baseUrl = `${upstream.url}/v1`;
      const { port } = await startProxy([
        { format: 'openai-responses', baseUrl },
        { format: 'openai-chat', baseUrl },
      ]);
      const answer = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(upstream.seen).toEqual([]);
    },
  );
});

describe('a passed-through response', () => {
  it('keeps its status, headers and bytes, including the compression', async () => {
    const packed = gzipSync('{"id":"x"}');
    const upstream = await startUpstream((_request, response) => {
      const headers = [
        ['Content-Type', 'application/json', 'Content-Encoding', 'gzip', 'Content-Length', String(packed.length)],
        ['X-RateLimit-Remaining', '7', 'x-request-id', 'req_of_provider', 'OpenAI-Processing-Ms', '12'],
        ['Set-Cookie', 'a=1', 'Access-Control-Allow-Origin', '*', 'Date', 'Thu, 01 Jan 1970 00:00:00 GMT'],
      ];
      response.writeHead(201, 'Made', headers.flat());
      response.end(packed);
    });
    const { port } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const raw = await sendRaw(
      port,
      `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    const [head = '', body] = raw.split('\r\n\r\n');
    expect(Buffer.from(body ?? '', 'latin1').equals(packed)).toBe(true);
    expect(head.split('\r\n')).toEqual([
      'HTTP/1.1 201 Made',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      `Content-Length: ${packed.length}`,
      'X-RateLimit-Remaining: 7',
      'x-request-id: req_of_provider',
      'OpenAI-Processing-Ms: 12',
      'Date: Thu, 01 Jan 1970 00:00:00 GMT',
      'x-skillwright-skipped: test',
      'Connection: close',
    ]);
  });

  it.each([
    [401, 'application/json', '{"error":{"message":"Incorrect API key provided."}}'],
    [429, 'application/json', '{"error":{"message":"slow down"}}'],
    [503, 'text/html', '<html><title>Bad gateway</title></html>'],
    [529, 'application/json', '{"type":"error"}'],
  ])('keeps the status %d', async (status, type, text) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(status, { 'content-type': type, 'retry-after': '3' }).end(text);
    });
    const { url, gateway } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const init = { method: 'POST', body: '{}' };
    const served = await fetch(`${url}${CHAT}`, init);
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    const headers = { authorization: `Bearer ${secret}` };
    const direct = await gateway.fetch(new Request(`http://localhost${CHAT}`, { ...init, headers }));
    for (const response of [served, direct]) {
      expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
      expect([response.headers.get('retry-after'), await response.text()]).toEqual(['3', text]);
    }
    expect(upstream.seen).toHaveLength(2);
  });

  it('has no body if the upstream sends none, over HTTP and through gateway.fetch', async () => {
    const upstream = await startUpstream((_request, response) => response.writeHead(204).end());
    const { url, gateway } = await startProxy([{ format: 'openai-responses', baseUrl: upstream.url }]);
    const { secret } = await gateway.keys.create({ name: 'operator', scopes: ['proxy', 'manage'] });
    const init = { method: 'DELETE', headers: { 'x-api-key': secret } };
    expect((await fetch(`${url}/v1/responses/resp_1`, init)).status).toBe(204);
    const request = new Request('http://localhost/v1/responses/resp_1', init);
    const direct = await gateway.fetch(request);
    expect([direct.status, direct.body]).toEqual([204, null]);
  });

  it('does not show what others stored at the provider, to a key or to an anonymous client', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const { url, gateway } = await startProxy([{ format: 'openai-responses', baseUrl: upstream.url }]);
    const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    for (const path of ['resp_1', 'resp_1/input_items']) {
      const response = await fetch(`${url}/v1/responses/${path}`, { headers: { 'x-api-key': secret } });
      expect(response.status).toBe(404);
      expect((await fetch(`${url}/v1/responses/${path}`)).status).toBe(404);
    }
    expect(upstream.seen).toEqual([]);
  });

  it('reaches clients of HTTP/1.0', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      response.end('data: 2\n\n');
    });
    const { port } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const raw = await sendRaw(port, `POST ${CHAT} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`);
    const [head = '', body] = raw.split('\r\n\r\ndata');
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
    expect(`data${body}`).toBe('data: 1\n\ndata: 2\n\n');
  });

  it('has CORS headers of the gateway and none of the upstream', async () => {
    const upstream = await startUpstream(answerJson({}, 200, { 'access-control-allow-origin': '*' }));
    const origin = 'https://app.example';
    const given = [{ format: 'openai-chat' as const, baseUrl: upstream.url }];
    const { url } = await startProxy(given, { config: { allowedOrigins: [origin] } });
    const response = await fetch(`${url}${CHAT}`, { method: 'POST', body: '{}', headers: { origin } });
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(upstream.seen[0]?.headers.origin).toBeUndefined();
  });
});

describe('upstream connections', () => {
  const chat = (url: string, agent: Agent): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = send(`${url}${CHAT}`, { method: 'POST', agent, headers: JSON_TYPE }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', reject).end('{}');
    });

  it('are reused for many requests, and so are connections of clients', async () => {
    const upstream = await startUpstream(answerJson({ id: 1 }));
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let index = 0; index < 10; index += 1) expect(await chat(url, agent)).toBe(200);
    expect(upstream.connections()).toBe(1);
  });

  it('are replaced without loss if the upstream closed them meanwhile', async () => {
    const upstream = await startUpstream((_request, response, incoming) => {
      response.writeHead(200).end('{}');
      // Closes the connection just after the gateway has decided to keep it.
      response.on('finish', () => setImmediate(() => incoming.socket.destroy()));
    });
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let index = 0; index < 30; index += 1) expect(await chat(url, agent)).toBe(200);
  });

  it('are replaced if the upstream closes a kept one during reuse, but not a new one', async () => {
    holdClock();
    const used = new WeakSet<object>();
    const upstream = await startUpstream((request, response, { socket }) => {
      if (used.has(socket) || request.body.includes('never')) return void socket.resetAndDestroy();
      used.add(socket);
      setTimeout(() => response.writeHead(200).end('{}'), 5);
    });
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    onTestFinished(() => agent.destroy());
    for (let round = 0; round < 5; round += 1)
      expect(new Set(await Promise.all(Array.from({ length: 10 }, () => chat(url, agent))))).toEqual(new Set([200]));
    // The pool now holds several kept connections, but only one retry is allowed.
    const asked = upstream.seen.length;
    const response = await fetch(`${url}${CHAT}`, { method: 'POST', body: '{"x":"never"}' });
    expect(response.status).toBe(502);
    // The request was sent on a kept connection, and then once on a new one.
    expect(upstream.seen.length - asked).toBe(2);
  });

  it.each<readonly [string, string, number]>([
    ['has begun to answer', 'HTTP/1.1 200 OK\r\nContent-Ty', 50],
    ['has announced an answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 50],
    ['has worked for a while', '', 600],
  ])(
    'are not replaced if the upstream closes them after it %s, because it has the request',
    async (_what, text, ms) => {
      const upstream = await startUpstream((request, response, { socket }) => {
        if (!request.body.includes('breaks')) return void response.writeHead(200).end('{}');
        if (text !== '') socket.write(text);
        setTimeout(() => socket.destroy(), ms);
      });
      const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
      const post = async (body: string): Promise<number> => {
        return (await fetch(`${url}${CHAT}`, { method: 'POST', body })).status;
      };
      expect(await post('{}')).toBe(200);
      expect(await post('{"x":"breaks"}')).toBe(502);
      expect([upstream.seen.length, upstream.connections()]).toEqual([2, 1]);
    },
  );

  it.each([
    ['POST', '/v1/conversations'],
    ['DELETE', '/v1/responses/resp_1'],
    ['DELETE', '/v1/conversations/conv_1'],
  ])('are not reused for %s %s, which must not be sent twice', async (method, path) => {
    const used = new WeakSet<object>();
    const upstream = await startUpstream((_request, response, { socket }) => {
      if (used.has(socket)) return void socket.resetAndDestroy();
      used.add(socket);
      response.writeHead(200).end('{}');
    });
    const { url, gateway } = await startProxy([{ format: 'openai-responses', baseUrl: upstream.url }]);
    const { secret } = await gateway.keys.create({ name: 'operator', scopes: ['proxy', 'manage'] });
    const headers = { authorization: `Bearer ${secret}` };
    for (let index = 0; index < 3; index += 1)
      expect((await fetch(`${url}${path}`, { method, headers })).status).toBe(200);
    expect([upstream.seen.length, upstream.connections()]).toEqual([3, 3]);
  });

  it('report a connection failure in the caller’s format, without the address', async () => {
    const gone = await startUpstream(answerJson({}));
    await gone.close();
    const { url, lines } = await startProxy([
      { format: 'openai-chat', baseUrl: gone.url },
      { format: 'anthropic-messages', baseUrl: gone.url },
      { format: 'gemini', baseUrl: gone.url },
    ]);
    const post = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`${url}${path}`, { method: 'POST', body: '{}' });
      return [response.status, await response.text()];
    };
    for (const [path, expected] of [
      [CHAT, { error: { type: 'server_error', code: 'upstream_unreachable' } }],
      ['/v1/messages', { type: 'error', error: { type: 'api_error' } }],
      ['/v1beta/models/m:generateContent', { error: { code: 502, status: 'UNAVAILABLE' } }],
    ] as const) {
      const [status, text] = await post(path);
      expect(status).toBe(502);
      expect(JSON.parse(text)).toMatchObject(expected);
      expect(text).toContain('ECONNREFUSED');
      expect(text).not.toContain(String(gone.port));
    }
    expect(lines.filter(({ code }) => code === 'UpstreamUnreachable')).toHaveLength(3);
  });

  it('yield a 502 if they break before a response, or if the response is not HTTP', async () => {
    const upstream = await startUpstream((request, response, incoming) => {
      if (request.body.includes('break')) incoming.socket.destroy();
      else if (request.body.includes('low')) incoming.socket.write('HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n');
      else incoming.socket.end('220 smtp.example ready\r\n');
      if (!request.body.includes('low')) response.destroy();
    });
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    for (const body of ['{"a":"break"}', '{"a":"low"}', '{}'])
      expect((await fetch(`${url}${CHAT}`, { method: 'POST', body })).status).toBe(502);
  });

  it.each([
    ['headers larger than 16 KB', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, /headers larger than 16 KB/],
    ['only interim responses', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000), /TooManyInterimResponses/],
  ])('yield a 502 that says so if an upstream sends %s', async (_what, text, expected) => {
    const upstream = await startUpstream((_request, _response, { socket }) => void socket.write(text));
    const { url } = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }]);
    const response = await fetch(`${url}${CHAT}`, { method: 'POST', body: '{}' });
    expect([response.status, await response.text()]).toEqual([502, expect.stringMatching(expected)]);
  });

  it('yield a 504 if no response comes in time', async () => {
    const model = await createScriptedModel({ script: [{ text: '', fault: { type: 'stall' } }] });
    onTestFinished(() => model.close());
    const given = [
      { format: 'anthropic-messages' as const, baseUrl: model.baseUrl('anthropic-messages'), apiKeyEnv: 'KEY' },
    ];
    const { url } = await startProxy(given, { times: { answerMs: 100 }, env: { KEY: 'k' } });
    const body = JSON.stringify({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { ...JSON_TYPE, 'anthropic-version': '2023-06-01' };
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', body, headers });
    expect([response.status, await response.json()]).toMatchObject([504, { error: { type: 'timeout_error' } }]);
  });
});
