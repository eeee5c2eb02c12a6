import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { localClient, OK, onRequest, writeForEver } from './client.ts';
import { startRawServer, startServer } from './server.ts';

const MEGABYTE = 1_048_576;

describe('a body', () => {
  it('is abandoned at the limit if it never ends', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write(`${OK}\r\n`);
        writeForEver(socket, 'x'.repeat(65_536));
      }),
    );
    const response = await localClient({ maxBytes: MEGABYTE }).request(`http://${server.authority}/`);
    await expect(response.text()).rejects.toMatchObject({ code: 'ResponseTooLarge', data: { maxBytes: MEGABYTE } });
    await server.allClosed();
  });

  it('is not read at all if it announces a larger size', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-length': String(MEGABYTE + 1) }).flushHeaders();
    });
    await expect(localClient({ maxBytes: MEGABYTE }).request(`http://${server.authority}/`)).rejects.toMatchObject({
      code: 'ResponseTooLarge',
    });
    await server.allClosed();
  });

  it('is complete with exactly the limit', async () => {
    const server = await startServer((_request, response) => response.end('x'.repeat(1000)));
    const response = await localClient().request(`http://${server.authority}/`, { maxBytes: 1000 });
    expect((await response.bytes()).length).toBe(1000);
    expect(response.truncated).toBe(false);
  });

  it('is truncated at the limit on request, which is reported', async () => {
    const server = await startServer((_request, response) => response.end('0123456789'));
    const response = await localClient().request(`http://${server.authority}/`, { maxBytes: 4, truncate: true });
    expect([await response.text(), response.truncated]).toEqual(['0123', true]);
    await server.allClosed();
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64 * MEGABYTE))],
    ['x-gzip', gzipSync(Buffer.alloc(64 * MEGABYTE))],
    ['br', brotliCompressSync(Buffer.alloc(64 * MEGABYTE))],
  ])('stops at the limit if it is a decompression bomb in %s', async (encoding, bomb) => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
    );
    const requests = localClient({ maxBytes: MEGABYTE });
    const response = await requests.request(`http://${server.authority}/`);
    let size = 0;
    const reading = (async () => {
      for await (const chunk of response.body) size += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ResponseTooLarge' });
    expect(size).toBeLessThanOrEqual(MEGABYTE);
    const cut = await requests.request(`http://${server.authority}/`, { truncate: true });
    expect((await cut.bytes()).length).toBe(MEGABYTE);
    expect(cut.truncated).toBe(true);
  });

  it('is abandoned if its compressed data never ends but decompresses to nothing', async () => {
    const empty = gzipSync('');
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.concat(Array.from({ length: 1000 }, () => empty))));
      };
      response.on('drain', more);
      more();
    });
    const response = await localClient({ maxBytes: MEGABYTE }).request(`http://${server.authority}/`);
    await expect(response.bytes()).rejects.toMatchObject({ code: 'ResponseTooLarge' });
    await server.allClosed();
  });

  it.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['identity', Buffer.from('hello')],
  ])('in %s is decompressed', async (encoding, packed) => {
    const server = await startServer((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip, br');
      response.writeHead(200, { 'content-encoding': encoding }).end(packed);
    });
    expect(await (await localClient().request(`http://${server.authority}/`)).text()).toBe('hello');
  });

  it.each([
    ['an encoding that was not requested', 'zstd', Buffer.from('hello')],
    ['two encodings', 'gzip, gzip', gzipSync(gzipSync('hello'))],
    ['bytes in another encoding than announced', 'gzip', Buffer.from('hello')],
    ['half of the compressed bytes', 'gzip', gzipSync('hello').subarray(0, 15)],
  ])('with %s fails', async (_what, encoding, bytes) => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    const response = await localClient().request(`http://${server.authority}/`);
    await expect(response.text()).rejects.toMatchObject({ code: 'RequestFailed' });
  });

  it.each([
    ['a length', `${OK}content-length: 100\r\n\r\nhalf`],
    ['chunks', `${OK}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
  ])('fails if it breaks off in the middle of %s', async (_what, text) => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => socket.write(text, () => socket.resetAndDestroy())),
    );
    const reading = localClient()
      .request(`http://${server.authority}/`)
      .then((response) => response.text());
    await expect(reading).rejects.toMatchObject({ code: 'RequestFailed', data: { host: '127.0.0.1' } });
  });

  it('can be read once', async () => {
    const server = await startServer((_request, response) => response.end('{"a":1}'));
    const response = await localClient().request(`http://${server.authority}/`);
    expect(await response.json()).toEqual({ a: 1 });
    await expect(response.text()).rejects.toMatchObject({ code: 'RequestFailed' });
  });

  it('is complete for the first of two concurrent readers', async () => {
    const server = await startServer((_request, response) => response.end('x'.repeat(1_000_000)));
    const response = await localClient().request(`http://${server.authority}/`);
    const [first, second] = await Promise.allSettled([response.bytes(), response.bytes()]);
    expect(first.status === 'fulfilled' && first.value.length).toBe(1_000_000);
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'RequestFailed' } });
  });

  it('is a coded failure if it is not JSON', async () => {
    const server = await startServer((_request, response) => response.end('<html>'));
    await expect((await localClient().request(`http://${server.authority}/`)).json()).rejects.toMatchObject({
      code: 'RequestFailed',
    });
  });

  it('closes its connection if it is left early or discarded', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write(`${OK}\r\n`);
        writeForEver(socket, 'x'.repeat(1000));
      }),
    );
    const requests = localClient();
    for await (const chunk of (await requests.request(`http://${server.authority}/`)).body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    (await requests.request(`http://${server.authority}/`)).discard();
    await server.allClosed();
  });
});
