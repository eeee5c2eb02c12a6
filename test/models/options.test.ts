import { describe, expect, it } from 'vitest';
import { createModelClient } from '../../packages/skillwright/src/models/model-client.ts';
import { createHttpClient } from '../../packages/skillwright/src/net/http/http-client.ts';
import { startModel } from '../testing/model-requests.ts';
import { ask, clientOf, failureOf, turnOf } from './asking.ts';

const GOOD = { format: 'openai-chat', model: 'm' };

function create(options: unknown): unknown {
  return createModelClient(options as Parameters<typeof createModelClient>[0]);
}

describe('options of a model client', () => {
  it.each([
    ['format', undefined],
    ['format', null],
    ['format', { ...GOOD, format: 'openai' }],
    ['format', { ...GOOD, format: 'constructor' }],
    ['model', { format: 'gemini' }],
    ['model', { ...GOOD, model: '' }],
    ['model', { ...GOOD, model: ' m' }],
    ['model', { ...GOOD, model: 'a\nb' }],
    ['model', { ...GOOD, model: '../../v1beta/files' }],
    ['model', { ...GOOD, model: 'models/..' }],
    ['model', { ...GOOD, model: '/m' }],
    ['baseUrl', { ...GOOD, baseUrl: '' }],
    ['baseUrl', { ...GOOD, baseUrl: 'api.openai.com/v1' }],
    ['baseUrl', { ...GOOD, baseUrl: 'file:///etc' }],
    ['baseUrl', { ...GOOD, baseUrl: 'https://me:hunter22@host/v1' }],
    ['baseUrl', { ...GOOD, baseUrl: 'https://host/v1#part' }],
    ['baseUrl', { ...GOOD, baseUrl: 7 }],
    ['apiKey', { ...GOOD, apiKey: 'hunter22\nx: y' }],
    ['apiKey', { ...GOOD, apiKey: 'hunter22é' }],
    ['apiKey', { ...GOOD, apiKey: 7 }],
    ['headers', { ...GOOD, headers: ['a'] }],
    ['headers', { ...GOOD, headers: { host: 'hunter22' } }],
    ['headers', { ...GOOD, headers: { a: 'hunter22\r\nb: c' } }],
    ['timeoutMs', { ...GOOD, timeoutMs: 0 }],
    ['idleTimeoutMs', { ...GOOD, idleTimeoutMs: -1 }],
    ['connectTimeoutMs', { ...GOOD, connectTimeoutMs: 1.5 }],
    ['maxBytes', { ...GOOD, maxBytes: '10' }],
    ['allow', { ...GOOD, allow: ['not a host!'] }],
    ['resolve', { ...GOOD, resolve: 'no' }],
    ['ca', { ...GOOD, ca: 'PEM' }],
    ['ca', { ...GOOD, ca: ['no certificate'] }],
    ['http', { ...GOOD, http: 'http://127.0.0.1' }],
    ['http', { ...GOOD, http: {} }],
    ['allow', { ...GOOD, http: createHttpClient(), allow: ['a.example'] }],
    ['connectTimeoutMs', { ...GOOD, http: createHttpClient(), connectTimeoutMs: 5 }],
    ['timeout', { ...GOOD, timeout: 5 }],
  ])('are rejected if %s is wrong: %j', (option, options) => {
    expect(() => create(options)).toThrow(
      expect.objectContaining({ code: 'InvalidOptions', data: { option } }) as Error,
    );
    expect(() => create(options)).not.toThrow(/hunter22/);
  });

  it('accept a format by its short name', async () => {
    const client = clientOf({ format: 'anthropic', model: 'claude' });
    expect([client.format, client.model, client.isDemo]).toEqual(['anthropic-messages', 'claude', undefined]);
  });

  it('accept a key with white space around it, as in files', async () => {
    const model = await startModel({ apiKey: 'the-key', script: [{ text: 'Yes.' }] });
    const client = clientOf({ baseUrl: model.baseUrl('openai-chat'), apiKey: ' the-key\n' });
    expect((await turnOf(client)).text).toBe('Yes.');
  });

  it.each(['openai-chat', 'openai-responses'] as const)('include the address of OpenRouter for %s', async (format) => {
    const model = await startModel({ script: [{ text: 'Yes.' }] });
    const client = clientOf({ format, baseUrl: `${model.baseUrl(format, 'openrouter')}/` });
    expect((await turnOf(client, { stream: true })).text).toBe('Yes.');
  });

  it('let a name cover addresses that are allowed, and no other special ones', async () => {
    const named = { baseUrl: 'http://model.example:1', resolve: async () => ['0.0.0.0'] };
    const refused = await failureOf(ask(clientOf(named)));
    expect(refused).toMatchObject({ kind: 'connection', isPassing: false });
    expect(refused.message).toContain("add '0.0.0.0:1' to the client's 'allow' list");
    expect((await failureOf(ask(clientOf({ ...named, allow: ['0.0.0.0'] })))).message).not.toContain("'allow'");
  });
});
