import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdClock } from '../support/hold-clock.ts';
import {
  createProxyClient,
  type ForwardedRequest,
  type ProxyClient,
  type ProxyClientOptions,
} from '../../packages/skillwright/src/net/http/proxy-client.ts';
import { onRequest, OK } from '../security/network/client.ts';
import { startRawServer, startServer, type TestServer } from '../security/network/server.ts';

function clientOf({ authority }: Pick<TestServer, 'authority'>, options: ProxyClientOptions = {}): ProxyClient {
  const client = createProxyClient(`http://${authority}`, options);
  onTestFinished(() => client.close());
  return client;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

/** The body of the response, or the code of the failure. */
async function ask(client: ProxyClient, request: Partial<ForwardedRequest> = {}): Promise<string> {
  const sent = client.forward({ method: 'GET', path: '/', headers: [], isRepeatable: true, ...request });
  try {
    return await textOf(await sent.response);
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A server that answers each connection's first request with `1`, its second with `2`, and so on. */
function countingServer(answer: (count: number, socket: Socket) => void): Promise<TestServer> {
  return startRawServer((socket) => {
    let count = 0;
    socket.on('error', () => {}).on('data', () => answer((count += 1), socket));
  });
}

const answerCount = (count: number, socket: Socket): void =>
  void socket.write(`${OK}content-length: 1\r\n\r\n${count}`);

describe('a forwarded request', () => {
  it('closes its connection if the response ends before the body was sent', async () => {
    const size = 20_000_000;
    let received = 0;
    let readOn = (): void => {};
    const server = await startRawServer((socket) => {
      socket.on('error', () => {}).on('data', (data) => (received += data.length));
      socket.once('data', () => {
        socket.pause();
        readOn = () => void socket.resume();
        socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno');
      });
    });
    const client = clientOf(server, { keptMs: 20 });
    expect(await ask(client, { method: 'POST', body: Buffer.alloc(size) })).toBe('no');
    readOn();
    await server.allClosed();
    expect(received).toBeLessThan(size);
  });

  it('keeps its method, its path, its headers in their order and spelling, and its body', async () => {
    let seen = '';
    const server = await startRawServer((socket) => {
      socket.on('data', (data) => {
        seen += data.toString('latin1');
        if (seen.endsWith('hé')) socket.end(`${OK}content-length: 0\r\n\r\n`);
      });
    });
    const headers = ['X-B', '1', 'x-a', '2', 'X-b', '3', 'X-Latin', 'h\xe9'];
    const body = Buffer.from('hé', 'latin1');
    await ask(clientOf(server), { method: 'POST', path: "/a%2Fb/'?q=%zz&x", headers, body });
    expect(seen).toBe(
      `POST /a%2Fb/'?q=%zz&x HTTP/1.1\r\nhost: ${server.authority}\r\nconnection: keep-alive\r\n` +
        'X-B: 1\r\nx-a: 2\r\nX-b: 3\r\nX-Latin: h\xe9\r\ncontent-length: 2\r\n\r\nhé',
    );
  });

  it.each([
    ['POST', '0'],
    ['DELETE', undefined],
    ['GET', undefined],
  ])('sends a content length without a body only for a POST: %s', async (method, length) => {
    const server = await startServer(({ headers }, response) => response.end(JSON.stringify(headers)));
    const headers = JSON.parse(await ask(clientOf(server), { method })) as Record<string, string>;
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([length, undefined]);
  });

  it.each([
    ['path', { path: '/ \r\nx: y' }],
    ['header', { headers: ['x-a', 'b\r\nx-c: d'] }],
    ['header name', { headers: ['x a', 'b'] }],
  ])('fails before connecting if it has an invalid %s', async (_what, request) => {
    const server = await startServer((_request, response) => response.end('x'));
    expect(await ask(clientOf(server), request)).toBe('RequestFailed');
    expect(server.connections()).toBe(0);
  });

  it('may go to its server at any address, while other hosts must be public', async () => {
    const [server, other] = [await startServer(answerX), await startServer(answerX)];
    const client = clientOf(server);
    expect(await ask(client)).toBe('x');
    expect(await (await client.request(`http://${server.authority}/`)).text()).toBe('x');
    await expect(client.request(`http://${other.authority}/`)).rejects.toMatchObject({ code: 'AddressNotAllowed' });
  });
});

const answerX: RequestListener = (_request, response) => void response.end('x');

describe('a response', () => {
  it('keeps its status, its reason, its headers in their order and spelling, and its encoded body', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () =>
        socket.end('HTTP/1.1 299 Sort of\r\nX-B: 1\r\nx-a: 2\r\nX-b: 3\r\nContent-Encoding: gzip\r\n\r\nno gzip'),
      ),
    );
    const { response } = clientOf(server).forward({ method: 'GET', path: '/', headers: [], isRepeatable: true });
    const message = await response;
    expect([message.statusCode, message.statusMessage]).toEqual([299, 'Sort of']);
    expect(message.rawHeaders).toEqual(['X-B', '1', 'x-a', '2', 'X-b', '3', 'Content-Encoding', 'gzip']);
    expect(await textOf(message)).toBe('no gzip');
  });

  it("keeps more headers than Node's default limit", async () => {
    const lines = many(1_200, (index) => `a${index}: 1`);
    const server = await startRawServer((socket) =>
      onRequest(socket, () => socket.end(`${OK}${lines.join('\r\n')}\r\n\r\n`)),
    );
    const { response } = clientOf(server).forward({ method: 'GET', path: '/', headers: [], isRepeatable: true });
    const message = await response;
    expect(message.rawHeaders).toHaveLength(2_400);
    expect(Object.keys(message.headers)).toHaveLength(1_200);
    message.resume();
  });

  it('is the first final one after any number of 1xx responses', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n');
        socket.write(`HTTP/1.1 102 Processing\r\n\r\n${OK}content-length: 1\r\n\r\nx`);
      }),
    );
    expect(await ask(clientOf(server), { method: 'POST', body: Buffer.from('x') })).toBe('x');
  });

  it.each([
    ['another protocol, unasked', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['nothing', ''],
    ['half of its headers', `${OK}x-a: `],
  ])('fails if it is %s', async (_what, text) => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.end(text)));
    expect(await ask(clientOf(server))).toBe('RequestFailed');
  });

  it('may be a redirect, which is not followed', async () => {
    const server = await startServer((_request, response) => response.writeHead(302, { location: '/x' }).end('moved'));
    expect(await ask(clientOf(server))).toBe('moved');
  });

  it('fails its reader if it breaks off', async () => {
    const server = await startServer((_request, response) => response.write('x', () => response.destroy()));
    expect(await ask(clientOf(server))).toBe('ECONNRESET');
  });

  it('may break off without a reader', async () => {
    const server = await startServer((_request, response) => response.write('x', () => response.destroy()));
    const request = { method: 'GET', path: '/', headers: [], isRepeatable: true };
    const { complete } = await clientOf(server).forward(request).response;
    await server.allClosed();
    expect(complete).toBe(false);
  });
});

describe('connections', () => {
  it('are as many as there are concurrent requests, and are reused', async () => {
    const waiting: (() => void)[] = [];
    const server = await startServer((_request, response) => {
      waiting.push(() => response.end('x'));
      if (waiting.length === 40) for (const end of waiting.splice(0)) end();
    });
    const client = clientOf(server);
    for (let round = 0; round < 3; round += 1)
      expect(await Promise.all(many(40, () => ask(client)))).toEqual(many(40, () => 'x'));
    expect(server.connections()).toBe(40);
  });

  it('are shared with requests that the client serializes itself', async () => {
    const server = await countingServer(answerCount);
    const client = clientOf(server);
    const url = `http://${server.authority}/`;
    const posted = { method: 'POST', body: 'x', isRepeatable: true };
    expect(await ask(client)).toBe('1');
    expect(await (await client.request(url, posted)).text()).toBe('2');
    expect(await ask(client, { method: 'POST', body: Buffer.from('x') })).toBe('3');
    expect(server.connections()).toBe(1);
  });

  it('are closed after any kind of failure', async () => {
    const server = await startServer((request, response) => {
      if (request.url === '/cut') response.write('x', () => response.destroy());
      else if (request.url === '/reset') request.socket.destroy();
      else if (request.url === '/nonsense') request.socket.end('nonsense');
      else if (request.url === '/close') response.writeHead(200, { connection: 'close' }).end('x');
      else if (request.url !== '/silent') response.end('x');
    });
    const client = clientOf(server);
    for (let round = 0; round < 5; round += 1) {
      for (const path of ['/cut', '/reset', '/nonsense', '/close']) await ask(client, { path });
      const silent = client.forward({ method: 'GET', path: '/silent', headers: [], isRepeatable: false });
      silent.end(new RangeError('enough'));
      await expect(silent.response).rejects.toThrow('enough');
    }
    expect(await ask(client)).toBe('x');
    await client.close();
    await server.allClosed();
  });

  it('are new for a request that must not be sent twice, and are closed after it', async () => {
    const server = await countingServer(answerCount);
    const client = clientOf(server);
    const once = { method: 'DELETE', isRepeatable: false };
    expect([await ask(client), await ask(client, once), await ask(client, once)]).toEqual(['1', '1', '1']);
    expect([await ask(client), server.connections()]).toEqual(['2', 3]);
  });

  it('are closed before the server closes them', async () => {
    const server = await countingServer((count, socket) => {
      // Node closes the connection a second before the announced timeout.
      socket.write(`${OK}keep-alive: timeout=1\r\ncontent-length: 1\r\n\r\n${count}`);
    });
    const client = clientOf(server);
    expect([await ask(client), await ask(client)]).toEqual(['1', '1']);
    await server.allClosed();
  });

  it('are closed after an idle time', async () => {
    const server = await countingServer(answerCount);
    expect(await ask(clientOf(server, { keptMs: 20 }))).toBe('1');
    await server.allClosed();
  });

  it('are replaced once if they turn out to be stale', async () => {
    holdClock();
    let requests = 0;
    const server = await countingServer((count, socket) => {
      requests += 1;
      if (count === 1 && requests < 3) answerCount(count, socket);
      else socket.resetAndDestroy();
    });
    const client = clientOf(server);
    expect([await ask(client), await ask(client)]).toEqual(['1', 'RequestFailed']);
    expect([requests, server.connections()]).toEqual([3, 2]);
  });

  it('fail with a code if the server does not exist', async () => {
    const client = clientOf({ authority: '127.0.0.1:1' });
    const { response } = client.forward({ method: 'GET', path: '/', headers: [], isRepeatable: true });
    await expect(response).rejects.toMatchObject({ code: 'RequestFailed', data: { reason: 'ECONNREFUSED' } });
  });
});

describe('the timeout', () => {
  it('applies to a response that does not begin, in spite of 1xx responses', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        const announce = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
        socket.once('close', () => clearInterval(announce));
      }),
    );
    const request = { method: 'GET', path: '/', headers: [], isRepeatable: true, headersTimeoutMs: 100 };
    const { response } = clientOf(server).forward(request);
    await expect(response).rejects.toMatchObject({
      code: 'RequestTimeout',
      data: { phase: 'headers', timeoutMs: 100 },
    });
    await server.allClosed();
  });

  it('applies to a silent body while its reader waits', async () => {
    const server = await startServer((_request, response) => void response.write('x'));
    expect(await ask(clientOf(server), { idleTimeoutMs: 50 })).toBe('RequestTimeout');
    await server.allClosed();
  });

  it('is suspended while the reader pauses', async () => {
    const more = Promise.withResolvers<void>();
    const server = await startServer((_request, response) => {
      response.write('x');
      void more.promise.then(() => response.write('y'));
    });
    const request = { method: 'GET', path: '/', headers: [], isRepeatable: true, idleTimeoutMs: 50 };
    const message = await clientOf(server).forward(request).response;
    let text = '';
    const failed = new Promise((resolve) => {
      message.on('error', resolve);
    });
    message.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      message.pause();
    });
    // The connection's timer has fired several times by then.
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect([text, message.destroyed]).toEqual(['x', false]);
    more.resolve();
    message.removeAllListeners('data').on('data', (chunk: Buffer) => (text += chunk.toString()));
    message.resume();
    expect(await failed).toMatchObject({ code: 'RequestTimeout', data: { phase: 'idle' } });
    expect(text).toBe('xy');
  });
});

describe('closing a client', () => {
  it('aborts its requests and sends no more', async () => {
    const server = await startServer(() => {});
    const client = clientOf(server);
    const asked = ask(client);
    await expect.poll(() => server.connections()).toBe(1);
    await client.close();
    expect([await asked, await ask(client)]).toEqual(['RequestCancelled', 'RequestCancelled']);
    expect(server.connections()).toBe(1);
    await server.allClosed();
  });

  it('aborts a response body', async () => {
    const server = await startServer((_request, response) => void response.write('x'));
    const client = clientOf(server);
    const { response } = client.forward({ method: 'GET', path: '/', headers: [], isRepeatable: true });
    const reading = textOf(await response);
    await client.close();
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    await server.allClosed();
  });
});
