import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The variable by which descendants of a run are known, also after they left its process group. */
export const EXECUTION_ID_VARIABLE = 'SKILL_EXECUTION_ID';

const SWEEPS = 20;
const SWEEP_PAUSE_MS = 10;

/**
 * Ends a process group and, on Linux, every process that still carries the run's execution id in its environment:
 * `setsid` and double forks do not save it. Code that clears its environment on purpose escapes; a tier with a pid
 * namespace is for that. Resolves once nothing is left to be found.
 *
 * A group whose leader has ended may be gone, and its number another's: `leaderLives` says whether it is safe to use.
 */
export async function killTree(groupId: number | undefined, executionId: string, leaderLives: boolean): Promise<void> {
  // Without a number, or with 0, the signal would go to this process and its own group.
  if (groupId === undefined || groupId <= 1) return;
  if (leaderLives || process.platform !== 'linux') signalGroup(groupId);
  if (process.platform !== 'linux') return;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const strays = findByExecutionId(executionId);
    if (strays.length === 0) return;
    for (const pid of strays) signal(pid);
    await pause(SWEEP_PAUSE_MS);
  }
}

/** Ends a process group, whose leader must not have been waited for yet. */
export function signalGroup(groupId: number): void {
  signal(process.platform === 'win32' ? groupId : -groupId);
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}

/** Processes of this user whose environment names the run; zombies have none and do not count. */
function findByExecutionId(executionId: string): number[] {
  const marker = `${EXECUTION_ID_VARIABLE}=${executionId}\0`;
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (`${readFileSync(`/proc/${name}/environ`, 'latin1')}\0`.includes(marker)) found.push(pid);
    } catch {
      // Another user's, or gone.
    }
  }
  return found;
}
