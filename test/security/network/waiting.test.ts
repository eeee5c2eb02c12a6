import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { localClient, OK, onRequest } from './client.ts';
import { startRawServer, startServer } from './server.ts';

/** Writes a letter every few milliseconds, `count` times. */
function drip(response: ServerResponse, count: number): void {
  response.flushHeaders();
  let left = count;
  const timer = setInterval(() => {
    left -= 1;
    if (left >= 0) response.write('x');
    else response.end();
  }, 20);
  response.once('close', () => clearInterval(timer));
}

describe('a request without an overall limit', () => {
  it('is abandoned when its response does not begin', async () => {
    const server = await startRawServer((socket) => void socket.resume());
    const asking = localClient().request(`http://${server.authority}/`, { timeoutMs: Infinity, headersTimeoutMs: 50 });
    await expect(asking).rejects.toMatchObject({ code: 'RequestTimeout', data: { phase: 'headers', timeoutMs: 50 } });
    await server.allClosed();
  });

  it('is abandoned when its response falls silent', async () => {
    const server = await startServer((_request, response) => void response.write('x'));
    const options = { timeoutMs: Infinity, idleTimeoutMs: 50 };
    const response = await localClient().request(`http://${server.authority}/`, options);
    await expect(response.text()).rejects.toMatchObject({ code: 'RequestTimeout', data: { phase: 'idle' } });
    await server.allClosed();
  });

  it('is abandoned when nobody reads its response', async () => {
    const server = await startServer((_request, response) => void response.write('x'));
    const options = { timeoutMs: Infinity, idleTimeoutMs: 50 };
    const response = await localClient().request(`http://${server.authority}/`, options);
    await server.allClosed();
    await expect(response.text()).rejects.toMatchObject({ code: 'RequestTimeout', data: { phase: 'idle' } });
  });

  it('continues as long as data arrives', async () => {
    const server = await startServer((_request, response) => drip(response, 30));
    const options = { timeoutMs: Infinity, headersTimeoutMs: 500, idleTimeoutMs: 500 };
    const response = await localClient({ timeoutMs: 1 }).request(`http://${server.authority}/`, options);
    expect(await response.text()).toBe('x'.repeat(30));
  });

  it('lets its reader pause', async () => {
    const { promise: rested, resolve } = Promise.withResolvers<void>();
    const server = await startServer((_request, response) => {
      response.write('x');
      void rested.then(() => response.end('y'));
    });
    const options = { timeoutMs: Infinity, idleTimeoutMs: 300 };
    const response = await localClient().request(`http://${server.authority}/`, options);
    let text = '';
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString();
      await delay(500);
      resolve();
    }
    expect(text).toBe('xy');
  });
});

describe('a kept connection that is closed under the next request,', () => {
  /** Answers the first request of every connection, and breaks at the second. */
  async function startFickleServer(): Promise<{ readonly url: string; readonly count: () => number }> {
    let count = 0;
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        count += 1;
        socket.write(`${OK}content-length: 2\r\n\r\nok`);
        socket.once('data', () => {
          count += 1;
          socket.resetAndDestroy();
        });
      });
    });
    return { url: `http://${server.authority}/`, count: () => count };
  }

  it('is replaced for a POST that is repeatable', async () => {
    const { url, count } = await startFickleServer();
    const client = localClient();
    const options = { method: 'POST', body: 'x', isRepeatable: true };
    expect(await (await client.request(url, options)).text()).toBe('ok');
    expect(await (await client.request(url, options)).text()).toBe('ok');
    expect(count()).toBe(3);
  });

  it('is replaced once, by a new one, however many were kept', async () => {
    let isFickle = false;
    let broken = 0;
    const server = await startRawServer((socket) => {
      socket.on('data', () => {
        if (!isFickle) return void setTimeout(() => socket.write(`${OK}content-length: 2\r\n\r\nok`), 20);
        broken += 1;
        socket.resetAndDestroy();
      });
    });
    const client = localClient();
    const ask = async (): Promise<string> => {
      const options = { method: 'POST', body: 'x', isRepeatable: true };
      return (await client.request(`http://${server.authority}/`, options)).text();
    };
    expect(await Promise.all([ask(), ask(), ask(), ask()])).toEqual(['ok', 'ok', 'ok', 'ok']);
    isFickle = true;
    await expect(ask()).rejects.toMatchObject({ code: 'RequestFailed' });
    expect([broken, server.connections()]).toEqual([2, 5]);
  });

  it.each([
    ['has begun to answer', 'POST', 'HTTP/1.1 200 OK\r\nContent-Ty', 20],
    ['has announced an answer', 'POST', 'HTTP/1.1 103 Early Hints\r\n\r\n', 20],
    ['has worked for a while', 'POST', '', 600],
    ['has begun to answer', 'GET', 'HTTP/1.1 200 OK\r\nContent-Ty', 20],
  ])('is a failure after the server %s, because it may have the %s request', async (_what, method, text, ms) => {
    let count = 0;
    const server = await startRawServer((socket) => {
      socket.on('data', () => {
        count += 1;
        if (count === 1) return void socket.write(`${OK}content-length: 2\r\n\r\nok`);
        socket.write(text);
        setTimeout(() => socket.destroy(), ms);
      });
    });
    const client = localClient();
    const options = { method, isRepeatable: true };
    expect(await (await client.request(`http://${server.authority}/`, options)).text()).toBe('ok');
    const again = client.request(`http://${server.authority}/`, options);
    await expect(again).rejects.toMatchObject({ code: 'RequestFailed' });
    expect([count, server.connections()]).toEqual([2, 1]);
  });

  it('is a failure for any other POST', async () => {
    const { url, count } = await startFickleServer();
    const client = localClient();
    const options = { method: 'POST', body: 'x' };
    expect(await (await client.request(url, options)).text()).toBe('ok');
    await expect(client.request(url, options)).rejects.toMatchObject({ code: 'RequestFailed' });
    expect(count()).toBe(2);
  });
});
