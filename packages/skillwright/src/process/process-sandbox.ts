import { SkillwrightError } from '../spec/error.ts';
import type { Sandbox, SandboxLaunch, SandboxProbe, SandboxProcess } from '../spec/sandbox.ts';
import { inheritableDescriptors, startChild } from './child-process.ts';
import {
  createStraySweeper,
  EXECUTION_ID_VARIABLE,
  isGroupAlive,
  killTree,
  type StraySweeper,
} from './process-tree.ts';

const PROBE: SandboxProbe = {
  available: true,
  capabilities: {
    runsPrograms: true,
    interrupts: true,
    // A descendant that leaves the group and clears its environment is not found again.
    killsTree: false,
    hidesNetwork: false,
    hidesFiles: false,
    protectsSkill: false,
    boundsMemory: false,
    boundsProcesses: false,
    boundsDisk: false,
  },
  detail: 'ordinary processes of this user',
};

/**
 * Runs programs as ordinary processes of this user: no shell, a process group of their own, the given environment and
 * nothing else. It keeps honest programs in order; it does not keep hostile ones from anything.
 */
export function createProcessSandbox(): Sandbox {
  let covered: readonly number[] | undefined;
  const strays = createStraySweeper();
  return {
    tier: 'process',
    probe: () => Promise.resolve(PROBE),
    launch(launch) {
      covered ??= inheritableDescriptors();
      return start(launch, covered, strays);
    },
  };
}

async function start(launch: SandboxLaunch, covered: readonly number[], strays: StraySweeper): Promise<SandboxProcess> {
  if (launch.skillCopy !== undefined) {
    const message = `The process tier cannot show a copy of ${launch.skillDir} in its place. Use the bubblewrap tier.`;
    throw new SkillwrightError('LaunchFailed', message, { data: { option: 'skillCopy' } });
  }
  const { program, args, cwd, channel, executionId } = launch;
  const env = { ...launch.env, [EXECUTION_ID_VARIABLE]: executionId };
  const { pid, isRunning, pipes: _none, ...child } = await startChild({ program, args, cwd, env, channel, covered });
  return {
    ...child,
    async kill() {
      // After a normal end there is most often nothing left; the search for strays is made for many runs at once.
      if (isRunning() || isGroupAlive(pid)) await killTree(pid, executionId, isRunning());
      else strays.sweepFor(executionId);
    },
  };
}
