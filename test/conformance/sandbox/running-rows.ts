import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until, type SandboxBench } from './sandbox-setup.ts';

/** The start of a program, its inputs and its outputs. */
export function describeRunning({
  row,
  run,
  node,
  shell,
  sandbox,
  launchOf,
  root,
  skill,
  workspace,
  secret,
}: SandboxBench): void {
  it(
    'returns output and the exit code',
    row([], async () => {
      const outcome = await node(`console.log('out'); console.error('err'); process.exitCode = 7`);
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 7, signal: null });
      expect([outcome.stdout.text, outcome.stderr.text]).toEqual(['out\n', 'err\n']);
    }),
  );

  it(
    'returns every exit code that is not a signal unchanged',
    row([], async () => {
      for (const exitCode of [0, 1, 2, 126, 127, 128, 200, 255])
        expect(await shell(`exit ${exitCode}`)).toMatchObject({ reason: 'exit', exitCode, signal: null });
    }),
  );

  it(
    'distinguishes an end by a signal from an exit',
    row([], async () => {
      for (const signal of ['TERM', 'KILL', 'SEGV', 'INT'])
        expect(await shell(`kill -${signal} $$`)).toMatchObject({
          reason: 'exit',
          exitCode: null,
          signal: `SIG${signal}`,
        });
    }),
  );

  it(
    'passes arguments unchanged, never through a shell',
    row([], async () => {
      const args = ['a b', `q"u'o`, 'new\nline', 'ünï🎉', '--flag', '--', '-', '$HOME', '`id`', '; rm -rf x', '*', ''];
      const outcome = await node('console.log(JSON.stringify(process.argv.slice(1)))', {
        launch: { args: ['--', ...args] },
      });
      expect(JSON.parse(outcome.stdout.text)).toEqual(args);
    }),
  );

  it(
    'passes an argument of 100 kB',
    row([], async () => {
      const outcome = await node('console.log(process.argv[1].length)', { launch: { args: ['x'.repeat(100_000)] } });
      expect(outcome.stdout.text.trim()).toBe('100000');
    }),
  );

  it(
    'reports that an argument of 10 MB cannot be passed',
    row([], async () => {
      const outcome = await node('1', { launch: { args: ['x'.repeat(10_000_000)] } });
      expect(outcome).toMatchObject({ reason: 'not-started', exitCode: null, signal: null });
      expect(outcome.cause).toMatchObject({ code: 'E2BIG' });
    }),
  );

  it(
    'refuses to start a program if any text has a NUL byte',
    row([], async () => {
      expect(await node('1', { launch: { args: ['a\0--bind\0/\0/'] } })).toMatchObject({ reason: 'not-started' });
      expect(await node('1', { launch: { env: { A: 'a\0--bind\0/\0/' } } })).toMatchObject({ reason: 'not-started' });
    }),
  );

  it(
    'passes all of stdin, and closes it',
    row([], async () => {
      const text = '漢字\n'.repeat(50_000);
      const count = `let n = 0; process.stdin.on('data', (d) => n += d.length).on('end', () => console.log(n))`;
      expect((await node(count, { stdin: text })).stdout.text.trim()).toBe(String(Buffer.byteLength(text)));
      const unread = await node('process.exit(0)', { stdin: 'x'.repeat(1_000_000) });
      expect(unread).toMatchObject({ reason: 'exit', exitCode: 0 });
    }),
  );

  it(
    'has only the given environment',
    row([], async () => {
      const outcome = await node('console.log(JSON.stringify(process.env))', {
        launch: { env: { PATH: '/bin', ONLY: 'this', HOME: root, TMPDIR: root }, executionId: 'run-1' },
      });
      const {
        PWD: _told,
        HOME: home,
        TMPDIR: temporary,
        ...given
      } = JSON.parse(outcome.stdout.text) as Record<string, string>;
      expect(given).toEqual({ PATH: '/bin', ONLY: 'this', SKILL_EXECUTION_ID: 'run-1' });
      expect([home, temporary].every((path) => path === root || path === '/tmp')).toBe(true);
    }),
  );

  it(
    'does not show the environment to other users of the machine',
    row([], async () => {
      const value = `value-${process.pid}-7f3a`;
      const code = `const { readdirSync, readFileSync } = require('fs');
      const lines = readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).map((n) => { try { return readFileSync('/proc/' + n + '/cmdline', 'utf8') } catch { return '' } });
      console.log(lines.some((line) => line.includes(process.env.TOKEN)))`;
      expect((await node(code, { launch: { env: { TOKEN: value } } })).stdout.text.trim()).toBe('false');
    }),
  );

  it(
    'starts in the working directory',
    row([], async () => {
      expect((await node('console.log(process.cwd())')).stdout.text.trim()).toBe(workspace);
      expect((await node('console.log(process.cwd())', { launch: { cwd: skill } })).stdout.text.trim()).toBe(skill);
    }),
  );

  it(
    'receives what a program writes to the channel, whatever it prints besides',
    row([], async () => {
      const code = `console.log('noise'); require('fs').writeSync(3, 'answer'); console.log('more')`;
      const outcome = await node(code, { launch: { channel: true }, maxChannelBytes: 100 });
      expect(outcome.channel.text).toBe('answer');
      expect(outcome.stdout.text).toBe('noise\nmore\n');
    }),
  );

  it(
    'has a bidirectional channel',
    row([], async () => {
      const code = `const s = new (require('net').Socket)({ fd: 3 }); s.once('data', (d) => s.end('got ' + d))`;
      const child = await sandbox.launch(launchOf({ args: ['-e', code], channel: true }));
      const { channel } = child;
      if (channel === undefined) throw new Error('There is no channel.');
      child.stdout.on('data', () => {});
      child.stderr.on('data', () => {});
      let heard = '';
      channel.on('data', (chunk) => (heard += chunk.toString('utf8')));
      channel.write('a call');
      expect(await child.exited).toEqual({ exitCode: 0, signal: null });
      await child.kill();
      await until(() => heard !== '', 'an answer came');
      expect(heard).toBe('got a call');
    }),
  );

  it(
    "passes on none of the host's descriptors",
    row([], async () => {
      const held = await open(secret);
      const code = `const fs = require('fs'); const found = fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch { return '' } });
      console.log(JSON.stringify(found.filter((target) => target.startsWith('/') && !/^\\/(?:dev\\/null|proc\\/)/.test(target))))`;
      try {
        expect(JSON.parse((await node(code)).stdout.text)).toEqual([]);
      } finally {
        await held.close();
      }
    }),
  );

  it(
    'reports why a program cannot be started',
    row([], async () => {
      for (const program of [join(root, 'nothing'), workspace, join(skill, 'SKILL.md')])
        expect(await run({ launch: { program } })).toMatchObject({ reason: 'not-started', exitCode: null });
      expect(await node('1', { launch: { cwd: join(root, 'nowhere') } })).toMatchObject({ reason: 'not-started' });
    }),
  );

  it(
    'keeps output up to the limit, and lets the program finish',
    row([], async () => {
      const code = `process.stdout.write('x'.repeat(1e6)); process.stderr.write('y'.repeat(10))`;
      const outcome = await node(code, { maxOutputBytes: 1_000 });
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(outcome.stdout).toMatchObject({ truncated: true, bytes: 1_000_000 });
      expect(outcome.stdout.text).toBe(`${'x'.repeat(1_000)}\n[output truncated]`);
      expect(outcome.stderr).toMatchObject({ truncated: false, text: 'y'.repeat(10) });
    }),
  );

  it(
    'cuts output only between characters',
    row([], async () => {
      const outcome = await node(`process.stdout.write('漢'.repeat(1000))`, { maxOutputBytes: 100 });
      expect(outcome.stdout.text).toBe(`${'漢'.repeat(33)}\n[output truncated]`);
    }),
  );

  it(
    'survives endless output with constant memory',
    row([], async () => {
      const before = process.memoryUsage().rss;
      const outcome = await shell('yes', { timeoutMs: 700 });
      expect(outcome.reason).toBe('timeout');
      expect(outcome.stdout.bytes).toBeGreaterThan(1_000_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    }),
  );

  it(
    'is not delayed by a program that closes its pipes or leaves them to a child',
    row([], async () => {
      expect(await shell('exec >&- 2>&-; sleep 0.1; exit 3')).toMatchObject({ reason: 'exit', exitCode: 3 });
      const outcome = await shell('echo done; sleep 300 &');
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(outcome.stdout.text).toBe('done\n');
    }),
  );
}
