import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { DEFAULT_SANDBOX_LIMITS, type SandboxLaunch } from '../../spec/sandbox.ts';
import { createCommand, type ContainerCommand } from './command.ts';
import type { ContainerEngine } from './engine.ts';
import { planContainerMounts } from './mounts.ts';
import { containerSettings, type ContainerOptions } from './options.ts';
import { containerLabels, containerName } from './orphans.ts';

const ENGINE: ContainerEngine = {
  name: 'docker',
  program: '/usr/bin/docker',
  version: '28',
  rootless: false,
  boundsMemory: true,
  boundsProcesses: true,
  boundsProcessors: true,
  env: {},
  call: () => Promise.resolve({ ok: true, stdout: '', late: false, complaint: '' }),
};
const IMAGE = { name: 'node:22-alpine', id: 'sha256:abc', variables: ['NODE_VERSION', 'PATH'] };

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-container-test-')));
  for (const name of ['skill', 'work', 'work/inner', 'work/inner/skill', 'work,odd']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'skill', 'run'), '');
  chmodSync(join(root, 'skill', 'run'), 0o755);
  writeFileSync(join(root, 'skill', 'data'), '');
  symlinkSync(join(root, 'skill'), join(root, 'named'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function launchOf(launch: Partial<SandboxLaunch>): SandboxLaunch {
  return {
    executionId: 'run-1',
    program: '/usr/bin/node',
    args: ['x.mjs'],
    cwd: join(root, 'work'),
    env: {},
    skillDir: join(root, 'skill'),
    workspace: 'none',
    network: false,
    limits: DEFAULT_SANDBOX_LIMITS,
    channel: false,
    ...launch,
  };
}

function commandOf(
  change: Partial<SandboxLaunch> = {},
  options: ContainerOptions = {},
  engine: Partial<ContainerEngine> = {},
): ContainerCommand {
  const launch = launchOf(change);
  return createCommand({ ...ENGINE, ...engine }, containerSettings(options), launch, {
    name: 'skillwright-run-1',
    labels: containerLabels('mark', 'run-1'),
    image: IMAGE,
    mounts: planContainerMounts(launch),
    user: { uid: 65_534, gid: 65_534 },
    syscallProfile: '/profile.json',
    shared: undefined,
    command: ['/usr/local/bin/node', 'x.mjs'],
  });
}

/** The values of an option, in order. */
function valuesOf({ args }: ContainerCommand, option: string): string[] {
  return args.flatMap((arg, index) => (arg === option ? [args[index + 1] ?? ''] : []));
}

describe('createCommand', () => {
  it('removes every privilege that the program does not need', () => {
    proves('S4.sandbox.flags', 'S4.sandbox.readonly', 'S4.sandbox.network');
    const command = commandOf();
    expect(command.args).toEqual(expect.arrayContaining(['--rm', '--read-only', '--init', '--interactive']));
    expect(valuesOf(command, '--network')).toEqual(['none']);
    expect(valuesOf(command, '--cap-drop')).toEqual(['ALL']);
    expect(valuesOf(command, '--security-opt')).toEqual(['no-new-privileges', 'seccomp=/profile.json']);
    expect(valuesOf(command, '--pids-limit')).toEqual(['100']);
    expect(valuesOf(command, '--user')).toEqual(['65534:65534']);
    expect(valuesOf(command, '--pull')).toEqual(['never']);
    expect(command.args.slice(-2)).toEqual(['sha256:abc', 'x.mjs']);
    expect(valuesOf(command, '--entrypoint')).toEqual(['/usr/local/bin/node']);
  });

  it("gives half a processor and 256 MB, or the configured amount, but never more than the run's limit", () => {
    proves('S4.sandbox.memory');
    const memory = 256 * 1024 ** 2;
    const bound = ['--cpus', '--memory', '--memory-swap'] as const;
    expect(bound.map((name) => valuesOf(commandOf(), name)[0])).toEqual(['0.5', `${memory}`, `${memory}`]);
    const other = commandOf({}, { memory: 2 * memory, cpus: 2 });
    expect(bound.map((name) => valuesOf(other, name)[0])).toEqual(['2', `${2 * memory}`, `${2 * memory}`]);
    const small = commandOf({ limits: { memoryBytes: 10_000_000, processes: 7, diskBytes: 1_000 } });
    expect([valuesOf(small, '--memory'), valuesOf(small, '--pids-limit')]).toEqual([['10000000'], ['7']]);
    expect(valuesOf(small, '--ulimit')).toEqual(['fsize=1000:1000', 'core=0:0', 'nofile=4096:4096']);
  });

  it('leaves out limits that the engine would refuse because it cannot enforce them here', () => {
    const none = { boundsMemory: false, boundsProcesses: false, boundsProcessors: false };
    const { args } = commandOf({}, {}, none);
    for (const option of ['--cpus', '--memory', '--memory-swap', '--pids-limit']) expect(args).not.toContain(option);
  });

  it('mounts a temporary directory of 64 MB that everyone may write and nothing can be executed from', () => {
    proves('S4.sandbox.tmpfs-tmp');
    const options = 'rw,noexec,nosuid,size=67108864,mode=1777';
    expect(valuesOf(commandOf(), '--tmpfs')).toEqual([
      `/tmp:${options}`,
      `/workspace:${options}`,
      `${join(root, 'work')}:${options}`,
    ]);
  });

  it('mounts the skill read-only and the granted workspace, also as /workspace', () => {
    const binds = (workspace: SandboxLaunch['workspace']): string[] => valuesOf(commandOf({ workspace }), '--mount');
    const skill = `type=bind,src=${root}/skill,dst=${root}/skill,readonly`;
    const work = `type=bind,src=${root}/work,dst=${root}/work`;
    expect(binds('none')).toEqual([skill]);
    expect(binds('read')).toEqual([`${work},readonly`, `type=bind,src=${root}/work,dst=/workspace,readonly`, skill]);
    expect(binds('write')).toEqual([work, `type=bind,src=${root}/work,dst=/workspace`, skill]);
  });

  it('does not let a comma in a path start another option', () => {
    const [first] = valuesOf(commandOf({ cwd: join(root, 'work,odd'), workspace: 'write' }), '--mount');
    expect(first).toBe(`type=bind,"src=${root}/work,odd","dst=${root}/work,odd"`);
  });

  it('pins the directories between a writable workspace and a skill inside it, and does not also mount the workspace as /workspace', () => {
    const skillDir = join(root, 'work', 'inner', 'skill');
    const launch = launchOf({ skillDir, workspace: 'write' });
    const { binds, held } = planContainerMounts(launch);
    expect(binds.map(({ path, writable }) => [path, writable])).toEqual([
      [join(root, 'work'), true],
      [join(root, 'work', 'inner'), true],
      [skillDir, false],
    ]);
    expect(held).toEqual([join(root, 'work', 'inner'), skillDir]);
    expect(planContainerMounts({ ...launch, skillCopy: join(root, 'skill') }).held).toEqual([
      join(root, 'work', 'inner'),
    ]);
  });

  it("keeps values out of the process list, except of variables that the engine's CLI would read itself", () => {
    const command = commandOf({ env: { TOKEN: 's3cret', PATH: '/bin', DOCKER_HOST: 'tcp://evil', ODD: 'a\nb' } });
    expect(command.args.join(' ')).not.toContain('s3cret');
    expect(command.env).toEqual({ TOKEN: 's3cret', ODD: 'a\nb', SKILL_EXECUTION_ID: 'run-1' });
    expect(valuesOf(command, '--env')).toEqual(
      expect.arrayContaining(['TOKEN', 'ODD', 'PATH=/bin', 'DOCKER_HOST=tcp://evil', 'HOME=/tmp', 'TMPDIR=/tmp']),
    );
  });

  it('removes what the image and the engine would add to the environment', () => {
    expect(valuesOf(commandOf(), '--env')).toEqual(expect.arrayContaining(['NODE_VERSION', 'PATH', 'HOSTNAME']));
    expect(valuesOf(commandOf({}, {}, { name: 'podman' }), '--unsetenv')).toContain('NODE_VERSION');
  });

  it("grants the engine's network only to programs that were granted one", () => {
    expect(valuesOf(commandOf({ network: true }), '--network')).toEqual(['bridge']);
    expect(valuesOf(commandOf({ network: true }, { network: 'skills' }), '--network')).toEqual(['skills']);
  });

  it('keeps user ids if the engine runs without root', () => {
    expect(valuesOf(commandOf({}, {}, { name: 'podman', rootless: true }), '--userns')).toEqual(['keep-id']);
    expect(valuesOf(commandOf(), '--userns')).toEqual([]);
  });
});

describe('a program in a container', () => {
  it.each([
    ['/usr/bin/node', 'node'],
    ['/opt/somewhere/bin/nodejs', 'node'],
    ['/home/u/.pyenv/versions/3.11.7/bin/python3.11', 'python3'],
    ['/usr/bin/python', 'python3'],
    ['/bin/bash', 'bash'],
  ])("replaces %s by the image's own %s", (program, name) => {
    expect(planContainerMounts(launchOf({ program })).program).toEqual({ name });
  });

  it("runs the skill's file itself if it is a program", () => {
    const program = join(root, 'skill', 'run');
    expect(planContainerMounts(launchOf({ program })).program).toEqual({ path: program });
    expect(() => planContainerMounts(launchOf({ program: join(root, 'skill') }))).toThrow('it is not a file');
    expect(() => planContainerMounts(launchOf({ program: join(root, 'skill', 'data') }))).toThrow('EACCES');
    expect(() => planContainerMounts(launchOf({ program: 'node' }))).toThrow('must be an absolute path');
  });

  it('also finds the skill at the path in SKILL_DIR', () => {
    const { binds } = planContainerMounts(launchOf({ env: { SKILL_DIR: join(root, 'named') } }));
    expect(binds.map(({ source, path }) => [source, path])).toContainEqual([join(root, 'skill'), join(root, 'named')]);
  });

  it.each(['/', '/usr', '/etc', '/usr/bin', '/proc/self'])('cannot use %s as its workspace', (cwd) => {
    expect(() => planContainerMounts(launchOf({ cwd, workspace: 'write' }))).toThrow(
      /belongs to the system|would hide/,
    );
  });
});

describe('containerName', () => {
  it('is the same for the same run of the same host, and different for any other', () => {
    const name = containerName('host', 'run-1');
    expect(name).toMatch(/^skillwright-run-1-[0-9a-f]{12}$/);
    expect(containerName('host', 'run-1')).toBe(name);
    expect(containerName('other', 'run-1')).not.toBe(name);
    for (const id of ['a b', '../x', '-x', 'ü', '', 'x'.repeat(300), '--rm'])
      expect(containerName('host', id)).toMatch(/^skillwright-[\w.-]{1,64}-[0-9a-f]{12}$/);
  });
});
