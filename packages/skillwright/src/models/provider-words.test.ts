import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS } from '../spec/wire.ts';
import { wireFormat } from '../wire/format.ts';
import { providerWords } from './provider-words.ts';

const chat = wireFormat('openai-chat');

describe("a provider's error message", () => {
  it.each(WIRE_FORMATS)('is found in the errors of %s', (format) => {
    const body = { type: 'error', error: { type: 'x', code: 400, message: 'It is  wrong.\nReally.' } };
    expect(providerWords(wireFormat(format), JSON.stringify(body))).toBe('It is wrong. Really.');
    expect(providerWords(wireFormat(format), JSON.stringify([body]))).toBe('It is wrong. Really.');
    expect(providerWords(wireFormat(format), '{"error":"Just words"}')).toBe('Just words');
    expect(providerWords(wireFormat(format), '{"error":{}}')).not.toBe('');
  });

  it.each([
    ['', ''],
    ['  \n', ''],
    ['null', 'null'],
    ['[]', '[]'],
    ['{"detail":"No"}', '{"detail":"No"}'],
    ['{"error"', '{"error"'],
    ['<html><body><h1 class="x">Denied</h1></body></html>', 'Denied'],
    ['<?xml version="1.0"?><html></html>', 'a page without a title'],
    ['<htmlish>', '<htmlish>'],
    ['a\u202eb\u0000c\u2028d', 'a b c d'],
  ])('is taken from %j', (body, words) => {
    expect(providerWords(chat, body)).toBe(words);
  });

  it('is cut to a limit, and stays well formed', () => {
    const words = providerWords(chat, `x${'😀'.repeat(1000)}`);
    expect(words.length).toBe(501);
    expect([words.isWellFormed(), words.endsWith('…')]).toEqual([true, true]);
  });

  it('is found in linear time in pages made to be slow', () => {
    expect(providerWords(chat, `<html>${'<title '.repeat(9000)}`)).toBe('a page without a title');
    expect(providerWords(chat, '<?xml '.repeat(9000))).toHaveLength(501);
  });
});
