import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import { probeSandboxes } from '../../../packages/skillwright/src/sandbox.ts';
import { startServer } from '../../security/network/server.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

const tiers = await probeSandboxes({ path: process.env['PATH'] });
const isMissing = !tiers.some(({ tier, available }) => tier === 'bubblewrap' && available);
if (isMissing) console.warn('Skipped: the bubblewrap tier is not available here.');

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
  it('have registry rows that are off until an operator turns them on', async () => {
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

  it('include a browser whose failed call is retried if it only reads, but not if it clicks or fills in', async () => {
    const gateway = await openGateway({ browserProgram: '/nowhere/chromium' });
    await turnOn(gateway, 'browser');
    const attempts = async (steps?: readonly object[]): Promise<number> => {
      const input = { url: 'https://example.com', ...(steps === undefined ? {} : { steps }) };
      const { id, errorCode } = await gateway.executor.execute({
        skillName: 'browser',
        input,
        apiKeyId: 'k',
        caller: 'user',
      });
      expect(errorCode).toBe('BrowserUnavailable');
      return (await gateway.store.executions.listAttempts(id)).length;
    };
    expect(await attempts()).toBe(2);
    expect(await attempts([{ action: 'text' }, { action: 'screenshot', path: 'a.png' }])).toBe(2);
    expect(await attempts([{ action: 'text' }, { action: 'click', selector: 'a' }])).toBe(1);
    expect(await attempts([{ action: 'fill', selector: 'input', value: 'x' }])).toBe(1);
  });

  it('run as executions like any other skill', async () => {
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

  it('keep their files when the gateway restarts', async () => {
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

describe.skipIf(isMissing)('programs of built-ins in a gateway', { timeout: 60_000 }, () => {
  const by = { apiKeyId: 'k', caller: 'user' } as const;

  it('are recorded with their tier, however they ended', async () => {
    const gateway = await openGateway();
    for (const name of ['eval_code', 'execute_command', 'file_write']) await turnOn(gateway, name);
    const { executor } = gateway;
    const command = { ...by, skillName: 'execute_command', input: { command: 'exit 3' } };
    const ran = await executor.execute(command);
    expect(ran).toMatchObject({ status: 'success', tier: 'bubblewrap', output: { exitCode: 3 } });
    expect(await executor.getExecution(ran.id)).toMatchObject({ tier: 'bubblewrap' });
    const { id } = await executor.start({
      ...by,
      skillName: 'eval_code',
      input: { code: 'console.log(1); setInterval(() => {}, 1000)' },
    });
    for await (const event of executor.watch(id, AbortSignal.timeout(30_000)))
      if (event.type === 'output') await executor.cancel(id);
    expect(await executor.getExecution(id)).toMatchObject({ status: 'cancelled', tier: 'bubblewrap' });
    const write = { ...by, skillName: 'file_write', input: { path: 'a', content: 'x' } };
    expect(await executor.execute(write)).toMatchObject({ status: 'success', tier: null });
  });

  it('leave a log line for everything that was denied', async () => {
    const lines: string[] = [];
    const gateway = await createGateway(
      {
        data: makeDataDirectory(),
        skills: [],
        logLevel: 'warn',
        builtins: { sandboxNetworkEnabled: true },
        sandbox: { egressAllow: ['api.example.com'] },
      },
      { env: { PATH: process.env['PATH'] }, logDestination: { write: (line) => void lines.push(line) } },
    );
    onTestFinished(() => gateway.close());
    await turnOn(gateway, 'eval_code');
    const code = `const { hostname, port } = new URL(process.env.HTTP_PROXY);
      require('node:http').get({ host: hostname, port, path: 'http://evil.example/' }, (answer) => console.log(answer.statusCode));`;
    const input = { code, networkEnabled: true };
    const { id, output } = await gateway.executor.execute({ ...by, skillName: 'eval_code', input });
    expect(output).toMatchObject({ stdout: '403\n' });
    expect(lines.filter((line) => line.includes('evil.example') && line.includes(id))).toHaveLength(1);
  });
});
