import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { hostMark } from '../../packages/skillwright/src/process/bubblewrap/orphans.ts';
import { findContainerEngine, type ContainerEngine } from '../../packages/skillwright/src/process/container/engine.ts';
import { containerLabels } from '../../packages/skillwright/src/process/container/orphans.ts';
import type { SandboxLaunch, SandboxProcess } from '../../packages/skillwright/src/spec/sandbox.ts';
import { createTestContainers, TEST_IMAGE } from '../conformance/sandbox/container-test-sandbox.ts';
import { createBench, isAlive, processesWith, until } from '../conformance/sandbox/sandbox-setup.ts';
import { proves } from '../proves.ts';

const SANDBOX = fileURLToPath(new URL('../../packages/skillwright/src/process/container/sandbox.ts', import.meta.url));
const FOREVER = ['-c', 'sleep 86400'];

describe('containers', () => {
  const sandbox = createTestContainers();
  const bench = createBench('container lifecycle', sandbox);
  let engine: ContainerEngine | undefined;

  beforeAll(async () => {
    await bench.prepare();
    const found = await findContainerEngine(undefined, { PATH: process.env['PATH'] ?? '' });
    engine = found.ok ? found.engine : undefined;
  });
  afterAll(() => bench.finish());

  const needsTier = async ({ skip }: TestContext): Promise<void> => {
    const probe = await sandbox.probe();
    if (!probe.available) skip(`the container tier is not available here: ${probe.reason}`);
  };
  /** The names of the containers with a label. */
  const named = (label: string): string[] => {
    const args = ['ps', '--all', '--filter', `label=${label}`, '--format', '{{.Names}}'];
    return execFileSync(engine?.program ?? '', args, { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  };
  const launch = async (change: Partial<SandboxLaunch> = {}): Promise<SandboxProcess> => {
    const child = await sandbox.launch(bench.launchOf({ program: '/bin/sh', args: FOREVER, ...change }));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', () => {});
    return child;
  };

  it('get a signal before they are killed', async (context) => {
    proves('S4.sandbox.timeout');
    await needsTier(context);
    const polite = `trap 'echo asked; exit 3' TERM; echo begun; while :; do sleep 0.1; done`;
    const outcome = await bench.shell(polite, { timeoutMs: 2_500 });
    expect(outcome).toMatchObject({ reason: 'timeout', exitCode: 3, stdout: { text: 'begun\nasked\n' } });
    const stubborn = `trap 'echo asked' TERM; while :; do sleep 0.1; done`;
    const ended = await bench.shell(stubborn, { timeoutMs: 2_500 });
    expect(ended).toMatchObject({ reason: 'timeout', signal: 'SIGKILL', stdout: { text: 'asked\n' } });
  });

  it('are ended by the id of their run, and all together', async (context) => {
    proves('S4.sandbox.kill');
    await needsTier(context);
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const children = await Promise.all(ids.map((executionId) => launch({ executionId })));
    const running = (): number => ids.flatMap((id) => named(`skillwright.execution=${id}`)).length;
    expect(running()).toBe(3);
    expect(await sandbox.kill(ids[0] ?? '')).toBe(true);
    expect(await sandbox.kill('nobody')).toBe(false);
    expect(running()).toBe(2);
    expect(await sandbox.killAll()).toBe(2);
    expect(running()).toBe(0);
    await Promise.all(children.map(({ exited }) => exited));
    expect(await sandbox.killAll()).toBe(0);
  });

  it('leave no file, process or descriptor of the host behind', async (context) => {
    await needsTier(context);
    // A separate directory, because other tests start and end containers meanwhile.
    const place = mkdtempSync(join(tmpdir(), 'skillwright-left-behind-'));
    vi.stubEnv('TMPDIR', place);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(place, { recursive: true, force: true });
    });
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    await bench.shell('true', { launch: { channel: true } });
    const before = descriptors();
    const id = randomUUID();
    await bench.shell('true', { launch: { channel: true, executionId: id } });
    await bench.run({ launch: { program: join(bench.root, 'nothing') } });
    expect(readdirSync(place)).toEqual([]);
    expect(descriptors()).toBeLessThanOrEqual(before);
    expect(processesWith(id).filter(isAlive)).toEqual([]);
  });

  it('end with a host that is killed, at any moment', async (context) => {
    await needsTier(context);
    for (const moment of [0, 50, 150, 300, 800]) {
      const executionId = `killed-${process.hrtime.bigint()}`;
      const options = { image: TEST_IMAGE, images: [TEST_IMAGE] };
      const asked = bench.launchOf({ executionId, program: '/bin/sh', args: FOREVER, workspace: 'none' });
      const code = `
        import { createContainerSandbox } from ${JSON.stringify(SANDBOX)};
        const sandbox = createContainerSandbox(${JSON.stringify(options)});
        if (!(await sandbox.probe()).available) process.exit(3);
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${moment});
        await sandbox.launch(${JSON.stringify(asked)});`;
      const host = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', code], { stdio: 'ignore' });
      expect(await once(host, 'exit')).toEqual([null, 'SIGKILL']);
      const left = (): boolean =>
        named(`skillwright.execution=${executionId}`).length > 0 || processesWith(executionId).some(isAlive);
      await until(() => !left(), `nothing was left of a host killed after ${moment} ms`);
    }
  });

  it('are removed by the next host if their own host is gone, and are otherwise kept', async (context) => {
    await needsTier(context);
    const [namespace] = hostMark().split(':');
    const marks = { orphan: `${namespace}:4194305:1`, own: hostMark() };
    const make = (mark: string, id: string): void => {
      const labels = Object.entries(containerLabels(mark, id)).flatMap(([key, value]) => [
        '--label',
        `${key}=${value}`,
      ]);
      execFileSync(engine?.program ?? '', ['create', ...labels, TEST_IMAGE, 'true'], { stdio: 'ignore' });
    };
    const ids = { orphan: randomUUID(), own: randomUUID() };
    for (const name of ['orphan', 'own'] as const) make(marks[name], ids[name]);
    const other = createTestContainers();
    await other.probe();
    expect(named(`skillwright.execution=${ids.orphan}`)).toEqual([]);
    expect(named(`skillwright.execution=${ids.own}`)).toHaveLength(1);
    expect(await other.killAll()).toBe(1);
    expect(named(`skillwright.execution=${ids.own}`)).toEqual([]);
  });

  it('run nothing of a skill whose directory is replaced by a link at the moment of its start', async (context) => {
    await needsTier(context);
    const skillDir = join(bench.workspace, 'skills', 'swapped');
    mkdirSync(skillDir, { recursive: true });
    writeFileSync(join(skillDir, 'SKILL.md'), 'the skill\n');
    const outcomes: string[] = [];
    for (const moment of [0, 20, 60, 120]) {
      const running = bench.shell(`cat ${skillDir}/*`, { launch: { skillDir } });
      await pause(moment);
      renameSync(skillDir, `${skillDir}.away`);
      symlinkSync(join(bench.root, 'secret'), skillDir);
      const { stdout, stderr } = await running;
      outcomes.push(stdout.text + stderr.text);
      execFileSync('rm', [skillDir]);
      renameSync(`${skillDir}.away`, skillDir);
    }
    expect(outcomes.join('')).not.toContain('top secret');
    expect(outcomes.join('')).toContain('was changed while the container was being created');
    expect(readFileSync(join(skillDir, 'SKILL.md'), 'utf8')).toBe('the skill\n');
  });

  it('never share a name with another run, and report a conflict', async (context) => {
    await needsTier(context);
    const executionId = randomUUID();
    const first = await launch({ executionId });
    await expect(launch({ executionId })).rejects.toMatchObject({ code: 'LaunchFailed' });
    // The second start must not have ended the first.
    expect(named(`skillwright.execution=${executionId}`)).toHaveLength(1);
    await first.kill();
  });
});
