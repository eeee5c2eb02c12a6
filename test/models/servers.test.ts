import type { RequestListener } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ModelClientOptions } from '../../packages/skillwright/src/models/model-options.ts';
import type { ModelClient } from '../../packages/skillwright/src/spec/model.ts';
import { OK, onRequest, writeForEver } from '../security/network/client.ts';
import { startRawServer, startServer, type TestServer } from '../security/network/server.ts';
import { ask, chunksOf, clientOf, failureOf, KEY, textOf } from './asking.ts';

function clientFor({ authority }: TestServer, options: Partial<ModelClientOptions> = {}): ModelClient {
  return clientOf({ baseUrl: `http://${authority}/v1`, ...options });
}

async function refusedBy(listener: RequestListener, options: Partial<ModelClientOptions> = {}) {
  return failureOf(ask(clientFor(await startServer(listener), options)));
}

describe('a server that is not a provider', () => {
  it('is quoted by the title of its page', async () => {
    const page = '<!DOCTYPE html>\n<html><head><title>\n 502 Bad Gateway\n</title></head><body>…</body></html>';
    const failure = await refusedBy((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(page);
    });
    expect(failure).toMatchObject({ kind: 'status', isPassing: true });
    expect(failure.message).toContain('says: 502 Bad Gateway.');
    expect(failure.message).not.toContain('<');
  });

  it.each([true, false])(
    'gives a failure that names the base URL if it responds with a page (streaming: %s)',
    async (stream) => {
      const server = await startServer((_request, response) => {
        response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
          .end('<html><title>My app</title></html>');
      });
      const failure = await failureOf(ask(clientFor(server), { stream }));
      expect(failure).toMatchObject({ kind: 'status', isPassing: false, answer: { status: 200 } });
      expect(failure.message).toContain('says: My app.');
      expect(failure.message).toContain(`'http://${server.authority}/v1'`);
    },
  );

  it('may use other content types', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('{"choices":[]}');
    });
    expect(await textOf(await chunksOf(ask(clientFor(server))))).toBe('{"choices":[]}');
  });

  it.each([
    [
      'plain words',
      'text/plain',
      'upstream connect error\n\tor disconnect',
      'says: upstream connect error or disconnect.',
    ],
    ['another JSON', 'application/json', '{"detail":"Not Found"}', 'says: {"detail":"Not Found"}.'],
    ['nothing', 'text/plain', '', 'without saying why.'],
    ['terminal colors', 'text/plain', '\u001b[31mred\u001b[0m', 'says: [31mred [0m.'],
  ])('is quoted on one line if it responds with %s', async (_what, type, body, words) => {
    const failure = await refusedBy((_request, response) => {
      response.writeHead(404, { 'content-type': type }).end(body);
    });
    expect(failure.message).toContain(words);
    expect(failure.message).toContain("Check the name of the model, 'scripted', and the address");
  });

  it('cannot send an error that is too long to read', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 500 Oops\r\ncontent-length: 2000000000\r\n\r\n');
        writeForEver(socket, 'no '.repeat(10_000));
      }),
    );
    const failure = await failureOf(ask(clientFor(server)));
    expect(failure).toMatchObject({ kind: 'status', isPassing: true, answer: { status: 500 } });
    expect(failure.answer?.body.length).toBe(65_536);
    expect(failure.message.length).toBeLessThan(1000);
    await server.allClosed();
  });

  it('is quoted up to the end of a truncated error', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => socket.end('HTTP/1.1 503 No\r\ncontent-length: 100\r\n\r\nhalf of it')),
    );
    const failure = await failureOf(ask(clientFor(server)));
    expect(failure).toMatchObject({ kind: 'status', isPassing: true });
    expect(failure.message).toContain('says: half of it.');
  });

  it('does not block if its error never ends', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => socket.write('HTTP/1.1 503 No\r\ncontent-length: 100\r\n\r\nhalf')),
    );
    const stop = new AbortController();
    const asking = failureOf(ask(clientFor(server), { signal: stop.signal }));
    setTimeout(() => stop.abort(), 50);
    expect(await asking).toMatchObject({ kind: 'cancelled', isPassing: false });
    await server.allClosed();
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is not followed, and the key is not sent on', async (status) => {
    const reached: string[] = [];
    const elsewhere = await startServer((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    });
    const failure = await refusedBy((_request, response) => {
      response.writeHead(status, { location: `http://${elsewhere.authority}/v1/secret-path` }).end();
    });
    expect(failure).toMatchObject({ kind: 'status', isPassing: false, answer: { status } });
    expect(failure.message).toContain(`redirects to '${elsewhere.authority}'`);
    expect(failure.message).not.toContain('secret-path');
    expect(reached).toEqual([]);
  });
});

describe('an error response', () => {
  it.each([
    [401, { apiKey: '' }, 'The server requires a key, and none was sent.'],
    [401, {}, 'Check that the key is valid for this provider'],
    [402, {}, 'Check the credit'],
    [403, {}, "may use the model 'scripted'"],
    [413, {}, 'Send less'],
    [418, {}, 'Change the request before you send it again'],
    [599, {}, 'status 599,'],
  ])('with status %i says what to do', async (status, options, advice) => {
    const failure = await refusedBy((_request, response) => response.writeHead(status).end(), options);
    expect(failure.message).toContain(advice);
  });

  it.each([
    [408, undefined, true],
    [409, undefined, true],
    [425, undefined, true],
    [422, undefined, false],
    [501, undefined, false],
    [429, 'false', false],
    [400, 'true', true],
    [400, 'maybe', false],
  ])('with status %i and x-should-retry %s is transient: %s', async (status, advice, isPassing) => {
    const failure = await refusedBy((_request, response) => {
      response.writeHead(status, advice === undefined ? {} : { 'x-should-retry': advice }).end();
    });
    expect(failure.isPassing).toBe(isPassing);
  });

  it('is redacted if it repeats the key, a secret header or a secret parameter', async () => {
    const other = 'proxy-secret-987654321';
    const server = await startServer((request, response) => {
      const { authorization, 'x-proxy-token': token } = request.headers;
      const message = `Bad key ${authorization} and ${token?.toString()} at ${request.url}`;
      response.writeHead(401, { 'x-echo': authorization }).end(JSON.stringify({ error: { message } }));
    });
    const baseUrl = `http://${server.authority}/v1?key=query-secret-13579`;
    const failure = await failureOf(ask(clientOf({ baseUrl, headers: { 'X-Proxy-Token': other } })));
    const all = JSON.stringify([failure, Buffer.from(failure.answer?.body ?? []).toString()]);
    expect(failure.message).toContain('Bad key Bearer [redacted:apiKey] and [redacted:');
    for (const secret of [KEY, other, 'query-secret-13579']) expect(all).not.toContain(secret);
  });
});

describe('a response', () => {
  it('may follow any number of interim responses', async () => {
    const server = await startServer((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('{}');
    });
    expect(await textOf(await chunksOf(ask(clientFor(server))))).toBe('{}');
  });

  it('times out if its headers never end', async () => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write(OK);
        const drip = setInterval(() => socket.write('x'), 5);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    const failure = await failureOf(ask(clientFor(server, { timeoutMs: 60 }), { stream: true }));
    expect(failure).toMatchObject({ kind: 'timeout', isPassing: true });
    await server.allClosed();
  });

  it('times out if it is not streamed and not complete in time', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 5);
      response.once('close', () => clearInterval(drip));
    });
    const chunks = await chunksOf(ask(clientFor(server, { timeoutMs: 100 })));
    await expect(textOf(chunks)).rejects.toMatchObject({ code: 'RequestTimeout' });
    await server.allClosed();
  });

  it.each([true, false])('is closed after a while if nobody reads it (streaming: %s)', async (stream) => {
    const server = await startServer((_request, response) => void response.writeHead(200).write('data: 1\n\n'));
    const reply = await ask(clientFor(server, { idleTimeoutMs: 50 }), { stream });
    expect(reply.ok).toBe(true);
    await server.allClosed();
  });

  it.each([true, false])('is cut off at its limit if it never ends (streaming: %s)', async (stream) => {
    const server = await startRawServer((socket) =>
      onRequest(socket, () => {
        socket.write(`${OK}content-type: text/event-stream\r\n\r\n`);
        writeForEver(socket, 'data: {}\n\n'.repeat(1000));
      }),
    );
    const chunks = await chunksOf(ask(clientFor(server, { maxBytes: 100_000 }), { stream }));
    const seen: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of chunks) seen.push(chunk);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ResponseTooLarge', data: { maxBytes: 100_000 } });
    expect(Buffer.concat(seen).length).toBe(100_000);
    await server.allClosed();
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('compressed with %s is decompressed, without its content-encoding header', async (encoding, pack) => {
    const asked: (string | undefined)[] = [];
    const server = await startServer((request, response) => {
      asked.push(request.headers['accept-encoding']?.toString());
      response.writeHead(200, { 'content-encoding': encoding, 'x-kept': '1' }).end(pack('{"a":1}'));
    });
    const reply = await ask(clientFor(server));
    expect(reply.ok && [reply.headers['x-kept'], reply.headers['content-encoding']]).toEqual(['1', undefined]);
    expect(await textOf(await chunksOf(Promise.resolve(reply)))).toBe('{"a":1}');
    expect(await textOf(await chunksOf(ask(clientFor(server), { stream: true })))).toBe('{"a":1}');
    expect(asked).toEqual(['gzip, br', 'identity']);
  });
});
