import { basename, dirname, join } from 'node:path';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SandboxLaunch } from '../../spec/sandbox.ts';
import { gateCommand, type GateLimits } from './start-shell.ts';
import type { BubblewrapHost } from './host.ts';
import { identityFiles, identityFor, type Identity, showReadOnly } from './system.ts';
import { reservesMemory } from './interpreter.ts';
import { planMounts, PRIVATE_DIRECTORY } from './mounts.ts';
import { otherRuntime } from '../node-version.ts';
import { EXECUTION_ID_VARIABLE } from '../process-tree.ts';
import { EGRESS_DIRECTORY, launcherCommand } from '../sandbox-launcher.ts';

/** A bubblewrap command. Private values go through pipes, so they do not appear in the process list. */
export interface BubblewrapCommand {
  readonly args: readonly string[];
  /** The input of descriptors 4 and up; `null` for a descriptor that is used in both directions. */
  readonly pipes: readonly (string | Buffer | null)[];
  /** Paths that must lead to the same files inside the sandbox and outside; checked before the program starts. */
  readonly held: readonly string[];
  /** Temporary directories, by their path inside the sandbox. */
  readonly temporary: readonly string[];
}

const OPTIONS = 4;
const GATE = 5;
const PASSWD = 6;
const GROUP = 7;
const FILTER = 8;

/** The address space that V8 reserves for code when Node starts. All of it counts as memory. */
const NODE_RESERVE_BYTES = 536_870_912;
/** The default limit of open files for each process. */
const MAX_OPEN_FILES = 4_096;
/**
 * Variables that make a program load other code. The programs that prepare a run must not get them, because some run as
 * root.
 */
const LOADER_VARIABLE = /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH)$/;
/**
 * `--die-with-parent` ends the sandbox when the host ends. Do not add `--json-status-fd`: if the host is gone,
 * bubblewrap ends as it writes to that descriptor, and leaves its second process waiting forever.
 */
const ALWAYS = [
  ...['pid', 'ipc', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`),
  '--hostname',
  'sandbox',
  '--die-with-parent',
];
/**
 * Hides `/proc/1`, the sandbox's first process. It may run as the program's user, so the program could otherwise write
 * to its memory.
 */
const HIDDEN_INIT = ['--tmpfs', '/proc/1', '--remount-ro', '/proc/1'];
/**
 * If this process is root, bubblewrap makes the mounts as root, and the program's user is changed afterward. Changing
 * the user needs these options.
 */
const ROOT_OPTIONS = [
  '--cap-drop',
  'ALL',
  ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]),
];

/** The command for a launch. Throws a system error or a coded error if the launch is impossible. */
export function bubblewrapCommand(host: BubblewrapHost, launch: SandboxLaunch): BubblewrapCommand {
  const { limits } = launch;
  const size = host.sizes ? ['--size', String(limits.diskBytes)] : [];
  const plan = planMounts(launch, host.system.shown, size);
  const identity = identityOf(host, plan.writable);
  const files = identityFiles(identity, PRIVATE_DIRECTORY);
  const bounds = limitsOf(host, launch, identity);
  const options = [
    ...isolation(host, launch.network),
    ...host.system.args,
    ...(launch.network || launch.egress !== undefined ? host.system.networkArgs : []),
    '--proc',
    '/proc',
    ...(host.hidesInit ? HIDDEN_INIT : []),
    '--dev',
    '/dev',
    // /dev/full replaces /dev/zero: it reads the same but cannot be mapped. Shared mappings of /dev/zero would use
    // memory that no file counts.
    '--dev-bind',
    '/dev/full',
    '/dev/zero',
    ...plan.args,
    ...dataFile(PASSWD, '/etc/passwd'),
    ...dataFile(GROUP, '/etc/group'),
    ...(launch.egress === undefined ? [] : showReadOnly(EGRESS_DIRECTORY, dirname(launch.egress.socket))),
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    plan.workDir,
    ...environment(launch),
  ];
  assertNoNul([...options, launch.program, ...launch.args]);
  return {
    args: [
      '--args',
      String(OPTIONS),
      '--',
      ...limitCommand(host, bounds),
      ...userCommand(host, identity),
      ...gateCommand(host.shell, GATE, launch.env, host.shell.setsLimits ? bounds : undefined),
      ...programCommand(launch),
    ],
    pipes: [
      options.map((option) => `${option}\0`).join(''),
      null,
      files.passwd,
      files.group,
      ...(host.filter === undefined ? [] : [host.filter]),
    ],
    held: plan.held,
    temporary: plan.temporary,
  };
}

function identityOf(host: BubblewrapHost, writable: string | undefined): Identity {
  if (host.setpriv !== undefined) return identityFor(writable, host.ownNumbers);
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, threads: 0 };
}

/** The program's command, with the proxy launcher before it if needed. */
function programCommand(launch: SandboxLaunch): readonly string[] {
  const command = [launch.program, ...launch.args];
  if (launch.egress === undefined) return command;
  const runtime = otherRuntime();
  if (runtime !== undefined) {
    const message = `The option 'sandbox.egress' needs Node in the bubblewrap tier, and this program runs in ${runtime}.`;
    throw new SkillwrightError('LaunchFailed', `${message} Run it with Node, or use the container tier.`);
  }
  const egress = join(EGRESS_DIRECTORY, basename(launch.egress.socket));
  const task = { egress, ...(launch.channel ? { channel: 'inherited' } : {}) };
  return launcherCommand(process.execPath, 'javascript', task, command);
}

function isolation(host: BubblewrapHost, network: boolean): string[] {
  return [
    ...ALWAYS,
    ...(network ? [] : ['--unshare-net']),
    ...(host.setpriv !== undefined
      ? ROOT_OPTIONS
      : ['--unshare-user', ...(host.disablesUserNamespaces ? ['--disable-userns'] : [])]),
    ...(host.filter === undefined ? [] : ['--seccomp', String(FILTER)]),
  ];
}

function environment(launch: SandboxLaunch): string[] {
  const given = Object.entries(launch.env).filter(([name]) => /^[^=]+$/.test(name) && !LOADER_VARIABLE.test(name));
  const own = { [EXECUTION_ID_VARIABLE]: launch.executionId, HOME: PRIVATE_DIRECTORY, TMPDIR: PRIVATE_DIRECTORY };
  return ['--clearenv', ...[...given, ...Object.entries(own)].flatMap(([name, value]) => ['--setenv', name, value])];
}

function limitsOf(
  { maxOpenFiles }: BubblewrapHost,
  { limits, program, egress }: SandboxLaunch,
  identity: Identity,
): GateLimits {
  const hasReserve = reservesMemory(program) || (egress !== undefined && reservesMemory(process.execPath));
  return {
    dataBytes: limits.memoryBytes + (hasReserve ? NODE_RESERVE_BYTES : 0),
    processes: limits.processes + identity.threads,
    fileBytes: Math.min(limits.fileBytes ?? Infinity, limits.diskBytes),
    openFiles: limits.openFiles ?? Math.min(MAX_OPEN_FILES, maxOpenFiles),
  };
}

/** The command that sets limits, for a shell that cannot set them itself. */
function limitCommand(host: BubblewrapHost, { dataBytes, processes, fileBytes, openFiles }: GateLimits): string[] {
  if (host.prlimit === undefined || host.shell.setsLimits) return [];
  const open = openFiles === undefined ? [] : [`--nofile=${openFiles}`];
  const bounds = [`--data=${dataBytes}`, `--nproc=${processes}`, `--fsize=${fileBytes}`, ...open];
  return [host.prlimit, '--core=0', ...bounds, '--'];
}

function userCommand(host: BubblewrapHost, { uid, gid }: Identity): string[] {
  if (host.setpriv === undefined) return [];
  const nothing = ['--no-new-privs', '--bounding-set', '-all', '--inh-caps', '-all'];
  return [host.setpriv, '--reuid', String(uid), '--regid', String(gid), '--clear-groups', ...nothing, '--'];
}

function dataFile(descriptor: number, path: string): string[] {
  return ['--perms', '0644', '--file', String(descriptor), path];
}

/** Throws if a word contains a NUL byte: it would end an option early, and the rest could be read as another option. */
function assertNoNul(words: readonly string[]): void {
  if (!words.some((word) => word.includes('\0'))) return;
  throw new SkillwrightError(
    'LaunchFailed',
    'Arguments, paths and the environment of a program cannot hold NUL bytes.',
  );
}
