import { describe, expect, it } from 'vitest';
import { DEFAULT_SANDBOX_LIMITS, type SandboxLaunch } from '../../spec/sandbox.ts';
import { bubblewrapCommand } from './command.ts';
import type { BubblewrapHost } from './host.ts';

const HOST: BubblewrapHost = {
  program: '/usr/bin/bwrap',
  version: '0.8.0',
  prlimit: '/usr/bin/prlimit',
  setpriv: '/usr/bin/setpriv',
  ownNumbers: true,
  system: { args: [], networkArgs: ['--ro-bind', '/etc/resolv.conf', '/etc/resolv.conf'], shown: ['/usr', '/bin'] },
  filter: Buffer.alloc(8),
  shell: { program: '/usr/bin/dash', cleaner: undefined, setsLimits: true },
  hidesInit: true,
  mark: '1:2:3',
  sizes: true,
  disablesUserNamespaces: true,
  covered: [],
  maxOpenFiles: Infinity,
  watches: true,
};
const LAUNCH: SandboxLaunch = {
  executionId: 'run-1',
  program: '/bin/sh',
  args: ['--ro-bind', 'x'],
  cwd: '/usr',
  env: { TOKEN: 'sesame' },
  skillDir: '/usr/bin',
  workspace: 'none',
  network: false,
  limits: DEFAULT_SANDBOX_LIMITS,
  channel: false,
};
const optionsOf = (host: BubblewrapHost, launch: SandboxLaunch): string[] =>
  String(bubblewrapCommand(host, launch).pipes[0]).split('\0');

describe.runIf(process.platform === 'linux')('bubblewrapCommand', () => {
  it('keeps the environment and the mounts out of the process list', () => {
    const { args } = bubblewrapCommand(HOST, LAUNCH);
    expect(args.join(' ')).not.toMatch(/sesame|TOKEN|--setenv/);
    expect(args.slice(0, 4)).toEqual(['--args', '4', '--', '/usr/bin/setpriv']);
    expect(args.slice(-3)).toEqual(['/bin/sh', '--ro-bind', 'x']);
    expect(optionsOf(HOST, LAUNCH)).toEqual(expect.arrayContaining(['--clearenv', 'TOKEN', 'sesame', 'run-1']));
  });

  it('shares the network only if it is granted', () => {
    expect(optionsOf(HOST, LAUNCH)).toContain('--unshare-net');
    expect(optionsOf(HOST, LAUNCH)).not.toContain('/etc/resolv.conf');
    const granted = optionsOf(HOST, { ...LAUNCH, network: true });
    expect(granted).not.toContain('--unshare-net');
    expect(granted).toContain('/etc/resolv.conf');
  });

  it('works without features that the host lacks', () => {
    const shell = { ...HOST.shell, setsLimits: false };
    const lacking = {
      shell,
      prlimit: undefined,
      setpriv: undefined,
      filter: undefined,
      sizes: false,
      hidesInit: false,
    };
    const poor = { ...HOST, ...lacking };
    const { args, pipes } = bubblewrapCommand(poor, LAUNCH);
    expect(args.slice(0, 5)).toEqual(['--args', '4', '--', '/usr/bin/dash', '-c']);
    expect(args.slice(6)).toEqual(['sandbox', '/bin/sh', '--ro-bind', 'x']);
    expect(pipes).toHaveLength(4);
    const options = optionsOf(poor, LAUNCH);
    expect(options).toContain('--unshare-user');
    expect(options).toContain('--disable-userns');
    for (const absent of ['--size', '--seccomp', '--cap-add', '/proc/1']) expect(options).not.toContain(absent);
  });

  it('raises the memory limit for a version of Node that reserves memory for code', () => {
    const gateOf = (program: string): string =>
      bubblewrapCommand(HOST, { ...LAUNCH, program }).args.find((arg) => arg.includes('ulimit')) ?? '';
    expect(gateOf('/bin/sh')).toContain('ulimit -d 1048576 ');
    const isReserving = Number.parseInt(process.versions.node, 10) > 22;
    expect(gateOf(process.execPath)).toContain(`ulimit -d ${isReserving ? 1_572_864 : 1_048_576} `);
  });

  it('limits files and descriptors if asked to', () => {
    const limits = { ...LAUNCH.limits, fileBytes: 5_120, openFiles: 64 };
    const shell = { ...HOST.shell, setsLimits: false };
    expect(bubblewrapCommand(HOST, { ...LAUNCH, limits }).args.join(' ')).toContain('ulimit -f 10 && ulimit -n 64 ');
    expect(bubblewrapCommand({ ...HOST, shell }, { ...LAUNCH, limits }).args).toEqual(
      expect.arrayContaining(['--fsize=5120', '--nofile=64']),
    );
    expect(bubblewrapCommand(HOST, LAUNCH).args.join(' ')).toContain('ulimit -n 4096');
    expect(bubblewrapCommand({ ...HOST, maxOpenFiles: 1_000 }, LAUNCH).args.join(' ')).toContain('ulimit -n 1000');
  });

  it('leaves limits to prlimit if the shell cannot set them', () => {
    const { args } = bubblewrapCommand({ ...HOST, shell: { ...HOST.shell, setsLimits: false } }, LAUNCH);
    expect(args.slice(3, 6)).toEqual(['/usr/bin/prlimit', '--core=0', '--data=1073741824']);
    expect(args.join(' ')).not.toContain('ulimit');
  });

  it('rejects NUL bytes, which could smuggle in options', () => {
    for (const change of [{ args: ['a\0b'] }, { env: { A: 'x\0--bind\0/\0/' } }, { env: { 'A\0B': '' } }])
      expect(() => bubblewrapCommand(HOST, { ...LAUNCH, ...change })).toThrow(
        expect.objectContaining({ code: 'LaunchFailed' }),
      );
    expect(() => bubblewrapCommand(HOST, { ...LAUNCH, cwd: '/usr\0/x' })).toThrow(/null bytes|NUL/);
  });

  it('accepts only absolute paths that exist', () => {
    for (const change of [{ cwd: 'usr' }, { program: 'sh' }, { skillDir: './x' }])
      expect(() => bubblewrapCommand(HOST, { ...LAUNCH, ...change })).toThrow(/must be an absolute path/);
    expect(() => bubblewrapCommand(HOST, { ...LAUNCH, skillCopy: '/nowhere' })).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
    expect(() => bubblewrapCommand(HOST, { ...LAUNCH, program: '/usr/bin' })).toThrow(/not a file/);
  });
});
