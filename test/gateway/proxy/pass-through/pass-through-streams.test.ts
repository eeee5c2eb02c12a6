import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startProxy, type ProxyGateway } from './proxy-gateway.ts';
import { startUpstream, type UpstreamServer } from '../../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const SSE = { 'content-type': 'text/event-stream' };

/** An upstream whose every response the test writes, and a gateway in front of it. */
async function startHeld(
  options: Parameters<typeof startProxy>[1] = {},
): Promise<{ proxy: ProxyGateway; upstream: UpstreamServer; next: () => Promise<ServerResponse> }> {
  const waiting: ((response: ServerResponse) => void)[] = [];
  const arrived: ServerResponse[] = [];
  const upstream = await startUpstream((_request, response) => {
    const resolve = waiting.shift();
    if (resolve === undefined) arrived.push(response);
    else resolve(response);
  });
  const proxy = await startProxy([{ format: 'openai-chat', baseUrl: upstream.url }], options);
  const next = (): Promise<ServerResponse> => {
    const response = arrived.shift();
    if (response !== undefined) return Promise.resolve(response);
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  };
  return { proxy, upstream, next };
}

function send({ url }: ProxyGateway): { sent: ClientRequest; response: Promise<IncomingMessage> } {
  const sent = request(`${url}${CHAT}`, { method: 'POST', agent: false });
  // Ignored: tests break connections on purpose.
  sent.on('error', () => {});
  sent.end('{}');
  return { sent, response: once(sent, 'response').then(([response]) => response as IncomingMessage) };
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

describe('a passed-through stream', () => {
  it('delivers each piece before the upstream makes the next', async () => {
    const { proxy, next } = await startHeld();
    const { response } = send(proxy);
    const upstream = await next();
    upstream.writeHead(200, SSE).flushHeaders();
    const client = await response;
    expect(client.headers['content-type']).toBe('text/event-stream');
    for (let index = 0; index < 20; index += 1) {
      upstream.write(`data: ${index}\n\n`);
      const [chunk] = (await once(client, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(`data: ${index}\n\n`);
    }
    upstream.end();
    await once(client, 'end');
  });

  it('delivers each piece at once through gateway.fetch, too', async () => {
    const { proxy, next } = await startHeld();
    const { secret } = await proxy.gateway.keys.create({ name: 'app', scopes: ['proxy'] });
    const headers = { authorization: `Bearer ${secret}` };
    const asked = proxy.gateway.fetch(new Request(`http://localhost${CHAT}`, { method: 'POST', body: '{}', headers }));
    const upstream = await next();
    upstream.writeHead(200, SSE).flushHeaders();
    const reader = (await asked).body?.getReader();
    for (const piece of ['a', 'b', 'c']) {
      upstream.write(piece);
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(piece);
    }
    const closed = once(upstream, 'close');
    await reader?.cancel();
    await closed;
  });

  it('is canceled upstream as soon as the client disconnects, before or after it begins', async () => {
    const { proxy, next } = await startHeld();
    for (const hasBegun of [true, false]) {
      const { sent, response } = send(proxy);
      const upstream = await next();
      if (hasBegun) {
        upstream.writeHead(200, SSE).write('data: 1\n\n');
        await once(await response, 'data');
      } else response.catch(() => {});
      const closed = once(upstream, 'close');
      sent.destroy();
      await closed;
      expect(upstream.writableFinished).toBe(false);
    }
  });

  it('is cut for the client where the upstream cuts it, after all received bytes', async () => {
    const { proxy, next } = await startHeld();
    const { response } = send(proxy);
    const upstream = await next();
    upstream.writeHead(200, SSE).write('data: 1\n\n');
    const client = await response;
    const [chunk] = (await once(client, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('data: 1\n\n');
    upstream.destroy();
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
    expect([error.code, client.complete]).toEqual(['ECONNRESET', false]);
  });

  it('is cut if the upstream stays silent too long', async () => {
    const { proxy, next } = await startHeld({ times: { idleMs: 100 } });
    const { response } = send(proxy);
    const upstream = await next();
    upstream.writeHead(200, SSE).write('data: 1\n\n');
    const client = await response;
    client.resume();
    await once(client, 'error');
    expect(client.complete).toBe(false);
  });

  it('waits for a slow reader for as long as it takes', async () => {
    const { proxy, next } = await startHeld({ times: { idleMs: 50 } });
    const { response } = send(proxy);
    const upstream = await next();
    upstream.writeHead(200, SSE);
    const total = 64 * 1024 ** 2;
    const piece = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const write = async (): Promise<void> => {
      while (written < total) {
        written += piece.length;
        if (!upstream.write(piece)) await once(upstream, 'drain');
      }
      upstream.end();
    };
    const writing = write();
    const client = await response;
    client.pause();
    // Kernel buffers hold some megabytes each way; everything beyond that would be the gateway's memory.
    let before = -1;
    while (before !== written) {
      before = written;
      await delay(200);
    }
    expect(written).toBeLessThan(24 * 1024 ** 2);
    let size = 0;
    for await (const chunk of client) size += (chunk as Buffer).length;
    await writing;
    expect(size).toBe(total);
  });

  it('works for 200 clients at the same time', async () => {
    const { proxy, next } = await startHeld();
    const clients = Array.from({ length: 200 }, () => send(proxy));
    const upstreams = await Promise.all(clients.map(() => next()));
    for (const [index, upstream] of upstreams.entries()) upstream.writeHead(200, SSE).write(`data: ${index}\n\n`);
    const responses = await Promise.all(clients.map(({ response }) => response));
    for (const [index, upstream] of upstreams.entries()) upstream.end(`data: end ${index}\n\n`);
    const texts = await Promise.all(responses.map(textOf));
    expect(texts.toSorted()).toEqual(
      upstreams.map((_, index) => `data: ${index}\n\ndata: end ${index}\n\n`).toSorted(),
    );
  });

  it('is cut upstream and for the client when the gateway stops', async () => {
    const { proxy, next } = await startHeld();
    const { response } = send(proxy);
    const upstream = await next();
    upstream.writeHead(200, SSE).write('data: 1\n\n');
    const client = await response;
    const ended = Promise.all([once(upstream, 'close'), once(client.resume(), 'error')]);
    await proxy.close();
    await ended;
    expect([upstream.writableFinished, client.complete]).toEqual([false, false]);
  });

  it('is refused in the caller’s format if the gateway stops before it begins', async () => {
    const { proxy, next } = await startHeld();
    const { response } = send(proxy);
    await next();
    const closed = proxy.close();
    const client = await response;
    expect([client.statusCode, JSON.parse(await textOf(client))]).toMatchObject([
      503,
      { error: { code: 'shutting_down' } },
    ]);
    await closed;
  });

  it('is logged with its status once it has ended', async () => {
    const { proxy, next } = await startHeld();
    const { response } = send(proxy);
    (await next()).writeHead(418, SSE).end('x');
    await textOf(await response);
    await expect
      .poll(() => proxy.lines.find(({ msg }) => msg === 'request'))
      .toMatchObject({ status: 418, path: CHAT });
  });
});
