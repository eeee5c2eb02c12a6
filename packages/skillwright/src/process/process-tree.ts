import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The environment variable that identifies a run's descendants, even after they have left its process group. */
export const EXECUTION_ID_VARIABLE = 'SKILL_EXECUTION_ID';

const SWEEPS = 20;
const SWEEP_PAUSE_MS = 10;

/**
 * Ends a process group and, on Linux, every process that still has the run's execution id in its environment, even
 * after `setsid` and double forks. Code that clears its environment on purpose escapes; a tier with a PID namespace
 * prevents that. Resolves once no such process is found.
 *
 * If the group's leader has ended, another group may have its number: `leaderLives` says whether the number is safe to
 * use.
 */
export async function killTree(groupId: number | undefined, executionId: string, leaderLives: boolean): Promise<void> {
  // Without a number, or with 0, the signal would reach this process and its own group.
  if (groupId === undefined || groupId <= 1) return;
  if (leaderLives || process.platform !== 'linux') signalGroup(groupId);
  if (process.platform !== 'linux') return;
  await endStrays(new Set([executionId]));
}

/** Ends a process group, whose leader must not have been reaped yet. */
export function signalGroup(groupId: number): void {
  signal(process.platform === 'win32' ? groupId : -groupId);
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}

/** Whether a process group still has members. */
export function isGroupAlive(groupId: number | undefined): boolean {
  if (groupId === undefined || groupId <= 1 || process.platform === 'win32') return false;
  try {
    process.kill(-groupId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Finds processes that runs left behind. One search serves all runs that end within a tenth of a second. */
export interface StraySweeper {
  sweepFor(executionId: string): void;
}

const GATHER_MS = 100;

export function createStraySweeper(): StraySweeper {
  const ended = new Set<string>();
  let isPlanned = false;
  const sweep = async (): Promise<void> => {
    await pause(GATHER_MS);
    isPlanned = false;
    const ids = new Set(ended);
    ended.clear();
    await endStrays(ids);
  };
  return {
    sweepFor(executionId) {
      if (process.platform !== 'linux') return;
      ended.add(executionId);
      if (isPlanned) return;
      isPlanned = true;
      void sweep();
    },
  };
}

async function endStrays(executionIds: ReadonlySet<string>): Promise<void> {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const strays = findByExecutionId(executionIds);
    if (strays.length === 0) return;
    for (const pid of strays) signal(pid);
    await pause(SWEEP_PAUSE_MS);
  }
}

const MARKER = new RegExp(`${EXECUTION_ID_VARIABLE}=([^\0]*)`, 'g');

/** Processes of this user whose environment names one of the runs; zombies have no environment and do not count. */
function findByExecutionId(executionIds: ReadonlySet<string>): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      for (const [, id] of readFileSync(`/proc/${name}/environ`, 'latin1').matchAll(MARKER))
        if (id !== undefined && executionIds.has(id)) found.push(pid);
    } catch {
      // The process belongs to another user, or has ended.
    }
  }
  return found;
}
