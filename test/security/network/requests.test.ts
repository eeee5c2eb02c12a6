import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdClock } from '../../support/hold-clock.ts';
import type { HttpClient } from '../../../packages/skillwright/src/net/http/http-client.ts';
import { localClient, OK, onRequest, writeForEver } from './client.ts';
import { startRawServer, startServer } from './server.ts';

describe('a server', () => {
  it('times out if it never responds', async () => {
    const server = await startRawServer((socket) => void socket.resume());
    await expect(localClient().request(`http://${server.authority}/`, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'RequestTimeout',
      data: { host: '127.0.0.1', timeoutMs: 50, phase: 'request' },
    });
    await server.allClosed();
  });

  it.each([
    ['its headers', OK],
    ['its body', `${OK}content-length: 1000000\r\n\r\n`],
  ])('times out if it sends %s very slowly', async (_what, head) => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write(head);
        const drip = setInterval(() => socket.write('x'), 5);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    const reading = localClient()
      .request(`http://${server.authority}/`, { timeoutMs: 100 })
      .then((response) => response.text());
    await expect(reading).rejects.toMatchObject({ code: 'RequestTimeout' });
    await server.allClosed();
  });

  it.each([
    ['one endless header', 'x-flood: ', 'x'],
    ['endless headers', '', 'x-flood: y\r\n'],
  ])('is disconnected if it sends %s', async (_what, first, piece) => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write(`${OK}${first}`);
        writeForEver(socket, piece.repeat(1000));
      }),
    );
    await expect(localClient().request(`http://${server.authority}/`)).rejects.toMatchObject({
      code: 'ResponseTooLarge',
      message: expect.stringContaining("'maxHeaderBytes'") as string,
    });
    await server.allClosed();
  });

  it('is disconnected if it sends interim responses without end', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => writeForEver(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000))),
    );
    await expect(localClient().request(`http://${server.authority}/`)).rejects.toMatchObject({
      code: 'RequestFailed',
      message: expect.stringContaining('interim responses') as string,
    });
    await server.allClosed();
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`],
    ['a length and chunks', `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['nothing', ''],
  ])('fails the request if it responds with %s', async (_what, text) => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.end(text)));
    await expect(localClient().request(`http://${server.authority}/`)).rejects.toMatchObject({ code: 'RequestFailed' });
    await server.allClosed();
  });

  it('fails the request if it does not exist', async () => {
    const closed = localClient({ allow: ['127.0.0.1', 'a.example'], resolve: async () => ['127.0.0.1', '127.0.0.1'] });
    await expect(closed.request('http://127.0.0.1:1/')).rejects.toMatchObject({
      code: 'RequestFailed',
      data: { reason: 'ECONNREFUSED' },
    });
    await expect(closed.request('http://a.example:1/')).rejects.toMatchObject({ code: 'RequestFailed' });
  });

  it('cannot change the prototype of a response’s headers by a header name', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => socket.end(`${OK}__proto__: x\r\nX-A: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n`)),
    );
    const { headers } = await localClient().request(`http://${server.authority}/`);
    expect(headers['x-a']).toBe('1, 2');
    expect(Object.getPrototypeOf(headers)).toBeNull();
  });
});

describe('a request', () => {
  it.each(['before it starts', 'while it waits', 'while its body is read'])('is cancelled %s', async (moment) => {
    const arrived = Promise.withResolvers<void>();
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        if (moment.includes('body')) socket.write(`${OK}content-length: 10\r\n\r\nx`);
        arrived.resolve();
      }),
    );
    const abort = new AbortController();
    const reason = new RangeError('enough');
    if (moment.includes('before')) abort.abort(reason);
    const reading = localClient()
      .request(`http://${server.authority}/`, { signal: abort.signal })
      .then((response) => response.text());
    reading.catch(() => {});
    if (!moment.includes('before')) await arrived.promise;
    abort.abort(reason);
    await expect(reading).rejects.toMatchObject({ code: 'RequestCancelled', cause: reason });
    await server.allClosed();
  });

  it('is aborted when its client closes, and none starts after that', async () => {
    const server = await startServer(() => {});
    const requests = localClient();
    const pending = requests.request(`http://${server.authority}/`);
    pending.catch(() => {});
    while (server.connections() === 0) await setImmediate();
    await requests.close();
    await requests.close();
    await expect(pending).rejects.toMatchObject({ code: 'RequestCancelled' });
    await expect(requests.request(`http://${server.authority}/`)).rejects.toMatchObject({ code: 'RequestCancelled' });
    await server.allClosed();
  });

  it('reuses an open connection', async () => {
    const server = await startServer((_request, response) => response.end('x'.repeat(100_000)));
    const requests = localClient();
    for (let index = 0; index < 5; index += 1) await (await requests.request(`http://${server.authority}/`)).text();
    await requests.request(`http://${server.authority}/`, { method: 'HEAD' });
    expect(server.connections()).toBe(1);
  });

  it('gets another connection if the server has just closed the kept one', async () => {
    holdClock();
    let answered = 0;
    const server = await startRawServer((socket) => {
      socket.on('error', () => {});
      let onThis = 0;
      socket.on('data', () => {
        onThis += 1;
        if (onThis > 1) socket.resetAndDestroy();
        else socket.write(`${OK}content-length: 1\r\n\r\n${(answered += 1)}`);
      });
    });
    const requests = localClient();
    const get = async (): Promise<string> => (await requests.request(`http://${server.authority}/`)).text();
    expect([await get(), await get()]).toEqual(['1', '2']);
    await expect(requests.request(`http://${server.authority}/`, { method: 'POST', body: 'x' })).rejects.toMatchObject({
      code: 'RequestFailed',
    });
  });

  it('sends its headers and body, and a user agent', async () => {
    const server = await startServer((request, response) => {
      void request
        .setEncoding('utf8')
        .reduce((all, part) => `${all}${String(part)}`, '')
        .then((body) =>
          response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body })),
        );
    });
    for (const method of ['POST', 'DELETE'])
      expect(
        await (
          await localClient({ userAgent: 'tests' }).request(`http://${server.authority}/a?b=c#d`, {
            method: method.toLowerCase(),
            headers: { 'X-Key': 'k', 'content-type': 'text/plain' },
            body: 'hé',
          })
        ).json(),
      ).toMatchObject({
        method,
        url: '/a?b=c',
        body: 'hé',
        headers: { 'x-key': 'k', 'user-agent': 'tests', 'content-length': '3', host: server.authority },
      });
  });

  it('follows redirects up to the limit, and takes secrets nowhere else', async () => {
    const seen: (string | undefined)[] = [];
    const other = await startServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(`${request.method} ${request.headers['content-length'] ?? 'none'}`);
    });
    const server = await startServer((request, response) => {
      seen.push(request.headers.authorization);
      const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'));
      const location = left > 0 ? `/?left=${left - 1}` : `http://${other.authority}/`;
      response.writeHead(302, { location }).end('ignored');
    });
    const ask = (left: number): ReturnType<HttpClient['request']> =>
      localClient().request(`http://${server.authority}/?left=${left}`, {
        method: 'POST',
        body: 'x',
        headers: { authorization: 'secret' },
        redirect: 'follow',
        maxRedirects: 2,
      });
    const response = await ask(1);
    expect([response.url, await response.text()]).toEqual([`http://${other.authority}/`, 'GET none']);
    expect(seen).toEqual(['secret', 'secret', undefined]);
    await expect(ask(2)).rejects.toMatchObject({ code: 'RedirectRefused' });
  });

  it('returns a redirect that the caller handles itself', async () => {
    const server = await startServer((_request, response) => response.writeHead(302, { location: 'file:///x' }).end());
    const response = await localClient().request(`http://${server.authority}/`, { redirect: 'manual' });
    expect([response.status, response.headers['location'], await response.text()]).toEqual([302, 'file:///x', '']);
  });

  it.each([
    ['method', { method: 'CONNECT' }],
    ['method', { method: 'GET / HTTP/1.1\r\nx: y\r\n\r\n' }],
    ['headers', { headers: { host: 'inside.example' } }],
    ['headers', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['headers', { headers: { 'Proxy-Authorization': 'x' } }],
    ['headers', { headers: { 'x-a': 'b\r\nx-c: d' } }],
    ['headers', { headers: { 'x a': 'b' } }],
    ['headers', { headers: { 'x-a': '日本' } }],
    ['headers', { headers: { 'x-a': 1 as unknown as string } }],
    ['body', { body: 'x' }],
    ['body', { method: 'POST', body: {} as unknown as string }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['maxBytes', { maxBytes: 2 ** 40 }],
    ['maxRedirects', { maxRedirects: -1 }],
    ['redirect', { redirect: 'always' as 'follow' }],
  ])('is not sent with an invalid %s: %j', async (option, options) => {
    await expect(localClient().request('http://127.0.0.1:1/', options)).rejects.toMatchObject({
      code: 'InvalidOptions',
      data: { option },
    });
  });

  it('leaves no listener on its signal', async () => {
    const server = await startServer((_request, response) => response.end('x'));
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    const requests = localClient();
    await (await requests.request(`http://${server.authority}/`, { signal })).text();
    (await requests.request(`http://${server.authority}/`, { signal })).discard();
    await requests.request(`http://${server.authority}/`, { signal, method: 'HEAD' });
    await expect(requests.request('http://10.0.0.1/', { signal })).rejects.toMatchObject({ code: 'AddressNotAllowed' });
    expect(listeners).toBe(0);
  });
});

describe('a client in its own process', () => {
  const module = new URL('../../../packages/skillwright/src/net/http/http-client.ts', import.meta.url).href;

  it.each([
    ['keeps the process alive only while a response is read', {}],
    [
      'takes no proxy from the environment',
      { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' },
    ],
  ])('%s', async (_what, environment) => {
    const server = await startServer((_request, response) => response.end('done'));
    const program = `
      const { createHttpClient } = await import(${JSON.stringify(module)});
      const client = createHttpClient({ allow: ['127.0.0.1'] });
      console.log(await (await client.request('http://${server.authority}/')).text());
      await client.request('http://${server.authority}/', { method: 'HEAD' });
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    const output = child.stdout.setEncoding('utf8').toArray();
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, (await output).join('')]).toEqual([0, 'done\n']);
  });
});
