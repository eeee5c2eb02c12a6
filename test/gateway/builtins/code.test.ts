import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BuiltIn } from '../../../packages/gateway/src/builtins/builtin.ts';
import { probeSandboxes, type Sandbox } from '../../../packages/skillwright/src/sandbox.ts';
import { proves } from '../../proves.ts';
import { startServer } from '../../security/network/server.ts';
import { openBuiltIns } from './built-ins.ts';

const tiers = await probeSandboxes({ path: process.env['PATH'] });
const bubblewrap = tiers.find(({ tier }) => tier === 'bubblewrap');
const isMissing = bubblewrap?.available !== true;
if (isMissing) console.warn(`Skipped: the bubblewrap tier is not available here. ${JSON.stringify(bubblewrap)}`);

const done = { success: true, exitCode: 0, stderr: '', truncated: false, killed: false };

describe.skipIf(isMissing)('eval_code', { timeout: 60_000 }, () => {
  it('runs JavaScript, as a script or as a module', async () => {
    proves('S4.builtin.eval_code');
    const { call, data } = openBuiltIns();
    const script = await call('eval_code', { code: "console.log(require('node:path').join('a', 'b'))" });
    expect(script).toEqual({ ...done, stdout: 'a/b\n', durationMs: expect.any(Number) as number });
    const code = "import { join } from 'node:path';\nconsole.log(join('a', await Promise.resolve('c')));";
    expect(await call('eval_code', { code, language: 'javascript' })).toMatchObject({ ...done, stdout: 'a/c\n' });
    expect(readdirSync(join(data, 'skills/scripts'))).toEqual([]);
  });

  it('runs Python', async () => {
    proves('S4.builtin.eval_code');
    const { call } = openBuiltIns();
    const answer = await call('eval_code', { language: 'python', code: 'print(sum(range(10)))' });
    expect(answer).toMatchObject({ ...done, stdout: '45\n' });
  });

  it('reports how a program failed, with its output', async () => {
    const { call } = openBuiltIns();
    const code = 'console.log("before"); throw new RangeError("oh no")';
    expect(await call('eval_code', { code })).toMatchObject({
      success: false,
      exitCode: 1,
      stdout: 'before\n',
      stderr: expect.stringContaining('RangeError: oh no') as string,
      killed: false,
    });
  });

  it('shares the workspace of file_read and file_write, and sees no other data', async () => {
    const { call, data } = openBuiltIns();
    await call('file_write', { path: 'in/numbers.txt', content: '1 2 3' });
    const code = `
      const fs = require('node:fs');
      const numbers = fs.readFileSync('in/numbers.txt', 'utf8').split(' ').map(Number);
      fs.writeFileSync('in/sum.txt', String(numbers.reduce((a, b) => a + b)));
      fs.appendFileSync('in/numbers.txt', ' 4');
      let inside = fs.readdirSync(${JSON.stringify(join(data, 'skills'))}).join();
      try { fs.writeFileSync(__filename, 'changed'); } catch (error) { inside += ' ' + error.code; }
      console.log(inside, Object.keys(process.env).filter((name) => /KEY|TOKEN|SECRET/.test(name)).join());`;
    const env = { SECRET_TOKEN: 'x', OPENAI_API_KEY: 'y' };
    const answer = await openBuiltIns({ env }).call('eval_code', { code: 'console.log(JSON.stringify(process.env))' });
    expect(answer['stdout']).not.toMatch(/SECRET_TOKEN|OPENAI/);
    expect(await call('eval_code', { code })).toMatchObject({ ...done, stdout: 'scripts,workspaces EROFS \n' });
    expect(await call('file_read', { path: 'in/sum.txt' })).toMatchObject({ content: '6' });
    expect(await call('file_write', { path: 'in/sum.txt', content: '!', append: true })).toMatchObject({
      success: true,
    });
    expect(await call('file_read', { path: 'in/numbers.txt' })).toMatchObject({ content: '1 2 3 4' });
  });

  it('streams output while the program runs', async () => {
    const { call } = openBuiltIns();
    const heard: string[] = [];
    const seen = Promise.withResolvers<void>();
    const code = `process.stdout.write('ready\\n'); const { watchFile, existsSync } = require('node:fs');
      setInterval(() => { if (existsSync('go')) { console.error('gone'); process.exit(0); } }, 20);`;
    const running = call(
      'eval_code',
      { code, timeoutMs: 20_000 },
      {
        onOutput: (stream, text) => {
          heard.push(`${stream}: ${text}`);
          seen.resolve();
        },
      },
    );
    await seen.promise;
    await call('file_write', { path: 'go', content: '' });
    expect(await running).toMatchObject({ success: true, stdout: 'ready\n', stderr: 'gone\n' });
    expect(heard).toEqual(['stdout: ready\n', 'stderr: gone\n']);
  });

  it('keeps 100,000 characters of each stream, or SKILLS_MAX_SANDBOX_OUTPUT_CHARS', async () => {
    proves('S4.env.SKILLS_MAX_SANDBOX_OUTPUT_CHARS');
    const code = "process.stdout.write('é'.repeat(400_000)); process.stderr.write('x')";
    const usual = await openBuiltIns().call('eval_code', { code });
    expect(usual).toMatchObject({ success: true, truncated: true, stderr: 'x' });
    expect(usual['stdout']).toBe('é'.repeat(100_000));
    const { call } = openBuiltIns({ env: { SKILLS_MAX_SANDBOX_OUTPUT_CHARS: '7' } });
    expect(await call('eval_code', { code })).toMatchObject({ success: true, truncated: true, stdout: 'ééééééé' });
  });

  it('ends a program after 10 s, SKILLS_SANDBOX_TIMEOUT_MS or the call’s own timeout, and after 60 s at most', async () => {
    proves('S4.env.SKILLS_SANDBOX_TIMEOUT_MS');
    const code = "console.log('begun'); for (;;);";
    const { call, named } = openBuiltIns({ env: { SKILLS_SANDBOX_TIMEOUT_MS: '1500' } });
    expect(await call('eval_code', { code })).toMatchObject({ success: false, exitCode: null, killed: true });
    expect(await call('eval_code', { code, timeoutMs: 300 })).toMatchObject({ success: false, killed: true });
    await expect(call('eval_code', { code, timeoutMs: 60_001 })).rejects.toMatchObject({ code: 'InvalidInput' });
    const timeOf = (builtIn: BuiltIn): unknown => builtIn.inputSchema.properties?.['timeoutMs'];
    expect(timeOf(named('eval_code'))).toMatchObject({ default: 1500, maximum: 60_000 });
    expect(timeOf(openBuiltIns().named('execute_command'))).toMatchObject({ default: 10_000 });
    const long = openBuiltIns({ env: { SKILLS_SANDBOX_TIMEOUT_MS: '600000' } });
    expect(timeOf(long.named('eval_code'))).toMatchObject({ default: 60_000 });
  });

  it('ends all processes of a program when it is canceled', async () => {
    const { call, workspaceOf } = openBuiltIns();
    const cancel = new AbortController();
    const started = Promise.withResolvers<void>();
    const command = 'setsid sh -c "while true; do date +%s%N > alive; sleep 0.05; done" & echo started; wait';
    const running = call(
      'execute_command',
      { command, timeoutMs: 60_000 },
      {
        signal: cancel.signal,
        onOutput: () => started.resolve(),
      },
    );
    await started.promise;
    cancel.abort();
    expect(await running).toMatchObject({ success: false, killed: true });
    const alive = join(workspaceOf('k'), 'alive');
    const last = existsSync(alive) ? readFileSync(alive, 'utf8') : '';
    await call('execute_command', { command: 'sleep 0.3' });
    expect(existsSync(alive) ? readFileSync(alive, 'utf8') : '').toBe(last);
  });
});

describe.skipIf(isMissing)('execute_command', { timeout: 60_000 }, () => {
  it('runs a shell command, or a program with its arguments unchanged', async () => {
    proves('S4.builtin.execute_command');
    const { call } = openBuiltIns();
    expect(await call('execute_command', { command: 'echo "a b" | tr a-z A-Z; exit 3' })).toMatchObject({
      success: false,
      exitCode: 3,
      stdout: 'A B\n',
    });
    const args = ['%s|', 'a b', '$HOME', '; rm -rf /', '*', ''];
    expect(await call('execute_command', { command: 'printf', args })).toMatchObject({
      ...done,
      stdout: 'a b|$HOME|; rm -rf /|*||',
    });
    expect(await call('execute_command', { command: 'no-such-program', args: [] })).toMatchObject({
      success: false,
      exitCode: 127,
    });
    await expect(call('execute_command', { command: 'a\0b' })).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  it('has network access only if both the operator and the call allow it', async () => {
    proves('S4.env.SKILLS_SANDBOX_NETWORK_ENABLED', 'S4.ops.egress');
    const { port } = await startServer((_request, response) => response.end('reached'));
    const code = `fetch('http://127.0.0.1:${port}/').then((r) => r.text()).then(console.log, () => console.log('cut off'))`;
    const off = openBuiltIns();
    expect(await off.call('eval_code', { code })).toMatchObject({ stdout: 'cut off\n' });
    await expect(off.call('eval_code', { code, networkEnabled: true })).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining('networkEnabled') as string,
    });
    for (const value of ['1', 'true']) {
      const on = openBuiltIns({ env: { SKILLS_SANDBOX_NETWORK_ENABLED: value } });
      expect(await on.call('eval_code', { code })).toMatchObject({ stdout: 'cut off\n' });
      expect(await on.call('eval_code', { code, networkEnabled: true })).toMatchObject({ stdout: 'reached\n' });
    }
  });
});

describe.skipIf(isMissing)('an egress allow-list', { timeout: 60_000 }, () => {
  it('limits the hosts that programs reach', async () => {
    proves('S4.ops.egress');
    const { port } = await startServer((_request, response) => response.end('reached'));
    const env = { SKILLS_SANDBOX_NETWORK_ENABLED: '1' };
    const { call } = openBuiltIns({ env, sandbox: { egressAllow: ['api.example.com'] } });
    const code = `require('node:net').connect(${port}, '127.0.0.1').on('connect', () => console.log('reached')).on('error', () => {
      const { hostname, port: proxy } = new URL(process.env.HTTP_PROXY);
      require('node:http').get({ host: hostname, port: proxy, path: 'http://127.0.0.1:${port}/' }, (answer) => console.log(answer.statusCode));
    });`;
    expect(await call('eval_code', { code, networkEnabled: true })).toMatchObject({
      stdout: '403\n',
      stderr: expect.stringContaining(`Access to 127.0.0.1:${port} was refused`) as string,
    });
  });
});

describe('without a sandbox', () => {
  const absent: Sandbox = {
    tier: 'bubblewrap',
    probe: () => Promise.resolve({ available: false, reason: 'It is not there.', remedy: 'Install it.' }),
    launch: () => Promise.reject(new RangeError('never launched')),
  };

  it('runs nothing', async () => {
    const { call } = openBuiltIns({ sandboxes: [absent] });
    await expect(call('eval_code', { code: '1' })).rejects.toMatchObject({
      code: 'SandboxUnavailable',
      message: expect.stringContaining('Install it.') as string,
    });
  });

  it('runs ordinary processes only if the operator allows it', async () => {
    const { call } = openBuiltIns({ sandboxes: [absent], builtins: { minIsolation: 'process' } });
    expect(await call('eval_code', { code: 'console.log(1 + 1)' })).toMatchObject({ ...done, stdout: '2\n' });
  });
});
