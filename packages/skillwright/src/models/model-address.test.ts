import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireFormatName } from '../spec/wire.ts';
import { wireFormat } from '../wire/format.ts';
import { readAddress, urlBelow } from './model-address.ts';

function urlOf(format: WireFormatName, baseUrl: string | undefined, model = 'm'): string {
  const { path } = wireFormat(format).target({ model, stream: true, apiKey: '' });
  return urlBelow(readAddress(baseUrl, format), path);
}

describe('the URL of a request', () => {
  it("defaults to each format's own provider", () => {
    expect(WIRE_FORMATS.map((format) => urlOf(format, undefined))).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'https://api.openai.com/v1/responses',
      'https://api.anthropic.com/v1/messages',
      'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse',
    ]);
  });

  it.each([
    ['openai-chat', 'https://host/v1', 'https://host/v1/chat/completions'],
    ['openai-chat', ' https://host/v1 ', 'https://host/v1/chat/completions'],
    ['openai-chat', 'https://host/api/v1//', 'https://host/api/v1/chat/completions'],
    ['openai-chat', 'https://host', 'https://host/chat/completions'],
    ['openai-chat', 'https://host/chat', 'https://host/chat/chat/completions'],
    ['openai-chat', 'https://host/v1/chat/completions', 'https://host/v1/chat/completions'],
    ['openai-chat', 'https://HOST:8443/a b', 'https://host:8443/a%20b/chat/completions'],
    ['openai-chat', 'https://host/d?api-version=1', 'https://host/d/chat/completions?api-version=1'],
    ['openai-chat', 'https://host?a=1?b', 'https://host/chat/completions?a=1?b'],
    ['openai-chat', 'http://[::1]:11434/v1', 'http://[::1]:11434/v1/chat/completions'],
    ['anthropic-messages', 'https://host/v1/', 'https://host/v1/messages'],
    ['anthropic-messages', 'https://host/v1/messages', 'https://host/v1/messages'],
    ['anthropic-messages', 'https://host/anthropic', 'https://host/anthropic/v1/messages'],
    ['gemini', 'https://host/v1beta', 'https://host/v1beta/models/m:streamGenerateContent?alt=sse'],
    ['gemini', 'https://host/?key=k', 'https://host/v1beta/models/m:streamGenerateContent?key=k&alt=sse'],
  ] as const)('for %s with the base URL %s is %s', (format, baseUrl, url) => {
    expect(urlOf(format, baseUrl)).toBe(url);
  });

  it('escapes unusual characters in the name of a model', () => {
    expect(urlOf('gemini', 'https://host', 'a?b#c%2e')).toBe(
      'https://host/v1beta/models/a%3Fb%23c%252e:streamGenerateContent?alt=sse',
    );
  });
});
