import { brotliCompressSync, gzipSync } from 'node:zlib';
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
