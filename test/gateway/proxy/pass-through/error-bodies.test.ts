import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startProxy } from './proxy-gateway.ts';
import { type Answer, startUpstream } from '../../upstream-server.ts';

const CHAT = '/v1/chat/completions';
const KEY = 'sk-operators-own-key-0123456789';
const TOLD = JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}. And again: ${KEY}` } });
const REDACTED = JSON.stringify({
  error: { message: 'Incorrect API key provided: [redacted]. And again: [redacted]' },
});

async function ask(answer: Answer, apiKey = KEY): Promise<Response> {
  const upstream = await startUpstream(answer);
  const given = [{ format: 'openai-chat' as const, baseUrl: upstream.url, apiKeyEnv: 'KEY' }];
  const { url } = await startProxy(given, { env: { KEY: apiKey } });
  return fetch(`${url}${CHAT}`, { method: 'POST', body: '{}' });
}

const answerWith =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

describe('an error that repeats the operator’s key', () => {
  it.each([
    ['plain', answerWith(401, TOLD, { 'content-length': String(TOLD.length) })],
    ['gzip', answerWith(401, gzipSync(TOLD), { 'content-encoding': 'gzip' })],
    ['br', answerWith(401, brotliCompressSync(TOLD), { 'content-encoding': 'br' })],
    [
      'in two pieces',
      (_request, response) => {
        response.writeHead(401).write(TOLD.slice(0, 60));
        setImmediate(() => response.end(TOLD.slice(60)));
      },
    ],
  ] satisfies [string, Answer][])('reaches the client without the key: %s', async (_how, answer) => {
    const response = await ask(answer);
    expect([response.status, await response.text()]).toEqual([401, REDACTED]);
    expect(response.headers.has('content-encoding')).toBe(false);
  });

  it('reaches the client without the key in its headers, too', async () => {
    const response = await ask(answerWith(403, '{}', { 'www-authenticate': `Bearer error="${KEY}"` }));
    expect([...response.headers.values()].join()).not.toContain(KEY);
    expect(await response.text()).toBe('{}');
  });
});

/** The body as far as it arrived, also if it breaks off. */
async function received({ body }: Response): Promise<{ text: string; breaksOff: boolean }> {
  let text = '';
  try {
    for await (const bytes of body ?? []) text += Buffer.from(bytes).toString('latin1');
    return { text, breaksOff: false };
  } catch {
    return { text, breaksOff: true };
  }
}

describe('a response that repeats the operator’s key', () => {
  it('loses the key in its reason phrase', async () => {
    const response = await ask((_request, sent) => void sent.writeHead(401, `bad key ${KEY}`).end('{}'));
    expect([response.status, response.statusText]).toEqual([401, 'bad key [redacted]']);
  });

  it('loses the key in its headers, whatever its status', async () => {
    const response = await ask(answerWith(200, TOLD, { 'x-used-key': `key ${KEY}`, [`x-${KEY}`]: '1' }));
    expect([response.status, response.headers.get('x-used-key')]).toEqual([200, 'key [redacted]']);
    expect([...response.headers.keys()].join()).not.toContain(KEY);
  });

  it.each([
    ['after the key', `${TOLD} `, REDACTED],
    ['within the key', TOLD.slice(0, TOLD.indexOf(KEY) + 20), '{"error":{"message":"Incorrect API key provided: '],
  ])('loses the key in an error that breaks off %s', async (_where, sent, expected) => {
    const response = await ask((_request, answer) => {
      answer.writeHead(401, { 'content-length': '1000' }).write(sent);
      setImmediate(() => answer.destroy());
    });
    const { text, breaksOff } = await received(response);
    expect([text.trim(), breaksOff]).toEqual([expected.trim(), true]);
  });

  it('loses the key in a large error', async () => {
    const large = `${'x'.repeat(65_500)}${TOLD.repeat(1000)}`;
    const response = await ask(
      answerWith(401, large, { 'content-length': String(large.length), 'x-used-key': `key ${KEY}` }),
    );
    expect(await response.text()).toBe(`${'x'.repeat(65_500)}${REDACTED.repeat(1000)}`);
    expect(response.headers.get('x-used-key')).toBe('key [redacted]');
  });

  it('loses the key in a large error that breaks off', async () => {
    const response = await ask((_request, sent) => {
      sent.writeHead(401, { 'content-length': '1000000' }).write(`${TOLD}${'x'.repeat(100_000)}${KEY.slice(0, 20)}`);
      setImmediate(() => sent.destroy());
    });
    const { text, breaksOff } = await received(response);
    expect(breaksOff).toBe(true);
    expect(text).not.toContain(KEY.slice(0, 20));
  });

  it('loses the key in an event stream that is an error', async () => {
    const response = await ask((_request, sent) => {
      sent.writeHead(401, { 'content-type': 'text/event-stream', 'x-used-key': KEY });
      sent.write(`data: ${TOLD.slice(0, 60)}`);
      setImmediate(() => sent.end(`${TOLD.slice(60)}\n\n`));
    });
    expect(await response.text()).toBe(`data: ${REDACTED}\n\n`);
    expect([response.status, response.headers.get('x-used-key')]).toEqual([401, '[redacted]']);
  });

  it('loses the key that follows compressed bytes', async () => {
    const packed = Buffer.concat([brotliCompressSync('{}'), Buffer.from(KEY)]);
    const response = await ask(answerWith(401, packed, { 'content-encoding': 'br' }));
    expect([response.headers.has('content-encoding'), await response.text()]).toEqual([false, '{}']);
  });
});

describe('an error that cannot be decompressed', () => {
  it.each([
    ['two encodings', gzipSync(brotliCompressSync(TOLD)), 'br, gzip'],
    ['raw deflate', deflateRawSync(TOLD), 'deflate'],
    ['gzip that breaks off', gzipSync(TOLD).subarray(0, -9), 'gzip'],
    ['gzip before other bytes', Buffer.concat([gzipSync('{}'), Buffer.from(KEY)]), 'gzip'],
    ['more than 1 MiB', gzipSync(TOLD + 'x'.repeat(1_048_576)), 'gzip'],
    ['a false encoding', TOLD, 'gzip'],
  ])('is replaced by the gateway’s error: %s', async (_what, body, encoding) => {
    const response = await ask(answerWith(401, body, { 'content-encoding': encoding }));
    expect([response.status, response.headers.get('content-encoding')]).toEqual([502, null]);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } });
  });

  it('is unchanged if it has no body', async () => {
    const response = await ask(answerWith(401, '', { 'content-encoding': 'gzip' }));
    expect([response.status, response.headers.get('content-encoding')]).toEqual([401, 'gzip']);
  });
});

describe('any other error', () => {
  it.each([
    ['is compressed', gzipSync('{"error":1}'), { 'content-encoding': 'gzip' }, '{"error":1}'],
    ['falsely claims to be compressed', 'plain', { 'x-encoding': 'gzip' }, 'plain'],
    ['is large', 'x'.repeat(1_000_000), {}, 'x'.repeat(1_000_000)],
  ])('arrives unchanged if it %s', async (_what, body, headers, expected) => {
    const response = await ask(answerWith(500, body, headers));
    expect([response.status, await response.text()]).toEqual([500, expected]);
    for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
  });

  it('may contain the operator’s key if that is only a placeholder', async () => {
    expect(await (await ask(answerWith(404, '{"error":"no ollama"}'), 'ollama')).text()).toBe('{"error":"no ollama"}');
  });

  it('is cut off for the client if the provider cuts it off', async () => {
    const response = await ask((_request, sent) => {
      sent.writeHead(500, { 'content-length': '100' }).write('{"half":');
      setImmediate(() => sent.destroy());
    });
    await expect(response.text()).rejects.toThrow('terminated');
  });
});
