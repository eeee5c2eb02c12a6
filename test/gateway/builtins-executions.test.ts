import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../packages/gateway/src/config/config.ts';
import { startServer } from '../security/network-server.ts';
import { makeDataDirectory } from './data-directory.ts';

async function openGateway(
  builtins: GatewayConfigInput['builtins'] = {},
  data = makeDataDirectory(),
): Promise<Gateway> {
  const env = { PATH: process.env['PATH'] };
  const gateway = await createGateway({ data, skills: [], logLevel: 'silent', builtins }, { env });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function turnOn({ registry }: Gateway, name: string): Promise<void> {
  const [skill] = await registry.getSkillVersions(name);
  await registry.update(skill?.id ?? '', { enabled: true });
}

describe('built-ins in a gateway', () => {
  it('are rows that are off until an operator turns them on', async () => {
    const gateway = await openGateway();
    const rows = gateway.registry.current.all.filter(({ kind }) => kind === 'builtin');
    expect(
      rows
        .map(({ name, mode, enabled }) => [name, mode, enabled])
        .sort(([a], [b]) => String(a).localeCompare(String(b))),
    ).toEqual(
      ['browser', 'eval_code', 'execute_command', 'file_read', 'file_write', 'http_request', 'web_search'].map(
        (name) => [name, 'off', false],
      ),
    );
    const request = {
      skillName: 'file_write',
      input: { path: 'a', content: 'x' },
      apiKeyId: 'k',
      caller: 'user',
    } as const;
    await expect(gateway.executor.execute(request)).rejects.toMatchObject({ code: 'SkillNotAllowed' });
  });

  it('are executions like any other', async () => {
    const { authority } = await startServer((_request, response) => response.end('answered'));
    const gateway = await openGateway({ allowHosts: [authority] });
    for (const name of ['file_read', 'file_write', 'http_request', 'eval_code']) await turnOn(gateway, name);
    const run = (skillName: string, input: unknown): ReturnType<typeof gateway.executor.execute> =>
      gateway.executor.execute({ skillName, input, apiKeyId: 'k', caller: 'user' });
    expect(await run('file_write', { path: 'a/b.txt', content: 'kept' })).toMatchObject({
      status: 'success',
      output: { success: true, path: 'a/b.txt', bytesWritten: 4 },
    });
    expect(await run('file_read', { path: 'a/b.txt' })).toMatchObject({
      status: 'success',
      output: { content: 'kept' },
    });
    expect(await run('http_request', { url: `http://${authority}/` })).toMatchObject({
      status: 'success',
      output: { status: 200, body: 'answered' },
    });
    expect(await run('file_read', { path: '../x' })).toMatchObject({
      status: 'error',
      errorCode: 'WorkspacePathRefused',
    });
    expect(await run('http_request', { url: 'http://169.254.169.254/' })).toMatchObject({
      status: 'error',
      errorCode: 'AddressNotAllowed',
    });
    expect(await run('eval_code', { code: 'console.log(1)', networkEnabled: true })).toMatchObject({
      status: 'error',
      errorCode: 'InvalidInput',
    });
  });

  it('keep their files when the gateway starts again', async () => {
    const data = makeDataDirectory();
    const first = await openGateway({}, data);
    await turnOn(first, 'file_write');
    const write = {
      skillName: 'file_write',
      input: { path: 'a', content: 'x' },
      apiKeyId: 'k',
      caller: 'user',
    } as const;
    expect(await first.executor.execute(write)).toMatchObject({ status: 'success' });
    await first.close();
    const second = await openGateway({}, data);
    await turnOn(second, 'file_read');
    const read = { skillName: 'file_read', input: { path: 'a' }, apiKeyId: 'k', caller: 'user' } as const;
    expect(await second.executor.execute(read)).toMatchObject({ status: 'success', output: { content: 'x' } });
  });
});
