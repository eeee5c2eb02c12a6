import { describe, expect, it } from 'vitest';
import { createPathFor, isPlainPath } from './upstream-path.ts';

describe('a path below an upstream', () => {
  it.each([
    ['/v1', '/chat/completions', '/v1/chat/completions', '/v1/chat/completions'],
    ['/api/v1/', '/chat/completions', '/v1/models', '/api/v1/models'],
    ['/v1/chat/completions', '/chat/completions', '/v1/embeddings', '/v1/embeddings'],
    ['/openai/deployments/x', '/chat/completions', '/v1/chat/completions', '/openai/deployments/x/chat/completions'],
    ['/v2', '/responses', '/v1/responses/resp_1/cancel', '/v2/responses/resp_1/cancel'],
    ['/', '/v1/messages', '/v1/messages', '/v1/messages'],
    ['/v1', '/v1/messages', '/v1/messages/count_tokens', '/v1/messages/count_tokens'],
    ['/api', '/v1/messages', '/v1/models?limit=1000', '/api/v1/models?limit=1000'],
    ['/proxy/v1/messages', '/v1/messages', '/v1/messages', '/proxy/v1/messages'],
    ['', '/v1beta/models/demo:generateContent', '/v1beta/models/m:countTokens', '/v1beta/models/m:countTokens'],
    ['/v1beta', '/v1beta/models/demo:generateContent', '/v1beta/models/a%20b', '/v1beta/models/a%20b'],
    ['/v1beta', '/v1beta/models/demo:generateContent', '/v1/models/m:countTokens', '/v1beta/models/m:countTokens'],
    ['/v1', '/v1beta/models/demo:generateContent', '/v1beta/models/m:countTokens', '/v1/models/m:countTokens'],
  ])('with the base path %s and the endpoint %s turns %s into %s', (base, endpoint, path, expected) => {
    expect(createPathFor(base, endpoint)(path)).toBe(expected);
  });
});

describe('a plain path', () => {
  it.each(['/v1/messages', '/v1beta/models/a%20b:countTokens', '/v1beta/models/a%2Fb', '/v1/models/v1..2'])(
    'is %s',
    (path) => {
      expect(isPlainPath(path)).toBe(true);
    },
  );

  it.each([
    '/v1/responses/../files',
    '/v1/responses/%2e%2E/files',
    '/v1/models/x%2f..%2ffiles',
    '/v1/models/..\\files',
    '/v1/models/x%5c..%5cfiles',
    '/v1/models/./x',
    '/v1/models/a%3Fb',
    '/v1/models/a%23b',
    '/v1/models/%00',
    '/v1/models/%zz',
    '/v1/models/..;/responses/resp_x',
    '/v1/models/.;a=b/x',
    '/v1/models/x/%252e%252e/%252e%252e/responses/resp_x',
  ])('is not %s', (path) => {
    expect(isPlainPath(path)).toBe(false);
  });
});
