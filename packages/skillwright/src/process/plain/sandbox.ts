import { SkillwrightError } from '../../spec/errors/error.ts';
import {
  NO_CAPABILITIES,
  type Sandbox,
  type SandboxCapabilities,
  type SandboxLaunch,
  type SandboxProcess,
} from '../../spec/sandbox.ts';
import { inheritableDescriptors, startChild } from '../child-process.ts';
import { readPidNamespaces, startInPidNamespace, type PidNamespaces } from './pid-namespace.ts';
import {
  createStraySweeper,
  EXECUTION_ID_VARIABLE,
  isGroupAlive,
  killTree,
  type StraySweeper,
} from '../process-tree.ts';

export interface ProcessSandboxOptions {
  /** Where to look for perl, which creates PID namespaces. Default: the usual directories. */
  readonly path?: string | undefined;
}

const USUAL_PATH = '/usr/bin:/bin:/usr/local/bin';

// Without a PID namespace, a descendant that leaves the group and clears its environment cannot be found again.
const CAPABILITIES: SandboxCapabilities = { ...NO_CAPABILITIES, runsPrograms: true, interrupts: true };

/** The facts about this host. */
interface Host {
  readonly namespaces: PidNamespaces;
  /** Descriptors that programs must not inherit. */
  readonly covered: readonly number[];
}

/**
 * Runs programs as ordinary processes of this user: without a shell, in their own session, with only the given
 * environment. This contains well-behaved programs but does not stop hostile ones. If possible, each program gets a PID
 * namespace, so that no descendant outlives it.
 */
export function createProcessSandbox(options: ProcessSandboxOptions = {}): Sandbox {
  let reading: Promise<Host> | undefined;
  const read = (): Promise<Host> => (reading ??= readHost(options.path ?? USUAL_PATH));
  const strays = createStraySweeper();
  return {
    tier: 'process',
    async probe() {
      const { namespaces } = await read();
      const detail = namespaces.ok
        ? 'ordinary processes of this user, each run in a PID namespace of its own'
        : `ordinary processes of this user, without PID namespaces: ${namespaces.reason}`;
      return { available: true, capabilities: { ...CAPABILITIES, killsTree: namespaces.ok }, detail };
    },
    async launch(launch) {
      assertNoCopy(launch);
      const { namespaces, covered } = await read();
      const env = { ...launch.env, [EXECUTION_ID_VARIABLE]: launch.executionId };
      return namespaces.ok
        ? startInPidNamespace(namespaces, { ...launch, env }, covered)
        : start({ ...launch, env }, covered, strays);
    },
  };
}

async function readHost(path: string): Promise<Host> {
  const covered = inheritableDescriptors();
  return { namespaces: await readPidNamespaces(path, covered), covered };
}

function assertNoCopy({ skillCopy, skillDir }: SandboxLaunch): void {
  if (skillCopy === undefined) return;
  const message = `The process tier cannot run a copy of ${skillDir} at the original path. Use the bubblewrap tier.`;
  throw new SkillwrightError('LaunchFailed', message, { data: { option: 'skillCopy' } });
}

async function start(launch: SandboxLaunch, covered: readonly number[], strays: StraySweeper): Promise<SandboxProcess> {
  const { program, args, cwd, env, channel, executionId } = launch;
  const { pid, isRunning, pipes: _none, ...child } = await startChild({ program, args, cwd, env, channel, covered });
  return {
    ...child,
    async kill() {
      // A run that ends normally rarely leaves processes behind, so one search for strays serves many runs.
      if (isRunning() || isGroupAlive(pid)) await killTree(pid, executionId, isRunning());
      else strays.sweepFor(executionId);
    },
  };
}
