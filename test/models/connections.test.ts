import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpClient } from '../../packages/skillwright/src/net/http/http-client.ts';
import { OK, onRequest } from '../security/network/client.ts';
import { startRawServer, startServer } from '../security/network/server.ts';
import { ask, chunksOf, clientOf, failureOf, textOf } from './asking.ts';

const WHOLE = `${OK}content-length: 2\r\n\r\n{}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

describe('a model server', () => {
  it('is reported with its address if it cannot be reached', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const failure = await failureOf(ask(clientOf({ baseUrl })));
    expect(failure).toMatchObject({ kind: 'connection', isPassing: false });
    expect(failure.message).toContain('ECONNREFUSED');
    expect(failure.message).toContain(`'${baseUrl}'`);
  });

  it.each([
    ['resets the connection', 'reset', true],
    ['closes it without a response', 'close', true],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', false],
  ])('counts as unreachable if it fails (%s)', async (_what, does, isPassing) => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        if (does === 'reset') socket.resetAndDestroy();
        else socket.end(does === 'close' ? '' : does);
      }),
    );
    const failure = await failureOf(ask(clientOf({ baseUrl: `http://${server.authority}` })));
    expect(failure).toMatchObject({ kind: 'connection', isPassing });
    expect(failure.message).toContain("'127.0.0.1'");
  });

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])('is reached on this machine as %s', async (host) => {
    const server = await startServer((_request, response) => response.end('{}'));
    const asking = ask(clientOf({ baseUrl: `http://${host}:${server.port}` }));
    expect(await textOf(await chunksOf(asking))).toBe('{}');
  });

  it('gets the path, headers and query of its format', async () => {
    const seen: unknown[] = [];
    const server = await startServer((request, response) => {
      const { authorization, accept, 'x-title': title, 'user-agent': agent } = request.headers;
      seen.push([request.method, request.url, authorization, accept, title, agent?.split('/')[0]]);
      response.end('{}');
    });
    const baseUrl = `http://${server.authority}/api/v1/?api-version=2`;
    const headers = { 'X-Title': 'Mine', Authorization: 'Basic abc' };
    await textOf(await chunksOf(ask(clientOf({ baseUrl, headers }))));
    const path = '/api/v1/chat/completions?api-version=2';
    expect(seen).toEqual([['POST', path, 'Basic abc', 'application/json', 'Mine', 'skillwright']]);
  });

  it('gets no key if none is configured', async () => {
    const seen: unknown[] = [];
    const server = await startServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    await textOf(await chunksOf(ask(clientOf({ baseUrl: `http://${server.authority}`, apiKey: undefined }))));
    expect(seen).toEqual([undefined]);
  });

  it('gets consecutive requests on one connection', async () => {
    const server = await startServer((_request, response) => response.end('{}'));
    const client = clientOf({ baseUrl: `http://${server.authority}` });
    for (let round = 0; round < 3; round += 1) await textOf(await chunksOf(ask(client)));
    expect(server.connections()).toBe(1);
    await client.close?.();
    await server.allClosed();
  });

  it('gets the request again if it closes an idle connection', async () => {
    let requests = 0;
    const server = await startRawServer((socket) => {
      let isFirst = true;
      socket.on('data', () => {
        requests += 1;
        if (isFirst) socket.write(WHOLE);
        else socket.resetAndDestroy();
        isFirst = false;
      });
    });
    const client = clientOf({ baseUrl: `http://${server.authority}` });
    await textOf(await chunksOf(ask(client)));
    expect(await textOf(await chunksOf(ask(client)))).toBe('{}');
    expect([requests, server.connections()]).toEqual([3, 2]);
  });
});

describe('a client', () => {
  it('shares the connections of a given HTTP client and leaves it open', async () => {
    const server = await startServer((_request, response) => response.end('{}'));
    const http = createHttpClient({ allow: [server.authority] });
    onTestFinished(() => http.close());
    for (const model of ['a', 'b']) {
      const client = clientOf({ baseUrl: `http://${server.authority}`, model, http });
      expect(await textOf(await chunksOf(ask(client)))).toBe('{}');
      await client.close?.();
    }
    expect(server.connections()).toBe(1);
  });

  it('reaches only the hosts that a given HTTP client may reach', async () => {
    const http = createHttpClient();
    onTestFinished(() => http.close());
    const failure = await failureOf(ask(clientOf({ baseUrl: `http://127.0.0.1:${await freePort()}`, http })));
    expect(failure.message).toContain("'allow'");
  });

  it('aborts open requests when it is closed, and rejects later ones', async () => {
    const server = await startServer((_request, response) => void response.writeHead(200).write('data: 1\n\n'));
    const silent = await startRawServer((socket) => void socket.resume());
    const client = clientOf({ baseUrl: `http://${server.authority}` });
    const waiting = clientOf({ baseUrl: `http://${silent.authority}` });
    const reading = textOf(await chunksOf(ask(client, { stream: true })));
    const asking = failureOf(ask(waiting));
    await Promise.all([client.close?.(), waiting.close?.(), client.close?.()]);
    await expect(reading).rejects.toMatchObject({ code: 'RequestCancelled' });
    expect(await asking).toMatchObject({ kind: 'cancelled', isPassing: false });
    expect(await failureOf(ask(client))).toMatchObject({ kind: 'cancelled' });
    await Promise.all([server.allClosed(), silent.allClosed()]);
  });

  it('sends nothing if its signal is already aborted', async () => {
    const server = await startServer((_request, response) => response.end('{}'));
    const client = clientOf({ baseUrl: `http://${server.authority}` });
    expect(await failureOf(ask(client, { signal: AbortSignal.abort() }))).toMatchObject({ kind: 'cancelled' });
    expect(server.connections()).toBe(0);
  });

  it('closes the connection when it is aborted before the response begins', async () => {
    const stop = new AbortController();
    const server = await startRawServer((socket) => onRequest(socket, () => stop.abort()));
    const asking = ask(clientOf({ baseUrl: `http://${server.authority}` }), { signal: stop.signal });
    expect(await failureOf(asking)).toMatchObject({ kind: 'cancelled' });
    await server.allClosed();
  });

  it('leaves no listener on a long-lived signal', async () => {
    const server = await startServer((request, response) => {
      response.writeHead(request.url === '/bad/chat/completions' ? 500 : 200).end('{}');
    });
    const { signal } = new AbortController();
    const client = clientOf({ baseUrl: `http://${server.authority}` });
    await textOf(await chunksOf(ask(client, { signal })));
    await failureOf(ask(clientOf({ baseUrl: `http://${server.authority}/bad` }), { signal }));
    for await (const _ of await chunksOf(ask(client, { signal }))) break;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('distinguishes an invalid JSON body from a failed request', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const { signal } = new AbortController();
    const sending = clientOf({ baseUrl: 'http://127.0.0.1:1' }).send({ body: circle, stream: false, signal });
    const failure = await failureOf(sending);
    expect(failure).toMatchObject({ kind: 'connection', isPassing: false });
    expect(failure.message).toContain('circular');
  });
});
