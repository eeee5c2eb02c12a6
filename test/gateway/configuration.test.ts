import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, type GatewayError } from '../../packages/gateway/src/index.ts';
import { CONFIG_VARIABLES } from '../../packages/gateway/src/config/environment.ts';
import { isolationWarnings } from '../../packages/gateway/src/config/isolation-warnings.ts';
import { parseConfig } from '../../packages/gateway/src/config/parse-config.ts';
import { sandboxSettings } from '../../packages/gateway/src/executions/sandbox-settings.ts';
import { makeDataDirectory } from './store/data-directory.ts';

const SETTINGS = parseConfig({}, { file: undefined, names: new Map(), overrides: {}, env: {} });

const DEFAULTS = {
  host: '127.0.0.1',
  port: 4747,
  skills: ['./skills'],
  anonymous: 'off',
  upstreams: [],
  allowedHosts: [],
  allowedOrigins: [],
  limits: {
    bodyBytes: 33_554_432,
    jsonValues: 500_000,
    bodyMs: 60_000,
    requestsPerMinute: 600,
    concurrentRequests: 100,
    shutdownMs: 10_000,
    executionDays: 30,
    skillGraceMs: 30_000,
    keepAliveMs: 10_000,
    approvalWaitMs: 0,
    traceDays: 14,
  },
  logLevel: 'info',
  logFormat: 'auto',
};

function writeConfig(content: unknown, name = 'skillwright.config.json'): { cwd: string; file: string } {
  const cwd = makeDataDirectory();
  const file = join(cwd, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return { cwd, file };
}

async function refusal(
  content: unknown,
  env: Record<string, string> = {},
): Promise<{ message: string; code: string; file: string }> {
  const { cwd, file } = writeConfig(content);
  const error = await readConfig({ cwd, env, file }).then(
    () => undefined,
    (thrown: GatewayError) => thrown,
  );
  return { message: error?.message ?? 'accepted', code: error?.code ?? 'accepted', file };
}

describe('the configuration', () => {
  it('has a default for every key, and makes paths absolute', async () => {
    const cwd = makeDataDirectory();
    expect(await readConfig({ cwd, env: {} })).toMatchObject({
      file: undefined,
      config: { ...DEFAULTS, data: join(cwd, '.skillwright'), skills: [join(cwd, 'skills')] },
    });
  });

  it('takes the caller’s values over the environment, and the environment over the file', async () => {
    const { cwd, file } = writeConfig({
      port: 1,
      host: '127.0.0.2',
      data: 'd',
      skills: ['s'],
      limits: { bodyMs: 500 },
    });
    const env = {
      SKILLWRIGHT_PORT: '2',
      SKILLWRIGHT_LIMITS_BODY_BYTES: '2048',
      SKILLWRIGHT_ALLOWED_HOSTS: 'a.example, b.example',
      SKILLWRIGHT_HOST: ' ',
      SKILLWRIGHT_SANDBOX_NETWORK: '1',
    };
    const read = await readConfig({ cwd, env, file, overrides: { port: 3 } });
    expect(read.file).toBe(file);
    expect(read.config).toMatchObject({
      port: 3,
      host: '127.0.0.2',
      data: join(cwd, 'd'),
      skills: [join(cwd, 's')],
      allowedHosts: ['a.example', 'b.example'],
      limits: { bodyMs: 500, bodyBytes: 2048 },
      sandbox: { network: true },
    });
  });

  it('resolves paths of the file relative to the file, and others relative to the working directory', async () => {
    const { cwd, file } = writeConfig({ data: 'd', skills: ['s'] }, 'other.json');
    const here = makeDataDirectory();
    const env = { SKILLWRIGHT_SKILLS: 'mine' };
    const { config } = await readConfig({ cwd: here, env, file });
    expect(config).toMatchObject({ data: join(cwd, 'd'), skills: [join(here, 'mine')] });
  });

  it('can be a module if the caller names it', async () => {
    const { cwd } = writeConfig('export default { port: 40 + 2 } satisfies object;', 'my.config.ts');
    expect((await readConfig({ cwd, env: {}, file: 'my.config.ts' })).config.port).toBe(42);
    await expect(readConfig({ cwd, env: {} })).resolves.toMatchObject({ file: undefined });
  });

  it('may name its JSON Schema for editors', async () => {
    const { cwd, file } = writeConfig({ $schema: './config.schema.json', port: 1 });
    const { config } = await readConfig({ cwd, env: {}, file });
    expect(config).toMatchObject({ port: 1 });
    expect(config).not.toHaveProperty('$schema');
    expect((await refusal({ $schema: 1 })).message).toContain('$schema in ');
  });

  it('has an environment variable for every key', () => {
    expect(CONFIG_VARIABLES.map(({ path }) => path.join('.'))).not.toContain('$schema');
    expect(CONFIG_VARIABLES.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['SKILLWRIGHT_PORT', 'SKILLWRIGHT_ALLOWED_HOSTS', 'SKILLWRIGHT_LIMITS_BODY_BYTES']),
    );
  });
});

describe('an invalid configuration', () => {
  it.each([
    [{ port: 'x' }, 'port in FILE must be a whole number, from 0 to 65535, and is "x"'],
    [{ port: 70_000 }, 'port in FILE must be a whole number, from 0 to 65535, and is 70000'],
    [{ prot: 1 }, 'prot in FILE is not a setting; did you mean port?'],
    [
      { limits: { requestsPerMinut: 1 } },
      'limits.requestsPerMinut in FILE is not a setting; did you mean requestsPerMinute?',
    ],
    [
      { upstreams: [{ id: 'a', format: 'gemini', baseURL: 'https://a.example', baseUrl: 'https://a.example' }] },
      'upstreams[0].baseURL in FILE is not a setting; did you mean baseUrl?',
    ],
    [{ limits: { size: 1 } }, 'limits.size in FILE is not a setting'],
    [{ limits: 7 }, 'limits in FILE must be an object, and is 7'],
    [{ store: 'sqlite' }, 'store in FILE is not a setting'],
    [
      { allowedOrigins: ['app.example'] },
      'allowedOrigins[0] in FILE must be an origin such as https://app.example, and is "app.example"',
    ],
    [
      { upstreams: [{ id: 'a', format: 'gpt', baseUrl: 'https://a.example' }] },
      'upstreams[0].format in FILE must be one of openai-chat, openai-responses, anthropic-messages, gemini, and is "gpt"',
    ],
    [{ upstreams: [{ id: 'a', format: 'gemini' }] }, 'upstreams[0].baseUrl in FILE is missing: it must be a text'],
    [[1], 'FILE must contain an object'],
    ['null', 'FILE must contain an object'],
  ])('with %j is refused with an error that names it', async (content, problem) => {
    const { message, code, file } = await refusal(content);
    expect({ code, message }).toEqual({
      code: 'InvalidConfiguration',
      message: `The configuration is invalid: ${problem.replace('FILE', file)}${problem.endsWith('?') ? '' : '.'}`,
    });
  });

  it.each(['localhost', 'api.localhost:80', '127.0.0.1:8080', '[::1]', '[::1]:443'])(
    'may not let sandboxed programs reach this machine: %s',
    async (host) => {
      expect((await refusal({ sandbox: { egressAllow: ['localhost.example', host] } })).message).toMatch(
        /sandbox\.egressAllow\[1\] in .+ must be a host other than this machine, because sandboxed programs cannot reach this machine's loopback/,
      );
    },
  );

  it('gets an error that names every problem, and the variable behind it', async () => {
    const env = { SKILLWRIGHT_PORT: 'many', SKILLWRIGHT_UPSTREAMS: '[{"id":"a"}]', SKILLWRIGHT_LOG_LEVEL: 'loud' };
    const { message } = await refusal({ host: 1 }, env);
    expect(message.split('\n')).toContain('- SKILLWRIGHT_PORT must be a whole number, from 0 to 65535, and is "many"');
    expect(message.split('\n').length).toBeGreaterThan(4);
    expect(message).toContain('SKILLWRIGHT_LOG_LEVEL must be one of');
    expect(message).toContain('SKILLWRIGHT_UPSTREAMS');
    expect(message).toContain('host in ');
  });

  it('never repeats a key that was put in the wrong place', async () => {
    const secret = 'sk-proj-0123456789abcdef';
    const upstream = { id: 'a', format: 'openai-chat', baseUrl: 'https://a.example/v1' };
    for (const wrong of [
      { apiKeyEnv: secret },
      { apiKeyEnv: 'AIzaSyNotAVariable' },
      { baseUrl: `https://u:${secret}@a.example` },
      { apiKey: secret },
    ]) {
      const { message, code } = await refusal({ upstreams: [{ ...upstream, ...wrong }] });
      expect(code).toBe('InvalidConfiguration');
      expect(message).not.toMatch(/0123456789|AIza/);
    }
  });

  it('gets an error with the name of a variable whose key is not set', async () => {
    const upstream = { id: 'a', format: 'openai-chat', baseUrl: 'https://a.example/v1', apiKeyEnv: 'MY_KEY' };
    expect((await refusal({ upstreams: [upstream] })).message).toContain('names MY_KEY, which is not set');
    expect((await refusal({ upstreams: [upstream, upstream] }, { MY_KEY: 'x' })).message).toContain('with unique ids');
    expect((await refusal({ upstreams: [upstream] }, { MY_KEY: 'x' })).code).toBe('accepted');
  });

  it.each(['{', '{"port": 1,}', ''])('is refused if it is not JSON: %j', async (content) => {
    const { message, code, file } = await refusal(content);
    expect(code).toBe('ConfigurationUnreadable');
    expect(message).toContain(file);
  });

  it('is reported if the named file does not exist or exports nothing', async () => {
    const cwd = makeDataDirectory();
    for (const file of ['gone.json', 'gone.ts'])
      await expect(readConfig({ cwd, env: {}, file })).rejects.toMatchObject({
        code: 'ConfigurationUnreadable',
        data: { file: join(cwd, file) },
      });
    writeFileSync(join(cwd, 'empty.ts'), 'export const port = 1;');
    await expect(readConfig({ cwd, env: {}, file: 'empty.ts' })).rejects.toThrow(/no default export/);
  });
});

describe('a configuration that is valid but probably a mistake', () => {
  it('gets a warning for directories of skills that do not exist', async () => {
    const { cwd, file } = writeConfig({ skills: ['gone', '.', 'skillwright.config.json'] });
    const { warnings } = await readConfig({ cwd, env: {}, file });
    expect(warnings).toEqual([
      expect.stringContaining(`There is no directory ${join(cwd, 'gone')}, so no skills come from it. Create it`),
      expect.stringContaining(`There is a file instead of the directory ${file}`),
    ]);
  });

  it('gets a warning for unknown variables, with the nearest known one', async () => {
    const { cwd, file } = writeConfig({ skills: [] });
    const env = {
      SKILLWRIGHT_PROT: '1',
      SKILLWRIGHT_SOMETHING_ELSE_ENTIRELY: '1',
      SKILLWRIGHT_LIMITS_BODY_MS: '500',
      SKILLWRIGHT_TOKEN: 'x',
      SKILLWRIGHT_ADMIN_TOKEN: 'x',
      SKILLWRIGHT_EMPTY: '',
      OTHER_PROT: '1',
    };
    expect((await readConfig({ cwd, env, file })).warnings).toEqual([
      'The variable SKILLWRIGHT_PROT is set but has no effect, because no setting has that name. Did you mean SKILLWRIGHT_PORT?',
      'The variable SKILLWRIGHT_SOMETHING_ELSE_ENTIRELY is set but has no effect, because no setting has that name.',
    ]);
    const upstream = { id: 'a', format: 'gemini', baseUrl: 'http://a.example', apiKeyEnv: 'SKILLWRIGHT_PROT' };
    const named = await readConfig({ cwd, file, env: { SKILLWRIGHT_PROT: 'k' }, overrides: { upstreams: [upstream] } });
    expect(named.warnings).toEqual([]);
  });

  it('gets a warning for an isolation that the host lacks', async () => {
    const demand = (min: 'process' | 'container', runsCode = false): Promise<readonly string[]> => {
      const config = { sandbox: { ...SETTINGS.sandbox, min }, builtins: SETTINGS.builtins };
      return isolationWarnings({ config, container: undefined, path: makeDataDirectory(), runsCode });
    };
    expect(await demand('process')).toEqual([]);
    expect(await demand('container')).toEqual([
      expect.stringMatching(
        /^No skill can run, because "sandbox\.min" requires container, which is not available\. .+/,
      ),
    ]);
    expect(await demand('process', true)).toEqual([
      expect.stringMatching(
        /^eval_code and execute_command cannot run, because they require bubblewrap, which is not available\. .+/,
      ),
    ]);
  });

  it('passes egressAllow and egressPrivate to the sandbox as separate lists', async () => {
    const sandbox = { egressAllow: ['mirror.internal:8080'], egressPrivate: ['mirror.internal:8080'] };
    const { cwd, file } = writeConfig({ sandbox });
    const { config } = await readConfig({ cwd, env: {}, file });
    const egress = { allow: sandbox.egressAllow, private: sandbox.egressPrivate };
    expect(sandboxSettings(config.sandbox)).toMatchObject({ egress });
  });
});

describe('upstreams', () => {
  it('come from providers’ keys in the environment if none are configured', async () => {
    const cwd = makeDataDirectory();
    const env = { OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b', GEMINI_API_KEY: '', OPENROUTER_API_KEY: 'c' };
    const { config } = await readConfig({ cwd, env });
    expect(config.upstreams.map(({ id, format, models }) => [id, format, ...models])).toEqual([
      ['openrouter', 'openai-chat', '*/*'],
      ['openrouter-openai-responses', 'openai-responses', '*/*'],
      ['openrouter-anthropic-messages', 'anthropic-messages', '*/*'],
      ['openai', 'openai-chat', '*'],
      ['openai-responses', 'openai-responses', '*'],
      ['anthropic', 'anthropic-messages', '*'],
    ]);
    expect(JSON.stringify(config)).not.toContain('"a"');
  });

  it('accept every model if there is only one provider', async () => {
    const { config } = await readConfig({ cwd: makeDataDirectory(), env: { OPENROUTER_API_KEY: 'c' } });
    expect(new Set(config.upstreams.flatMap(({ models }) => models))).toEqual(new Set(['*']));
  });

  it('ignore keys in the environment if the configuration names upstreams', async () => {
    const { cwd, file } = writeConfig({ upstreams: [{ id: 'mine', format: 'gemini', baseUrl: 'http://127.0.0.1:1' }] });
    const { config } = await readConfig({ cwd, file, env: { OPENAI_API_KEY: 'a' } });
    expect(config.upstreams).toMatchObject([
      { id: 'mine', format: 'gemini', baseUrl: 'http://127.0.0.1:1', models: ['*'] },
    ]);
  });
});
