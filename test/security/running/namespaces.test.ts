import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import { createHandlerBench, valueOf } from '../../conformance/handlers/handler-setup.ts';
import {
  createBench,
  isAlive,
  isRoot,
  processesWith,
  stateOf,
  until,
} from '../../conformance/sandbox/sandbox-setup.ts';

const SOURCE = fileURLToPath(new URL('../../../packages/skillwright/src/', import.meta.url));
const USER = 12_345;
const newMarker = (): string => `86400.${process.hrtime.bigint()}`;

/** Everything that a program can find out about itself. */
const SELF = `
exec 2>&1
id; umask; ulimit -a; pwd; env | grep -v ^SKILL_ | sort; nice; tty
grep -E '^(Groups|NoNewPrivs|Seccomp|Shd.*|Sig.*|Cap.*|Cpus_allowed):' /proc/self/status | grep -v ^SigQ
read -r pid name state parent group session terminal rest < /proc/$$/stat
[ "$pid" = "$$" ] && [ "$group" = "$$" ] && [ "$session" = "$$" ] && echo "leads a session without terminal $terminal"
readlink /proc/self/ns/user /proc/self/ns/net /proc/self/ns/ipc /proc/self/ns/uts /proc/self/ns/cgroup
cat /proc/self/cgroup /proc/self/oom_score_adj
ls /proc/$$/fd
`;

describe('a run of the process tier in a PID namespace', () => {
  const inNamespace = createProcessSandbox();
  const plain = createProcessSandbox({ path: '/nowhere' });
  const bench = createBench('PID namespaces', inNamespace);
  const without = createBench('no PID namespaces', plain);
  beforeAll(() => Promise.all([bench.prepare(), without.prepare()]));
  afterAll(() => {
    bench.finish();
    without.finish();
  });

  it('is possible only with root and perl on Linux', async ({ skip }) => {
    skip(!isRoot || !existsSync('/usr/bin/perl'), 'it takes root and perl');
    skip(spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status !== 0, 'root may not do it here');
    expect(await inNamespace.probe()).toMatchObject({ capabilities: { killsTree: true } });
    expect(await plain.probe()).toMatchObject({
      capabilities: { killsTree: false },
      detail: expect.stringContaining('perl') as string,
    });
    const { stdout } = runHost(`console.log(JSON.stringify(await sandbox.probe()))`, { uid: USER, gid: USER });
    skip(stdout === '', 'another user cannot read this directory');
    expect(JSON.parse(stdout)).toMatchObject({
      capabilities: { killsTree: false },
      detail: expect.stringContaining('root') as string,
    });
  });

  it(
    'has the same user, groups, rights, limits, signals, descriptors, session and other namespaces as without one',
    bench.row(['killsTree'], async () => {
      for (const channel of [false, true]) {
        const launch = { cwd: '/usr', channel, env: { PATH: '/usr/bin:/bin', ODD: 'a=b\n c' } };
        const changes = { launch, maxChannelBytes: 10 };
        const [here, there] = [await bench.shell(SELF, changes), await without.shell(SELF, changes)];
        expect(here.stdout.text).toContain('leads a session');
        expect(here.stdout.text).toBe(there.stdout.text);
      }
    }),
  );

  it(
    'lets programs take the rights of their owner',
    bench.hostRow(['killsTree'], isRoot ? undefined : 'this takes root', async () => {
      const program = join(bench.skill, 'owned');
      copyFileSync('/usr/bin/id', program);
      chownSync(program, USER, USER);
      chmodSync(program, 0o6755);
      const outcome = await bench.run({ launch: { program, args: [] } });
      expect(outcome.stdout.text).toContain(`euid=${USER}`);
    }),
  );

  it(
    'sees a /proc with its own processes under their own numbers',
    bench.row(['killsTree'], async () => {
      const code = `const fs = require('fs');
      console.log(JSON.stringify([fs.readlinkSync('/proc/self') === String(process.pid), process.ppid,
        fs.readFileSync('/proc/1/comm', 'utf8').trim(), fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length]))`;
      expect(JSON.parse((await bench.node(code)).stdout.text)).toEqual([true, 1, 'skillwright', 2]);
    }),
  );

  it(
    'ends with the same signals and exit codes as without a namespace',
    bench.row(['killsTree'], async () => {
      for (const [code, exitCode, signal] of [
        ['kill -TERM $$', null, 'SIGTERM'],
        ['kill -HUP $$', null, 'SIGHUP'],
        ['kill -ABRT $$', null, 'SIGABRT'],
        ['exit 137', 137, null],
        ['exit 143', 143, null],
        ['sleep 9 & kill -TERM $!; wait $!', 143, null],
        [`trap 'exit 7' TERM; kill -TERM $$; sleep 9`, 7, null],
        [`trap 'exit 8' TERM; kill -TERM 0; sleep 9`, 8, null],
      ] as const)
        for (const each of [bench, without]) expect(await each.shell(code)).toMatchObject({ exitCode, signal });
    }),
  );

  it(
    'continues when it kills its parent and the first process of its namespace',
    bench.row(['killsTree'], async () => {
      const outcome = await bench.shell('kill -9 $PPID; kill -TERM 1; kill -9 1; sleep 0.1; echo through; exit 4');
      expect([outcome.exitCode, outcome.stdout.text]).toEqual([4, 'through\n']);
    }),
  );

  it(
    'receives a signal from outside',
    bench.row(['killsTree'], async () => {
      const marker = newMarker();
      const running = bench.shell(`trap 'echo heard; exit 3' TERM; echo ${marker}; while :; do sleep 0.05; done`);
      await until(() => processesWith(marker).length > 0, 'it was started');
      for (const pid of processesWith(marker)) process.kill(pid, 'SIGTERM');
      const outcome = await running;
      expect([outcome.exitCode, outcome.stdout.text]).toEqual([3, `${marker}\nheard\n`]);
    }),
  );

  it(
    'ends as a whole when either of its supervising processes is killed',
    bench.row(['killsTree'], async () => {
      for (const generations of [1, 2]) {
        const marker = newMarker();
        const running = bench.shell(`env -i setsid sleep ${marker} & exec sleep ${marker}1`);
        const found = (): number[] => processesWith(`sleep\0${marker}1`);
        await until(() => found().length > 0 && processesWith(`sleep\0${marker}`).length > 1, 'both were started');
        let pid = found()[0] ?? 0;
        for (let up = 0; up < generations; up += 1) pid = stateOf(pid)?.parent ?? 0;
        expect(readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('skillwright\n');
        process.kill(pid, 'SIGKILL');
        expect(await running).toMatchObject({ reason: 'exit', exitCode: null, signal: 'SIGKILL' });
        expect(processesWith(marker).filter(isAlive)).toEqual([]);
      }
    }),
  );

  it(
    'shows no mount of its own to the host, and keeps the mounts of its program',
    bench.row(['killsTree'], async () => {
      const code = `
        import { readFileSync } from 'node:fs';
        const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8');
        const before = mounts();
        const child = await sandbox.launch(launch({ program: '/bin/sh', args: ['-c', 'mount -t tmpfs none ${bench.workspace} && echo up; read line'] }));
        child.stderr.on('data', () => {});
        await new Promise((resolve) => child.stdout.on('data', resolve));
        const during = mounts();
        await child.kill();
        const added = (now) => now.split('\\n').filter((line) => !before.includes(line)).map((line) => line.split(' ')[4]);
        console.log(JSON.stringify([added(during), added(mounts())]));`;
      const { stdout, stderr } = runHost(code, { command: ['unshare', '--mount', '--propagation', 'shared', '--'] });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual([[bench.workspace], [bench.workspace]]);
    }),
  );

  it(
    'leaves nothing when its host is killed, at any moment',
    bench.row(['killsTree'], async () => {
      const markers: string[] = [];
      for (const moment of [0, 1, 2, 3, 5, 8, 12, 20]) {
        const marker = newMarker();
        markers.push(marker);
        const started = { program: '/bin/sh', args: ['-c', `env -i setsid sleep ${marker} & exec sleep ${marker}`] };
        const code = `await sandbox.probe();
          setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${moment});
          for (let count = 0; count < 3; count += 1) void sandbox.launch(launch(${JSON.stringify(started)}));`;
        expect(runHost(code).signal).toBe('SIGKILL');
      }
      const left = (): number[] => markers.flatMap((marker) => processesWith(marker)).filter(isAlive);
      await until(() => left().length === 0, 'nothing was left');
    }),
  );

  it(
    'ends processes that a handler started and hid when its worker is ended',
    bench.row(['killsTree'], async () => {
      const marker = newMarker();
      const handlers = createHandlerBench(inNamespace);
      handlers.write(
        'hide.mjs',
        `import { spawn } from 'node:child_process'; const options = { env: {}, detached: true, stdio: 'ignore' };
         const hide = () => spawn('/usr/bin/setsid', ['sleep', '${marker}'], options).unref();
         hide(); export default () => 1;`,
      );
      handlers.write(
        'hide.py',
        `import subprocess\ndef handler(args):\n    subprocess.Popen(['/usr/bin/setsid', 'sleep', '${marker}'], env={}, start_new_session=True)\n    return 1\n`,
      );
      for (const file of ['hide.mjs', 'hide.py']) expect(valueOf(await handlers.call(file))).toBe(1);
      await until(() => processesWith(`sleep\0${marker}`).length === 2, 'both were started');
      await handlers.pool.close();
      expect(processesWith(marker).filter(isAlive)).toEqual([]);
    }),
  );

  function runHost(
    code: string,
    options: { readonly uid?: number; readonly gid?: number; readonly command?: readonly [string, ...string[]] } = {},
  ): { stdout: string; stderr: string; signal: string | null } {
    const { command: [file, ...before] = ['env'], ...user } = options;
    const program = `
      import { createProcessSandbox } from ${JSON.stringify(`${SOURCE}process/plain/sandbox.ts`)};
      const sandbox = createProcessSandbox();
      const launch = (changes) => ({ ...${JSON.stringify(bench.launchOf({}))}, ...changes });
      ${code}`;
    const args = [...before, process.execPath, '--no-warnings', '--input-type=module', '-e', program];
    return spawnSync(file, args, { encoding: 'utf8', timeout: 25_000, cwd: '/', ...user });
  }
});
