import { describe, expect, it } from 'vitest';
import { BUILT_IN_ALIASES } from '../../../packages/gateway/src/builtins/builtin.ts';
import { readConfig } from '../../../packages/gateway/src/config/read-config.ts';
import { sandboxSettings } from '../../../packages/gateway/src/executions/sandbox-settings.ts';
import { createSchemaCheck } from '../../../packages/skillwright/src/host.ts';
import { containerSettings, imageFor } from '../../../packages/skillwright/src/process/container/options.ts';
import { proves } from '../../proves.ts';
import { openBuiltIns } from './built-ins.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

describe('the built-in skills', () => {
  it('have the documented policies', () => {
    proves('S4.builtin.policies');
    expect(Object.fromEntries(openBuiltIns().all.map(({ name, policy }) => [name, policy]))).toEqual({
      file_read: 'auto',
      file_write: 'auto',
      http_request: 'auto',
      web_search: 'auto',
      eval_code: 'hybrid',
      execute_command: 'manual',
      browser: 'manual',
    });
  });

  it('give the browser a minute and one retry', () => {
    proves('S4.builtin.browser-config');
    expect(openBuiltIns().named('browser')).toMatchObject({ policy: 'manual', timeoutMs: 60_000, retries: 1 });
  });

  it('have timeouts longer than any timeout that a call may request', () => {
    for (const { name, timeoutMs, inputSchema } of openBuiltIns().all) {
      const asked = inputSchema.properties?.['timeoutMs'] as { maximum?: number } | undefined;
      expect(timeoutMs, name).toBeGreaterThan(asked?.maximum ?? 0);
    }
  });

  it('do not touch files or run code for callers without a key', () => {
    const open = openBuiltIns().all.filter(({ anonymous }) => anonymous);
    expect(open.map(({ name }) => name)).toEqual(['http_request', 'web_search']);
  });

  it('describe input and output in JSON Schema, and validate their own input', async () => {
    const check = createSchemaCheck();
    const { all } = openBuiltIns();
    for (const { name, description, inputSchema, outputSchema, execute } of all) {
      expect(description, name).toMatch(/^.{20,300}$/);
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object', properties: { success: { type: 'boolean' } } });
      expect(check(inputSchema, { unknown: 1 }).length, name).toBeGreaterThan(0);
      const context = {
        executionId: 'e',
        apiKeyId: 'k',
        sessionId: null,
        signal: AbortSignal.abort(),
        onOutput: () => {},
      };
      await expect(execute({ unknown: 1 }, context), name).rejects.toMatchObject({ code: 'InvalidInput' });
    }
  });

  it('explain how to install a browser if there is none', async () => {
    proves('S4.builtin.browser');
    const loadPlaywright = (): Promise<never> => Promise.reject(new RangeError('not found'));
    const { call } = openBuiltIns({ loadPlaywright });
    await expect(call('browser', { url: 'https://example.org/' })).rejects.toMatchObject({
      code: 'BrowserUnavailable',
      message: expect.stringContaining('npm install playwright-core') as string,
    });
  });

  it('can be called by their aliases', () => {
    expect([...BUILT_IN_ALIASES]).toEqual([
      ['skillwright_web_search', 'web_search'],
      ['omniroute_web_search', 'web_search'],
    ]);
  });
});

describe('SKILLS_ALLOWED_SANDBOX_IMAGES', () => {
  it('adds allowed container images', async () => {
    proves('S4.env.SKILLS_ALLOWED_SANDBOX_IMAGES');
    const env = { SKILLS_ALLOWED_SANDBOX_IMAGES: 'myorg/sandbox:1.0, node:22-alpine' };
    const { config } = await readConfig({ cwd: makeDataDirectory(), env });
    const settings = containerSettings(sandboxSettings(config.sandbox).container ?? {});
    expect(settings.images).toEqual(['alpine:3.20', 'node:22-alpine', 'python:3.12-alpine', 'myorg/sandbox:1.0']);
    expect(imageFor('node', { ...settings, image: 'myorg/sandbox:1.0' })).toBe('myorg/sandbox:1.0');
    expect(() => imageFor('node', { ...settings, image: 'other/image' })).toThrow("'other/image' is not allowed");
  });
});
