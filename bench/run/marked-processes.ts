import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that marks everything this benchmark run starts. */
export const MARK_VARIABLE = 'BENCH_RUN_MARK';

/** Whether processes can be inspected here. */
export const CAN_LOOK: boolean = process.platform === 'linux';

/**
 * Living processes whose environment or command line contains one of the texts, except this process and its parent. Zombies have
 * neither and do not count.
 */
export function findMarked(marks: readonly string[]): number[] {
  if (!CAN_LOOK) return [];
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || pid === process.ppid) continue;
    const text = readText(`/proc/${name}/environ`) + readText(`/proc/${name}/cmdline`);
    if (marks.some((mark) => text.includes(mark))) found.push(pid);
  }
  return found;
}

/** Ends the processes that were found, so that a failed run leaves nothing behind. */
export function endMarked(marks: readonly string[]): void {
  for (const pid of findMarked(marks)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process ended by itself.
    }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process belongs to another user, or is gone.
    return '';
  }
}
