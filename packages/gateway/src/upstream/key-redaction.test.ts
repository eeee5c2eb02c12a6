import { expect, it } from 'vitest';
import { createKeyRedaction, redactHeaders } from './key-redaction.ts';

const KEY = 'sk-sk-sk-operators-key';

it.each([1, 2, 3, 5, 8, 21, 22, 23, 1000])('removes a key from pieces of %s bytes', (size) => {
  const bytes = Buffer.from(`a ${KEY}${KEY} sk-sk-${KEY} é sk-sk-sk-oper`);
  const redaction = createKeyRedaction(KEY);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(redaction.redact(bytes.subarray(at, at + size)));
  parts.push(redaction.rest());
  expect(Buffer.concat(parts).toString()).toBe('a [redacted][redacted] sk-sk-[redacted] é sk-sk-sk-oper');
});

it('holds only bytes that may be the start of the key', () => {
  const redaction = createKeyRedaction(KEY);
  expect(redaction.redact(Buffer.from('data: {}\n\n')).toString()).toBe('data: {}\n\n');
  expect(redaction.redact(Buffer.from('key: sk-sk-')).toString()).toBe('key: ');
});

it('removes a key from the values of headers, and headers whose name contains it', () => {
  expect(redactHeaders(['a', `x ${KEY}`, `x-${KEY}`, '1', 'b', '2'], KEY)).toEqual(['a', 'x [redacted]', 'b', '2']);
});
