import { dirname } from 'node:path';
import type { SandboxLaunch } from '../../spec/sandbox.ts';
import { PRIVATE_DIRECTORY } from '../bubblewrap/mounts.ts';
import type { ContainerEngine } from './engine.ts';
import type { LocalImage } from './images.ts';
import type { ContainerMounts } from './mounts.ts';
import type { ContainerSettings } from './options.ts';
import { EXECUTION_ID_VARIABLE } from '../process-tree.ts';
import { EGRESS_DIRECTORY, SHARED_DIRECTORY } from '../sandbox-launcher.ts';

/** Everything about a container that is decided before it is created. */
export interface ContainerPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: LocalImage;
  readonly mounts: ContainerMounts;
  readonly user: { readonly uid: number; readonly gid: number };
  /** The seccomp profile: system calls that containers must not make. */
  readonly syscallProfile: string;
  /** A host directory with sockets for the program. */
  readonly shared: string | undefined;
  /** The program in the container, and its arguments. */
  readonly command: readonly string[];
}

export interface ContainerCommand {
  readonly args: readonly string[];
  /**
   * The environment of the engine's CLI. `args` name the variables to pass on, without values, because other users can
   * see arguments.
   */
  readonly env: Readonly<Record<string, string>>;
}

const MAX_OPEN_FILES = 4096;
const MAX_PROCESSES = 100;
const MAX_TEMPORARY_BYTES = 67_108_864;
/**
 * Variables that an engine's CLI would apply to itself. Their values go into the CLI's arguments, because they contain
 * no secrets.
 */
const ENGINE_VARIABLE =
  /^(?:PATH|HOME|USER|TMPDIR|LD_.*|GLIBC_TUNABLES|GO.*|SSL_CERT_.*|.*_PROXY|(?:DOCKER|CONTAINERS?|PODMAN|XDG|REGISTRY|STORAGE|NOTIFY|LISTEN|SSH|BUILDAH|BUILDKIT)_.*)$/i;
/** Variables that engines add to the environment of every container. */
const ENGINE_ADDS = ['HOSTNAME', 'TERM', 'container'];

/** The command that creates a container without starting it. */
export function createCommand(
  engine: ContainerEngine,
  settings: ContainerSettings,
  launch: SandboxLaunch,
  plan: ContainerPlan,
): ContainerCommand {
  const environment = environmentOf(engine, launch, plan.image);
  return {
    args: [
      'create',
      '--rm',
      '--interactive',
      '--init',
      '--name',
      plan.name,
      ...Object.entries(plan.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
      ...isolation(engine, settings, launch, plan),
      ...bounds(engine, settings, launch),
      ...mountArgs(launch, plan),
      ...environment.args,
      '--workdir',
      plan.mounts.workDir,
      '--entrypoint',
      plan.command[0] ?? '',
      plan.image.id,
      ...plan.command.slice(1),
    ],
    env: environment.env,
  };
}

function isolation(
  engine: ContainerEngine,
  settings: ContainerSettings,
  launch: SandboxLaunch,
  { user, syscallProfile }: ContainerPlan,
): string[] {
  return [
    '--network',
    launch.network ? settings.network : 'none',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--security-opt',
    `seccomp=${syscallProfile}`,
    '--read-only',
    '--user',
    `${user.uid}:${user.gid}`,
    // Without root, podman maps user numbers. `keep-id` keeps this user's number, so that it owns the mounted files.
    ...(engine.name === 'podman' && engine.rootless ? ['--userns', 'keep-id'] : []),
    '--hostname',
    'sandbox',
    '--ipc',
    'private',
    // The host reads the program's output from its pipes, so the engine need not keep it.
    '--log-driver',
    'none',
    '--pull',
    'never',
  ];
}

function bounds(engine: ContainerEngine, settings: ContainerSettings, { limits }: SandboxLaunch): string[] {
  const memory = String(Math.min(limits.memoryBytes, settings.memoryBytes));
  const fileBytes = Math.min(limits.fileBytes ?? Infinity, limits.diskBytes);
  const openFiles = Math.min(limits.openFiles ?? Infinity, MAX_OPEN_FILES);
  return [
    ...(engine.boundsProcesses ? ['--pids-limit', String(Math.min(limits.processes, MAX_PROCESSES))] : []),
    ...(engine.boundsProcessors ? ['--cpus', String(settings.cpus)] : []),
    ...(engine.boundsMemory ? ['--memory', memory, '--memory-swap', memory] : []),
    '--ulimit',
    `fsize=${fileBytes}:${fileBytes}`,
    '--ulimit',
    'core=0:0',
    // Set the limits explicitly, because podman would otherwise raise them, which not every root user may do.
    '--ulimit',
    `nofile=${openFiles}:${openFiles}`,
    ...(engine.name === 'podman' ? ['--ulimit', 'nproc=4096:4096'] : []),
    '--shm-size',
    String(temporaryBytes(limits.diskBytes)),
  ];
}

function mountArgs({ limits, egress }: SandboxLaunch, { mounts, shared }: ContainerPlan): string[] {
  const size = temporaryBytes(limits.diskBytes);
  const options = `rw,noexec,nosuid,size=${size},mode=1777`;
  const binds = [
    ...mounts.binds,
    ...(shared === undefined ? [] : [{ source: shared, path: SHARED_DIRECTORY, writable: false }]),
    ...(egress === undefined ? [] : [{ source: dirname(egress.socket), path: EGRESS_DIRECTORY, writable: false }]),
  ];
  return [
    '--tmpfs',
    `${PRIVATE_DIRECTORY}:${options}`,
    ...mounts.empty.flatMap((path) =>
      // In `--tmpfs`, a colon would end the path.
      path.includes(':')
        ? ['--mount', fields('type=tmpfs', `dst=${path}`, `tmpfs-size=${size}`, 'tmpfs-mode=1777')]
        : ['--tmpfs', `${path}:${options}`],
    ),
    ...binds.flatMap(({ source, path, writable }) => [
      '--mount',
      fields('type=bind', `src=${source}`, `dst=${path}`, ...(writable ? [] : ['readonly'])),
    ]),
  ];
}

/** The size of each of `/tmp`, `/workspace` and `/dev/shm`. */
function temporaryBytes(diskBytes: number): number {
  return Math.min(diskBytes, MAX_TEMPORARY_BYTES);
}

/** Comma-separated values in the engines' format: a comma in a path must not start another option. */
function fields(...values: readonly string[]): string {
  return values.map((value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(',');
}

function environmentOf(
  engine: ContainerEngine,
  launch: SandboxLaunch,
  image: LocalImage,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const given = {
    ...Object.fromEntries(Object.entries(launch.env).filter(([name]) => /^[^=]+$/.test(name))),
    [EXECUTION_ID_VARIABLE]: launch.executionId,
    HOME: PRIVATE_DIRECTORY,
    TMPDIR: PRIVATE_DIRECTORY,
  };
  const unwanted = [...new Set([...image.variables, ...ENGINE_ADDS])].filter((name) => !Object.hasOwn(given, name));
  const args = unwanted.flatMap((name) => [engine.name === 'podman' ? '--unsetenv' : '--env', name]);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (ENGINE_VARIABLE.test(name)) args.push('--env', `${name}=${value}`);
    else {
      env[name] = value;
      args.push('--env', name);
    }
  }
  return { args, env };
}
