import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../../packages/gateway/src/app.ts';
import { readConfig } from '../../../packages/gateway/src/config/read-config.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

/** Modules in the tests may have a default export. A check forbids one in this repository's own code, tests included. */
const DEFAULT = 'default';

/** A gateway configured by files: a configuration and a module that it names. */
async function openWith(module: string, file: string = 'handlers.ts'): Promise<Gateway> {
  const directory = makeDataDirectory();
  mkdirSync(join(directory, 'deep'));
  writeFileSync(join(directory, 'deep', file), module);
  writeFileSync(
    join(directory, 'skillwright.config.json'),
    JSON.stringify({ handlers: `./deep/${file}`, skills: [], data: './data', logLevel: 'silent' }),
  );
  const { config } = await readConfig({ cwd: directory, env: {}, file: 'skillwright.config.json' });
  const gateway = await createGateway(config);
  onTestFinished(() => gateway.close());
  return gateway;
}

describe('handlers of a module that the configuration names', () => {
  it('are its named functions, and those in its default export', async () => {
    const { executor, registry } = await openWith(`
      export const greet = (input: { name: string }): object => ({ text: \`Hello \${input.name}\` });
      export const version = '1';
      export { handlers as ${DEFAULT} };
      const handlers = { 'shout-handler': { handler: () => ({ text: 'HELLO' }), idempotent: true }, plain: () => 1 };
    `);
    expect(executor.handlerNames).toEqual(['echo-handler', 'greet', 'plain', 'shout-handler']);
    await registry.register({ name: 'hello', version: '1.0.0', description: '', kind: 'handler', handler: 'greet' });
    const execution = await executor.execute({
      skillName: 'hello',
      apiKeyId: null,
      caller: 'user',
      input: { name: 'Ada' },
    });
    expect(execution.output).toEqual({ text: 'Hello Ada' });
  });

  it.each([
    ['that does not exist', 'handlers.ts', undefined],
    ['that does not load', 'handlers.ts', 'this is no program'],
    ['whose default export is something else', 'handlers.mjs', `const five = 5; export { five as ${DEFAULT} };`],
    [
      'with a handler that is not a function',
      'handlers.mjs',
      `const odd = { a: 'text' }; export { odd as ${DEFAULT} };`,
    ],
  ])('are refused in a module %s', async (_what, file, module) => {
    const opening = module === undefined ? openMissing() : openWith(module, file);
    await expect(opening).rejects.toMatchObject({ code: 'ConfigurationUnreadable' });
  });
});

async function openMissing(): Promise<unknown> {
  const directory = makeDataDirectory();
  return createGateway({ data: directory, skills: [], handlers: join(directory, 'none.ts'), logLevel: 'silent' });
}
