import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import {
  createBench,
  isAlive,
  onLinux,
  processesWith,
  until,
  type SandboxBench,
} from '../../conformance/sandbox/sandbox-setup.ts';
import { proves } from '../../proves.ts';

const source = (path: string): string =>
  fileURLToPath(new URL(`../../../packages/skillwright/src/${path}`, import.meta.url));
const TIERS = ['process', 'bubblewrap'] as const;
const sandboxes = { process: createProcessSandbox(), bubblewrap: createBubblewrapSandbox() };

describe.each(TIERS)('hazards of running, in the %s tier', (name) => {
  const sandbox = sandboxes[name];
  const bench = createBench(`hazards of running, ${name}`, sandbox);
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());

  it(
    'a grandchild in its own session does not outlive its run',
    bench.hostRow([], onLinux, async () => {
      expect(await survivorsOf(bench, (marker) => `(setsid sleep ${marker} &)`)).toEqual([]);
    }),
  );

  it(
    'a grandchild that also clears its environment does not outlive its run',
    bench.row(['killsTree'], async () => {
      proves('S1.11.sandbox');
      expect(await survivorsOf(bench, (marker) => `(env -i setsid sleep ${marker} &)`)).toEqual([]);
    }),
  );

  it(
    'no orphan keeps a pipe open when a run is ended in its first milliseconds',
    bench.hostRow([], onLinux, async () => {
      for (let timeoutMs = 0; timeoutMs < 20; timeoutMs += 1) {
        // The run would wait for the pipes to close.
        expect((await bench.shell('sleep 86400 & sleep 86400', { timeoutMs })).reason).toBe('timeout');
      }
    }),
  );

  it(
    'a program that prints more than the limit succeeds with truncated output',
    bench.row([], async () => {
      const outcome = await bench.shell('head -c 5000000 /dev/zero; exit 0', { maxOutputBytes: 100 });
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0, stdout: { truncated: true, bytes: 5_000_000 } });
    }),
  );

  it(
    'a finished run leaves no timer, listener or pipe',
    bench.row([], async () => {
      const abort = new AbortController();
      await bench.shell('true');
      const held = (): number =>
        process.getActiveResourcesInfo().filter((kind) => /^(?:PipeWrap|ProcessWrap|Timeout)$/.test(kind)).length;
      await pause(100);
      const before = held();
      for (const code of ['true', 'exit 3', 'kill -9 $$', 'sleep 300']) {
        await bench.shell(code, { timeoutMs: code === 'sleep 300' ? 50 : 20_000, signal: abort.signal });
      }
      await until(() => held() <= before, 'everything was closed');
      expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    }),
  );

  it(
    'a descriptor that the host inherited is not passed on',
    bench.row([], async () => {
      const { stdout, stderr } = runHost(
        `const found = await run({ args: ['-e', \`
         const fs = require('fs');
         console.log(fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }).join())\`] });
       process.stdout.write(found)`,
        name,
        bench,
        `exec 60<'${bench.secret}' 200<'${bench.secret}'`,
      );
      expect(stderr).toBe('');
      expect(stdout).toMatch(/socket|pipe/);
      expect(stdout).not.toContain('key.txt');
    }),
  );

  it(
    'a waiting worker neither keeps the host alive nor outlives it',
    bench.row([], async () => {
      const marker = `86400.${process.hrtime.bigint()}`;
      const code = `const child = await sandbox.launch(launch({ program: '/bin/sh', args: ['-c', 'echo up; read line; exec true ${marker}'] }));
      await new Promise((resolve) => child.stdout.on('data', resolve));
      child.stderr.on('data', () => {});
      child.keepAlive(false);
      console.log('let go')`;
      const host = runHost(code, name, bench, 'true');
      expect([host.stdout, host.status]).toEqual(['let go\n', 0]);
      await until(() => processesWith(marker).filter(isAlive).length === 0, 'the worker ended');
    }),
  );
});

describe('hazards of running, in the bubblewrap tier alone', () => {
  const bench = createBench('hazards of bubblewrap', sandboxes.bubblewrap);
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());

  it(
    'nothing remains when the host itself is killed',
    bench.row(['killsTree'], async () => {
      const marker = `86400.${process.hrtime.bigint()}`;
      const code = `const child = await sandbox.launch(launch({ program: '/bin/sh', args: ['-c', 'env -i setsid sleep ${marker} & echo up; sleep ${marker}'] }));
      await new Promise((resolve) => child.stdout.on('data', resolve));
      process.kill(process.pid, 'SIGKILL')`;
      expect(runHost(code, 'bubblewrap', bench, 'true').signal).toBe('SIGKILL');
      await until(() => processesWith(marker).filter(isAlive).length === 0, 'nothing was left');
    }),
  );

  it(
    'a program has only its own descriptors, not the one that held it back at its start',
    bench.row([], async () => {
      const code = 'find /proc/$$/fd -lname "socket:*" | sort';
      for (const channel of [false, true]) {
        const { stdout } = await bench.shell(code, { launch: { channel }, maxChannelBytes: 10 });
        const found = stdout.text
          .trim()
          .split('\n')
          .map((path) => path.split('/').at(-1));
        expect(found).toEqual(channel ? ['0', '1', '2', '3'] : ['0', '1', '2']);
      }
    }),
  );

  it(
    'Node starts under a memory limit far below its reserved memory',
    bench.row(['boundsMemory'], async () => {
      const limits = { memoryBytes: 128 * 2 ** 20, processes: 64, diskBytes: 2 ** 20 };
      expect((await bench.node('console.log(1)', { launch: { limits } })).stdout.text).toBe('1\n');
    }),
  );

  it(
    "bubblewrap itself ignores the program's environment",
    bench.row(['hidesFiles'], async () => {
      const env = {
        PATH: '/usr/bin:/bin',
        LD_PRELOAD: `${bench.skill}/evil.so`,
        LD_LIBRARY_PATH: bench.skill,
        LD_DEBUG: 'files',
      };
      const outcome = await bench.shell('env', { launch: { env } });
      expect(outcome.stderr.text).toBe('');
      expect(outcome.stdout.text).not.toContain('LD_');
    }),
  );

  it('a missing bubblewrap is reported with instructions to install it', async () => {
    mkdirSync(`${bench.root}/empty-path`);
    writeFileSync(`${bench.root}/empty-path/bwrap`, '#!/bin/sh\necho something else\n', { mode: 0o755 });
    const other = await createBubblewrapSandbox({ path: `${bench.root}/empty-path` }).probe();
    const none = await createBubblewrapSandbox({ path: '/nowhere:relative' }).probe();
    for (const probe of [other, none]) {
      expect(probe).toMatchObject({ available: false });
      expect(probe.available ? '' : probe.remedy).toMatch(/Install|Use/);
    }
    await expect(createBubblewrapSandbox({ path: '/nowhere' }).launch(bench.launchOf({}))).rejects.toMatchObject({
      code: 'LaunchFailed',
    });
  });
});

async function survivorsOf(bench: SandboxBench, start: (marker: string) => string): Promise<number[]> {
  const marker = `86400.${process.hrtime.bigint()}`;
  const abort = new AbortController();
  const running = bench.shell(`${start(marker)}; sleep 300`, { signal: abort.signal });
  await until(() => processesWith(`sleep\0${marker}`).length > 0, 'it was started');
  abort.abort();
  await running;
  return processesWith(marker).filter(isAlive);
}

/** Runs a line of shell and then, in a separate host process, code that can use `sandbox`, `launch` and `run`. */
function runHost(
  code: string,
  tier: (typeof TIERS)[number],
  bench: SandboxBench,
  before: string,
): SpawnSyncReturns<string> {
  const create = tier === 'process' ? 'createProcessSandbox' : 'createBubblewrapSandbox';
  const program = `
    import { ${create} } from ${JSON.stringify(source(`process/${tier === 'process' ? 'plain' : tier}/sandbox.ts`))};
    import { runProgram } from ${JSON.stringify(source('run/scripts/run-program.ts'))};
    const sandbox = ${create}();
    const launch = (changes) => ({ ...${JSON.stringify(bench.launchOf({ workspace: 'none' }))}, ...changes });
    const run = async (changes) => (await runProgram(sandbox, { launch: launch(changes), timeoutMs: 20000, maxOutputBytes: 20480 })).stdout.text;
    ${code}`;
  return spawnSync(
    'bash',
    ['-c', `${before}; exec "$0" --no-warnings --input-type=module -e "$1"`, process.execPath, program],
    {
      encoding: 'utf8',
      timeout: 25_000,
    },
  );
}
