import { execFile } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { arch } from 'node:os';
import type { SandboxCapabilities } from '../../spec/sandbox.ts';
import { limitScript, type GateShell } from './start-shell.ts';
import { hasOwnNumbers, readSystemView, type SystemView } from './system.ts';
import { isWithin } from './places.ts';
import { hostMark } from './orphans.ts';
import { syscallFilter } from './syscalls.ts';
import { inheritableDescriptors } from '../child-process.ts';
import { programsOnPath } from '../interpreters.ts';

/** Facts that do not change from launch to launch. */
export interface BubblewrapHost {
  readonly program: string;
  readonly version: string;
  /** The program that sets limits if the shell cannot. If neither can, there are no limits. */
  readonly prlimit: string | undefined;
  /** The program that changes the user if this process is root. Otherwise bubblewrap makes a user namespace. */
  readonly setpriv: string | undefined;
  readonly ownNumbers: boolean;
  readonly system: SystemView;
  readonly filter: Buffer | undefined;
  /** The shell that holds each program back until this process lets the program start. */
  readonly shell: GateShell;
  /** Whether `/proc` inside a sandbox can hide the sandbox's first process. */
  readonly hidesInit: boolean;
  /** Identifies this process, so that later processes can find the sandboxes it left behind. */
  readonly mark: string;
  /** Whether temporary file systems can have a size limit. */
  readonly sizes: boolean;
  /** Whether bubblewrap itself can forbid further user namespaces. */
  readonly disablesUserNamespaces: boolean;
  readonly covered: readonly number[];
  /** The most files that a process of this host may have open. */
  readonly maxOpenFiles: number;
  /** Whether the host can inspect a sandbox from outside, to measure its resources. */
  readonly watches: boolean;
}

export type HostReading =
  | { readonly ok: true; readonly host: BubblewrapHost }
  | { readonly ok: false; readonly reason: string; readonly remedy: string };

/** Looks for bubblewrap and the tools it is used with. Never rejects. */
export async function readBubblewrapHost(path: string): Promise<HostReading> {
  if (process.platform !== 'linux')
    return missing(`bubblewrap needs Linux, and this is ${process.platform}.`, 'Use the container tier.');
  const [program, prlimit, setpriv] = ['bwrap', 'prlimit', 'setpriv'].map((name) => programsOnPath(name, path)[0]);
  if (program === undefined)
    return missing('bwrap is not on the PATH.', 'Install bubblewrap, for example with `apt install bubblewrap`.');
  const isRoot = process.getuid?.() === 0;
  if (isRoot && setpriv === undefined)
    return missing('setpriv is not on the PATH, and root needs it to become another user.', 'Install util-linux.');
  const version = await versionOf(program);
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const atLeast = (wanted: number): boolean => major > 0 || minor >= wanted;
  if (version === undefined || !atLeast(5))
    return missing(`${program} is not bubblewrap 0.5 or later.`, 'Install a later version of bubblewrap.');
  const system = readSystemView();
  const shell = await findShell(path, system.shown);
  if (shell === undefined)
    return missing('sh and env were not both found in /usr/bin or /bin.', 'Install a shell, for example dash.');
  const host = {
    program: realpathSync.native(program),
    version,
    prlimit: prlimit === undefined ? undefined : realpathSync.native(prlimit),
    setpriv: isRoot && setpriv !== undefined ? realpathSync.native(setpriv) : undefined,
    ownNumbers: hasOwnNumbers(),
    system,
    filter: syscallFilter(arch()),
    shell,
    hidesInit: true,
    mark: hostMark(),
    sizes: atLeast(7),
    disablesUserNamespaces: atLeast(8),
    covered: inheritableDescriptors(),
    maxOpenFiles: readMaxOpenFiles(),
    watches: false,
  };
  return { ok: true, host };
}

/** The tier's guarantees on this host. */
export function capabilitiesOf(host: BubblewrapHost): SandboxCapabilities {
  const setsLimits = host.prlimit !== undefined || host.shell.setsLimits;
  return {
    runsPrograms: true,
    interrupts: true,
    killsTree: true,
    hidesNetwork: true,
    hidesFiles: true,
    protectsSkill: true,
    // Without size limits for file systems and the filter of system calls, files in memory and shared memory would be
    // unlimited.
    boundsMemory: setsLimits && host.sizes && host.watches && host.filter !== undefined,
    boundsProcesses: setsLimits,
    boundsDisk: setsLimits && host.sizes,
  };
}

export function missing(reason: string, remedy: string): { ok: false; reason: string; remedy: string } {
  return { ok: false, reason, remedy };
}

async function versionOf(program: string): Promise<string | undefined> {
  return /^bubblewrap (\d+\.\d+[\d.]*)/.exec(await outputOf(program, ['--version']))?.[1];
}

/**
 * Finds a shell that is also visible inside the sandbox. dash adds nothing to the environment; any other shell is
 * started once to learn which variables it adds.
 */
async function findShell(path: string, shown: readonly string[]): Promise<GateShell | undefined> {
  const [dash, sh, env] = ['dash', 'sh', 'env'].map((name) =>
    programsOnPath(name, `${path}:/usr/bin:/bin`).find((found) => shown.some((tree) => isWithin(found, tree))),
  );
  if (dash !== undefined) return { program: dash, cleaner: undefined, setsLimits: await canSetLimits(dash) };
  if (sh === undefined || env === undefined) return undefined;
  const lines = (await outputOf(sh, ['-c', 'exec "$0"', env])).split('\n');
  const names = lines.map((line) => line.replace(/=.*/, '')).filter((name) => name !== '' && name !== 'PWD');
  return { program: sh, cleaner: { program: env, names }, setsLimits: false };
}

/** The hard limit of open files, which only root may raise. */
function readMaxOpenFiles(): number {
  const limit = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return limit === undefined ? Infinity : Number(limit);
}

/**
 * Checks whether this build of dash can set every limit. Only dash sets limits, because the units of other shells'
 * limits are unknown.
 */
async function canSetLimits(dash: string): Promise<boolean> {
  const script = `${limitScript({ dataBytes: 1_048_576_000, processes: 1_000, fileBytes: 512_000 })} && ulimit -f`;
  return (await outputOf(dash, ['-c', script])).trim() === '1000';
}

/** A program's output with an empty environment; empty if it fails. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000, env: {}, encoding: 'utf8' }, (error, stdout) => {
      resolve(error === null ? stdout : '');
    });
  });
}
