// Model requests bypass the framework: the response must be the one that the framework would give.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FastPath } from '../../../packages/gateway/src/proxy/fast-path.ts';
import type { GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import { listenWith } from '../../../packages/gateway/src/serve.ts';
import { sendRaw } from '../gateway-server.ts';
import { startGatewayTo } from './loop/loop-gateway.ts';
import { ECHO_HANDLER } from './loop/loop-handlers.ts';
import { startUpstream } from '../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const ANSWER = { id: 'chatcmpl-1', object: 'chat.completion', choices: [], usage: { prompt_tokens: 1 } };
const HELLO = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
/** The name of a model that never answers. */
const HANGS = 'hangs';
const STREAMED = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] });

interface Pair {
  /** One port with the fast path, and one with the framework only. */
  readonly ports: readonly [fastPath: number, framework: number];
  readonly taken: () => number;
  readonly lines: Record<string, unknown>[];
  metrics(): Promise<string>;
}

/** One gateway behind two servers, one of which has no fast path. */
async function startPair(config: GatewayConfigInput = {}): Promise<Pair> {
  const upstream = await startUpstream((request, response) => {
    if (request.body.includes(HANGS)) return;
    const isStream = request.body.includes('"stream":true') || request.url.includes('streamGenerateContent');
    const status = request.body.includes('"refused"') ? 429 : 200;
    response.writeHead(status, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      'x-ratelimit-remaining': '7',
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    });
    if (isStream) response.write('data: {"choices":[]}\n\n');
    response.end(isStream ? 'data: [DONE]\n\n' : JSON.stringify(ANSWER));
  });
  return startPairTo(upstream.url, config);
}

async function startPairTo(upstream: string, config: GatewayConfigInput = {}): Promise<Pair> {
  const baseUrl = (format: string): string => (format.startsWith('openai') ? `${upstream}/v1` : upstream);
  const { gateway, lines } = await startGatewayTo({ baseUrl }, config, [ECHO_HANDLER]);
  let taken = 0;
  const fastPath: FastPath = (incoming, outgoing) => {
    const isTaken = gateway.fastPath(incoming, outgoing);
    if (isTaken) taken += 1;
    return isTaken;
  };
  const port = async (own: FastPath): Promise<number> => {
    const { url, close } = await listenWith({ ...gateway, fastPath: own });
    onTestFinished(close);
    return Number(new URL(url).port);
  };
  const operator = { operator: true } as const;
  return {
    ports: [await port(fastPath), await port(() => false)],
    taken: () => taken,
    lines,
    metrics: async () => (await gateway.fetch(new Request('http://localhost/metrics'), operator)).text(),
  };
}

/** The raw bytes of a request. */
function bytesOf(target: string, body: string | Buffer, headers: readonly string[] = [], method = 'POST'): string {
  const own = headers.some((line) => line.toLowerCase().startsWith('host:')) ? [] : ['Host: localhost'];
  const lines = [`${method} ${target} HTTP/1.1`, ...own, 'Connection: close', 'X-Request-Id: r-1', ...headers];
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  return `${[...lines, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n${body.toString('latin1')}`;
}

/** Both responses, without the parts that change from one moment to the next. */
async function askBoth({ ports }: Pair, request: string): Promise<readonly string[]> {
  const answers = await Promise.all(ports.map((port) => sendRaw(port, request)));
  return answers.map((answer) =>
    answer.replaceAll(/^date: .*\r\n|(?<=time-ms: )\d+|(?<=chatcmpl-)[\da-f]{16}|(?<="created":)\d+/gim, ''),
  );
}

describe('the fast path responds as the framework would', () => {
  it.each<readonly [string, string, number]>([
    ['a request that is passed on', bytesOf(CHAT, HELLO, ['x-skillwright-mode: off']), 200],
    ['a stream that is passed on', bytesOf(CHAT, STREAMED, ['x-skillwright-mode: off']), 200],
    ['a request with skills', bytesOf(CHAT, HELLO), 200],
    ['a refusal by the provider', bytesOf(CHAT, JSON.stringify({ model: 'm', messages: [], user: 'refused' })), 429],
    ['a body that is not JSON', bytesOf(CHAT, '{"model":'), 400],
    ['a body that is not an object', bytesOf(CHAT, '[]'), 400],
    ['no model', bytesOf(CHAT, '{}'), 400],
    ['no body', bytesOf(CHAT, ''), 400],
    ['an invalid header', bytesOf(CHAT, HELLO, ['x-skillwright-mode: perhaps']), 400],
    ['a key that does not exist', bytesOf(CHAT, HELLO, [`authorization: Bearer sk-sw-${'x'.repeat(43)}`]), 401],
    ['a request that another proxy forwarded', bytesOf(CHAT, HELLO, ['via: 1.1 somewhere']), 401],
    ['a body that is compressed in an unknown way', bytesOf(CHAT, HELLO, ['content-encoding: lzma']), 415],
    ['a body that is too large', bytesOf(CHAT, 'x'.repeat(3_000)), 413],
    ['a path with a query', bytesOf(`${CHAT}?api-version=2`, HELLO, ['x-skillwright-mode: off']), 200],
    ['the demo model', bytesOf(CHAT, HELLO.replace('"m"', '"demo"'), ['x-skillwright-mode: off']), 200],
    ['Responses', bytesOf('/v1/responses', '{"model":"m","input":"x"}', ['x-skillwright-mode: off']), 200],
    ['Messages', bytesOf('/v1/messages', HELLO, ['x-skillwright-mode: off']), 200],
    ['Gemini', bytesOf('/v1beta/models/m:generateContent', '{"contents":[]}', ['x-skillwright-mode: off']), 200],
    ['Gemini, streamed', bytesOf('/v1/models/a/m:streamGenerateContent?alt=sse', '{"contents":[]}'), 200],
  ])('%s', async (_what, request, status) => {
    const pair = await startPair({ limits: { bodyBytes: 2_000 } });
    const [fastPath, framework] = await askBoth(pair, request);
    expect(fastPath).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(fastPath).toBe(framework);
    expect(pair.taken()).toBe(1);
    await expect.poll(() => requestsIn(pair)).toHaveLength(2);
    const [first, second] = requestsIn(pair);
    expect({ ...first, ms: 0, time: '' }).toEqual({ ...second, ms: 0, time: '' });
    // Both ports are counted under one route with the same labels.
    const counted = (await pair.metrics()).match(/^skillwright_http_requests_total\{.*\} 2$/gm);
    expect(counted).toHaveLength(1);
  });

  it('to a compressed body', async () => {
    const pair = await startPair();
    const headers = { 'content-encoding': 'gzip', 'x-skillwright-mode': 'off' };
    const [fastPath, framework] = await Promise.all(
      pair.ports.map(async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}${CHAT}`, {
          method: 'POST',
          headers,
          body: gzipSync(HELLO),
        });
        return [answer.status, await answer.json()];
      }),
    );
    expect(fastPath).toEqual([200, ANSWER]);
    expect(framework).toEqual(fastPath);
    expect(pair.taken()).toBe(1);
  });
});

describe('requests that are left to the framework', () => {
  it.each<readonly [string, string, number]>([
    ['another method', bytesOf(CHAT, '', [], 'PUT'), 405],
    ['another path', bytesOf('/v1/embeddings', '{"model":"m"}'), 200],
    ['a path that is escaped', bytesOf('/v1/chat%2Fcompletions', HELLO), 404],
    ['a model whose name is escaped', bytesOf('/v1beta/models/a%20b:generateContent', '{"contents":[]}'), 200],
    ['a path with a slash at its end', bytesOf(`${CHAT}/`, HELLO), 404],
    ['a whole URL', bytesOf(`http://localhost${CHAT}`, HELLO, ['x-skillwright-mode: off']), 200],
    ['a model with a fragment', bytesOf('/v1beta/models/m#x:generateContent', '{"contents":[]}'), 405],
    ['a model with a backslash', bytesOf(String.raw`/v1beta/models/a\b:generateContent`, '{"contents":[]}'), 400],
    ['a path with dots', bytesOf('/v1beta/models/x/../m:generateContent', '{"contents":[]}'), 200],
    ['an invalid port in the Host', bytesOf(CHAT, HELLO, ['Host: localhost:99999']), 400],
    ['an invalid port with a key in the query', bytesOf(`${CHAT}?key=a`, HELLO, ['Host: localhost:99999']), 400],
    ['an unabbreviated IPv6 address as Host', bytesOf(CHAT, HELLO, ['Host: [0:0:0:0:0:0:0:1]']), 400],
    ['a foreign host', bytesOf(CHAT, HELLO, ['Host: evil.example']), 403],
    ['two hosts', bytesOf(CHAT, HELLO, ['Host: localhost', 'Host: evil.example']), 403],
    ['a page of another site', bytesOf(CHAT, HELLO, ['Origin: http://evil.example']), 403],
    ['two keys', bytesOf(CHAT, HELLO, ['Authorization: Bearer a', 'Authorization: Bearer b']), 200],
  ])('%s', async (_what, request, status) => {
    const pair = await startPair();
    const [fastPath, framework] = await askBoth(pair, request);
    expect(fastPath).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(fastPath).toBe(framework);
    expect(pair.taken()).toBe(0);
  });

  it('every request, if other origins are allowed', async () => {
    const pair = await startPair({ allowedOrigins: ['http://app.example'] });
    const request = bytesOf(CHAT, HELLO, ['Origin: http://app.example', 'x-skillwright-mode: off']);
    const [fastPath, framework] = await askBoth(pair, request);
    expect(fastPath).toContain('http://app.example');
    expect(fastPath).toBe(framework);
    expect(pair.taken()).toBe(0);
  });
});

describe('the fast path passes on a provider’s response as the framework would', () => {
  const answers = async (head: string): Promise<readonly string[]> => {
    const upstream = createServer((socket) => {
      const answer = Buffer.from(`${head}\r\nContent-Length: 2\r\n\r\n{}`, 'latin1');
      socket.on('error', () => {}).on('data', () => void socket.write(answer));
    });
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    onTestFinished(() => void upstream.close());
    const { port } = upstream.address() as AddressInfo;
    const pair = await startPairTo(`http://127.0.0.1:${port}`);
    return askBoth(pair, bytesOf(CHAT, HELLO, ['x-skillwright-mode: off']));
  };

  it.each([
    ['HTTP/1.1 200 Caf\u00e9', 'HTTP/1.1 200 OK\r\n'],
    [`HTTP/1.1 429 ${Buffer.from('请求过多').toString('latin1')}`, 'HTTP/1.1 429 Too Many Requests\r\n'],
    ['HTTP/1.1 299 a\u0001b', 'HTTP/1.1 299 \r\n'],
    ['HTTP/1.1 200 Fine', 'HTTP/1.1 200 Fine\r\n'],
  ])('%s', async (head, sent) => {
    const [fastPath, framework] = await answers(head);
    expect(fastPath?.slice(0, sent.length)).toBe(sent);
    expect(fastPath).toBe(framework);
  });

  it('without a header that only the gateway’s own server handles', async () => {
    const [fastPath, framework] = await answers('HTTP/1.1 200 OK\r\nx-hono-already-sent: true');
    expect(fastPath).toContain('{}');
    expect(fastPath).not.toContain('x-hono-already-sent');
    expect(fastPath).toBe(framework);
  });
});

describe('a stream with skills', () => {
  it.each([
    ['1.1', 'transfer-encoding: chunked'],
    ['1.0', undefined],
  ])('is framed for a client of HTTP/%s', async (version, framing) => {
    const pair = await startPair();
    const [fastPath, framework] = await askBoth(pair, bytesOf(CHAT, STREAMED).replace('HTTP/1.1', `HTTP/${version}`));
    const [head = '', body] = (fastPath ?? '').split('\r\n\r\n', 2);
    expect(head).toContain('x-skillwright-injected: echo');
    expect(head.match(/^transfer-encoding: .*$/gim) ?? []).toEqual(framing === undefined ? [] : [framing]);
    expect(body).toContain('data: [DONE]');
    // Without chunked encoding, the body begins directly with the first event.
    expect(body?.startsWith('data: ')).toBe(framing === undefined);
    expect(framework?.split('\r\n\r\n', 1)).toEqual([head]);
  });
});

it('counts a client that disconnected as such and frees its slot', async () => {
  const pair = await startPair({ limits: { concurrentRequests: 1 } });
  const leaving = new AbortController();
  const url = `http://127.0.0.1:${pair.ports[0]}${CHAT}`;
  const ask = async (user: string, signal?: AbortSignal): Promise<number> => {
    const body = JSON.stringify({ model: 'm', messages: [], user });
    const answer = await fetch(url, { method: 'POST', body, signal: signal ?? null });
    return answer.status;
  };
  const left = ask(HANGS, leaving.signal).catch(() => 'left');
  await expect.poll(() => ask('other')).toBe(429);
  leaving.abort();
  expect(await left).toBe('left');
  await expect.poll(() => ask('other')).toBe(200);
  expect(requestsIn(pair)).toContainEqual(expect.objectContaining({ status: 499, cut: true }));
  expect(await pair.metrics()).toContain(`skillwright_http_answers_cut_total{route="${CHAT}"} 1`);
});

function requestsIn({ lines }: Pair): readonly Record<string, unknown>[] {
  return lines.filter(({ msg }) => msg === 'request');
}

it('passes on a response with repeated headers', async () => {
  const upstream = await startUpstream((_request, response) => {
    const twice = ['content-type', 'application/json', 'content-type', 'text/plain'];
    response.writeHead(200, [...twice, 'content-encoding', 'identity', 'content-encoding', 'identity']);
    response.end('{"id":"resp_1"}');
  });
  const { ports } = await startPairTo(upstream.url);
  for (const port of ports) {
    const asked = bytesOf('/v1/responses', JSON.stringify({ model: 'm', input: 'hello' }), ['X-Skillwright-Mode: off']);
    const answer = await sendRaw(port, asked);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.match(/^content-type: .*$/gim)).toEqual(
      ['application/json', 'text/plain'].map((type) => `content-type: ${type}`),
    );
    expect(answer).toContain('{"id":"resp_1"}');
  }
});
