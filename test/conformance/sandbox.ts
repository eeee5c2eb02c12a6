import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, type ProgramOutcome, type ProgramRun } from '../../packages/skillwright/src/run/run-program.ts';
import type { Sandbox, SandboxCapabilities, SandboxLaunch } from '../../packages/skillwright/src/spec/sandbox.ts';

type Changes = Partial<Omit<ProgramRun, 'launch'>> & { launch?: Partial<SandboxLaunch> };

/**
 * What every tier has to do. Rows about a promise run only where the tier makes it; the others are skipped with the
 * reason.
 */
export function describeSandbox(name: string, sandbox: Sandbox): void {
  describe(`the ${name} tier`, () => {
    let directory: string;
    let capabilities: SandboxCapabilities | undefined;

    beforeAll(async () => {
      directory = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-sandbox-')));
      const probe = await sandbox.probe();
      if (probe.available) ({ capabilities } = probe);
      else console.warn(`SKIPPED: the ${name} tier is not available here: ${probe.reason} ${probe.remedy}`);
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    const run = (changes: Changes): Promise<ProgramOutcome> => {
      const { launch, ...rest } = changes;
      return runProgram(sandbox, {
        timeoutMs: 20_000,
        maxOutputBytes: 20_480,
        ...rest,
        launch: {
          executionId: randomUUID(),
          program: process.execPath,
          args: [],
          cwd: directory,
          env: { PATH: '/usr/bin:/bin' },
          skillDir: directory,
          network: false,
          channel: false,
          ...launch,
        },
      });
    };
    const node = (code: string, changes: Changes = {}): Promise<ProgramOutcome> =>
      run({ ...changes, launch: { ...changes.launch, args: ['-e', code, ...(changes.launch?.args ?? [])] } });
    const shell = (code: string, changes: Changes = {}): Promise<ProgramOutcome> =>
      run({ ...changes, launch: { program: '/bin/sh', ...changes.launch, args: ['-c', code] } });

    it('gives output and the exit code', async () => {
      const outcome = await node(`console.log('out'); console.error('err'); process.exitCode = 7`);
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 7, signal: null });
      expect([outcome.stdout.text, outcome.stderr.text]).toEqual(['out\n', 'err\n']);
    });

    it('tells an end by a signal from an exit', async () => {
      expect(await shell('kill -TERM $$')).toMatchObject({ reason: 'exit', exitCode: null, signal: 'SIGTERM' });
    });

    it('passes arguments as they are, never through a shell', async () => {
      const args = ['a b', `q"u'o`, 'new\nline', 'ünï🎉', '--flag', '-', '$HOME', '`id`', '; rm -rf x', '*', ''];
      const outcome = await node('console.log(JSON.stringify(process.argv.slice(1)))', {
        launch: { args: ['--', ...args] },
      });
      expect(JSON.parse(outcome.stdout.text)).toEqual(args);
    });

    it('passes stdin whole, and ends it', async () => {
      const text = '漢字\n'.repeat(50_000);
      const outcome = await node(
        `let n = 0; process.stdin.on('data', (d) => n += d.length).on('end', () => console.log(n))`,
        { stdin: text },
      );
      expect(outcome.stdout.text.trim()).toBe(String(Buffer.byteLength(text)));
      expect(await node('process.exit(0)', { stdin: 'x'.repeat(1_000_000) })).toMatchObject({
        reason: 'exit',
        exitCode: 0,
      });
    });

    it('has the environment it is given and no other', async () => {
      const outcome = await node('console.log(JSON.stringify(process.env))', {
        launch: { env: { PATH: '/bin', ONLY: 'this' } },
      });
      const given = JSON.parse(outcome.stdout.text) as Record<string, string>;
      expect(given).toMatchObject({ PATH: '/bin', ONLY: 'this' });
      expect(Object.keys(given).filter((key) => !['PATH', 'ONLY', 'SKILL_EXECUTION_ID'].includes(key))).toEqual([]);
    });

    it('starts in the working directory', async () => {
      expect((await node('console.log(process.cwd())')).stdout.text.trim()).toBe(directory);
    });

    it('answers on the channel, whatever is printed', async () => {
      const code = `console.log('noise'); require('fs').writeSync(3, 'answer'); console.log('more')`;
      const outcome = await node(code, { launch: { channel: true }, maxChannelBytes: 100 });
      expect(outcome.channel.text).toBe('answer');
      expect(outcome.stdout.text).toBe('noise\nmore\n');
    });

    it('ends a program at its timeout', async () => {
      const outcome = await node(`console.log('begun'); setInterval(() => {}, 1000)`, { timeoutMs: 400 });
      expect(outcome).toMatchObject({ reason: 'timeout', signal: 'SIGKILL' });
      expect(outcome.stdout.text).toBe('begun\n');
    });

    it('ends a program that ignores signals', async () => {
      const code = `for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 1000)`;
      expect(await node(code, { timeoutMs: 300 })).toMatchObject({ reason: 'timeout' });
    });

    it('ends a program when it is cancelled, before, at and after its start', async () => {
      expect(await node('1', { signal: AbortSignal.abort() })).toMatchObject({ reason: 'cancelled', exitCode: null });
      for (const delay of [0, 1, 5, 50]) {
        const abort = new AbortController();
        const running = node('setInterval(() => {}, 1000)', { signal: abort.signal });
        await pause(delay);
        abort.abort();
        expect((await running).reason).toBe('cancelled');
      }
    });

    it('keeps the first reason', async () => {
      const abort = new AbortController();
      const running = node('setInterval(() => {}, 1000)', { signal: abort.signal, timeoutMs: 200 });
      void running.then(() => abort.abort());
      expect((await running).reason).toBe('timeout');
    });

    it('keeps output up to the cap, and lets the program finish', async () => {
      const outcome = await node(`process.stdout.write('x'.repeat(1e6)); process.stderr.write('y'.repeat(10))`, {
        maxOutputBytes: 1_000,
      });
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(outcome.stdout).toMatchObject({ truncated: true, bytes: 1_000_000 });
      expect(outcome.stdout.text).toBe(`${'x'.repeat(1_000)}\n[output truncated]`);
      expect(outcome.stderr).toMatchObject({ truncated: false, text: 'y'.repeat(10) });
    });

    it('cuts no character in half', async () => {
      const outcome = await node(`process.stdout.write('漢'.repeat(1000))`, { maxOutputBytes: 100 });
      expect(outcome.stdout.text).toBe(`${'漢'.repeat(33)}\n[output truncated]`);
    });

    it('survives endless output in flat memory', async () => {
      const before = process.memoryUsage().rss;
      const outcome = await shell('yes', { timeoutMs: 700 });
      expect(outcome.reason).toBe('timeout');
      expect(outcome.stdout.bytes).toBeGreaterThan(1_000_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    });

    it('says why a program cannot be started', async () => {
      for (const program of [join(directory, 'nothing'), directory]) {
        expect(await run({ launch: { program } })).toMatchObject({ reason: 'not-started', exitCode: null });
      }
      expect(await node('1', { launch: { cwd: join(directory, 'nowhere') } })).toMatchObject({ reason: 'not-started' });
    });

    it('is not held up by a program that closes its pipes or leaves them to a child', async () => {
      expect(await shell('exec >&- 2>&-; sleep 0.1; exit 3')).toMatchObject({ reason: 'exit', exitCode: 3 });
      const outcome = await shell('echo done; sleep 300 &');
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(outcome.stdout.text).toBe('done\n');
    });

    it('leaves no descendant alive, not even one in a session of its own', async ({ skip }) => {
      skip(capabilities?.killsTree !== true, `the ${name} tier does not promise to end whole trees on this host`);
      const file = join(directory, 'pids');
      const code = `echo $$ >> ${file}; sleep 300 & echo $! >> ${file}; (setsid sh -c 'echo $$ >> ${file}; sleep 300' &) ; wait`;
      expect(await shell(code, { timeoutMs: 600 })).toMatchObject({ reason: 'timeout' });
      const pids = readFileSync(file, 'utf8').trim().split('\n').map(Number);
      expect(pids).toHaveLength(3);
      expect(pids.filter(isAlive)).toEqual([]);
    });

    it('leaves none when it is ended in its first milliseconds', async ({ skip }) => {
      skip(capabilities?.killsTree !== true, `the ${name} tier does not promise to end whole trees on this host`);
      const ids = Array.from({ length: 20 }, () => randomUUID());
      for (const [index, executionId] of ids.entries()) {
        await shell('sleep 300 & sleep 300', { timeoutMs: index % 10, launch: { executionId } });
      }
      expect(processesWith(ids)).toEqual([]);
    });
  });
}

function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  // A zombie is dead; its parent has not looked yet.
  return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

function processesWith(executionIds: readonly string[]): string[] {
  return executionIds.filter((id) => {
    const found = process
      .getBuiltinModule('node:child_process')
      .spawnSync('/bin/sh', ['-c', `grep -lsa -- "$0" /proc/[0-9]*/environ | grep -v /self/`, id], {
        encoding: 'utf8',
      });
    return found.stdout.trim() !== '';
  });
}
