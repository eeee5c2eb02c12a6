import { SkillwrightError } from '../../spec/errors/error.ts';
import { DEFAULT_SANDBOX_LIMITS, type Sandbox, type SandboxLaunch, type SandboxProcess } from '../../spec/sandbox.ts';
import { bubblewrapCommand } from './command.ts';
import { capabilitiesOf, missing, readBubblewrapHost, type BubblewrapHost, type HostReading } from './host.ts';
import { endInit, readEnd, waitUntilEnded, keepGate } from './start-shell.ts';
import { endLaunch, endOrphans, markedEnvironment } from './orphans.ts';
import { findMisplaced } from './places.ts';
import { watchUsage, type UsageWatch } from './usage.ts';
import { startChild } from '../child-process.ts';
import { programsOnPath } from '../interpreters.ts';
import { signalGroup } from '../process-tree.ts';

export interface BubblewrapOptions {
  /** Where to look for bwrap, setpriv and prlimit. Default: the usual directories. */
  readonly path?: string | undefined;
}

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';
/** A directory that exists everywhere and is visible in every launch. */
const TRIAL_DIRECTORY = '/usr/bin';
const TRIAL_MS = 10_000;

/**
 * Runs programs in separate Linux namespaces. They see the system's programs, the skill and the granted part of the
 * workspace, but no other files, processes or networks. `docs/reference/sandbox-tiers.md` has the details.
 */
export function createBubblewrapSandbox(options: BubblewrapOptions = {}): Sandbox {
  let reading: Promise<HostReading> | undefined;
  const read = (): Promise<HostReading> => (reading ??= readAndTry(options.path ?? USUAL_PATH));
  return {
    tier: 'bubblewrap',
    async probe() {
      const result = await read();
      if (!result.ok) return { available: false, reason: result.reason, remedy: result.remedy };
      const { host } = result;
      const how =
        host.setpriv === undefined ? 'in a user namespace' : 'started by root, each program as a user of its own';
      return { available: true, capabilities: capabilitiesOf(host), detail: `bubblewrap ${host.version}, ${how}` };
    },
    async launch(launch) {
      const result = await read();
      if (!result.ok) throw new SkillwrightError('LaunchFailed', `${result.reason} ${result.remedy}`);
      return (await start(result.host, launch)).process;
    },
  };
}

interface Started {
  readonly process: SandboxProcess;
  /** Whether this host measures its usage; false until the program may start. */
  readonly isWatched: () => boolean;
}

async function start(host: BubblewrapHost, launch: SandboxLaunch): Promise<Started> {
  const command = bubblewrapCommand(host, launch);
  const child = await startChild({
    program: host.program,
    args: command.args,
    cwd: '/',
    // The program's own environment goes through a pipe: bubblewrap itself, outside the sandbox, must not use it.
    env: markedEnvironment(host.mark, launch.executionId),
    channel: launch.channel,
    pipes: command.pipes.length,
    covered: host.covered,
  });
  const { pid, isRunning, pipes, ...streams } = child;
  for (const [index, content] of command.pipes.entries()) {
    const pipe = pipes[index];
    if (content !== null) pipe?.end(content, () => pipe.destroy());
  }
  const gatePipe = pipes[command.pipes.indexOf(null)];
  if (gatePipe === undefined)
    throw new SkillwrightError('LaunchFailed', 'bubblewrap was started without the pipe that makes it wait.');
  let watch: UsageWatch | undefined;
  let isResting = false;
  const gate = keepGate(gatePipe, {
    pid,
    filtered: host.filter !== undefined,
    check(init) {
      const watched = { init, directories: command.temporary, ownNetwork: !launch.network, limits: launch.limits };
      if (isRunning()) watch = watchUsage(watched, () => endInit(gate));
      watch?.rest(isResting);
      return misplacement(findMisplaced(init.pid, command.held));
    },
  });
  const ended = child.exited.then((exit) => {
    // The kernel ends the sandbox's first process together with bubblewrap, unless the program found a way to prevent
    // that.
    endInit(gate);
    watch?.stop();
    return { ...readEnd(exit, gate.isReached()), exceeded: watch?.exceeded() };
  });
  const process: SandboxProcess = {
    ...streams,
    exited: ended,
    async kill() {
      // Signal the whole group: bubblewrap, ended alone in its first milliseconds, would leave its child behind.
      if (isRunning()) signalGroup(pid);
      await ended;
      await waitUntilEnded(gate, () => endLaunch(host.program, host.mark, launch.executionId));
    },
    keepAlive(kept) {
      streams.keepAlive(kept);
      isResting = !kept;
      watch?.rest(isResting);
    },
  };
  return { process, isWatched: () => watch !== undefined };
}

/** Finds bubblewrap, and tests whether it works on this host. */
async function readAndTry(path: string): Promise<HostReading> {
  const reading = await readBubblewrapHost(path);
  if (!reading.ok) return reading;
  await endOrphans(reading.host.program);
  const program = programsOnPath('true', path)[0] ?? '/bin/true';
  const poorer = { ...reading.host, hidesInit: false };
  try {
    const trial = await tryOut(reading.host, program);
    if (trial.ok) return trial;
    // Kernels differ in what may be mounted in /proc.
    const second = await tryOut(poorer, program);
    return second.ok ? second : missing(trial.problem, remedyFor(reading.host));
  } catch (error) {
    return missing(`A trial run could not be started: ${String(error)}.`, remedyFor(reading.host));
  }
}

/** The host with the results of the trial, or why it cannot be used. */
async function tryOut(
  host: BubblewrapHost,
  program: string,
): Promise<{ readonly ok: true; readonly host: BubblewrapHost } | { readonly ok: false; readonly problem: string }> {
  const { process: child, isWatched } = await start(host, {
    executionId: 'trial',
    program,
    args: [],
    cwd: '/',
    env: {},
    skillDir: TRIAL_DIRECTORY,
    workspace: 'none',
    network: false,
    limits: DEFAULT_SANDBOX_LIMITS,
    channel: false,
  });
  let said = '';
  child.stdout.on('data', () => {});
  child.stderr.on('data', (chunk) => {
    if (said.length < 1_000) said += chunk.toString('utf8');
  });
  child.stdin.end();
  const timer = setTimeout(() => void child.kill(), TRIAL_MS);
  const { exitCode } = await child.exited;
  clearTimeout(timer);
  if (exitCode === 0) return { ok: true, host: { ...host, watches: isWatched() } };
  return { ok: false, problem: `A trial run failed: ${said.trim() || 'it did not end'}.` };
}

function misplacement(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  return `${JSON.stringify(path)} was changed while the sandbox was being set up. Nothing ran; try again.`;
}

function remedyFor(host: BubblewrapHost): string {
  if (host.setpriv !== undefined)
    return 'Inside a container, allow it to mount: --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined.';
  return (
    'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 on Debian, ' +
    'sysctl kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap on Ubuntu.'
  );
}
