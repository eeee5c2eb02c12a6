import { expect, it } from 'vitest';
import { createRedaction } from './redaction.ts';

const redact = createRedaction(['provider-"key"', 'short', '']);

it.each([
  [{ headers: { Authorization: 'Bearer abc', 'X-API-Key': 'a"b\\' } }],
  [{ a: [{ 'set-cookie': ['abc', 'ab]c'], cookie: 'abc' }] }],
  [{ url: 'https://x.example/v1?alt=sse&key=abcdef&b=1' }],
  [{ msg: 'used sk-sw-abcdefghijklmnop and provider-"key"' }],
  [{ apiKey: 'abc', 'x-goog-api-key': 'abc' }],
])('removes every key from %j and leaves valid JSON', (line) => {
  const text = redact(JSON.stringify(line));
  expect(text).not.toMatch(/abc|provider|a\\"b/);
  expect(() => JSON.parse(text) as unknown).not.toThrow();
});

it('leaves texts without keys unchanged', () => {
  const line = JSON.stringify({
    apiKeyId: 'k1',
    msg: 'a short key=1, sk-sw-, "authorization" was missing',
    level: 'info',
  });
  expect(redact(line)).toBe(line);
});
