import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { endProcess, listProcesses, startOf, waitUntilGone, type KnownProcess } from './init.ts';
import { EXECUTION_ID_VARIABLE } from '../process-tree.ts';

/**
 * The variable in bubblewrap's own environment that identifies its host. The program in the sandbox does not get it.
 */
const HOST_VARIABLE = 'SKILLWRIGHT_HOST';
/** How many characters of a program's name the kernel stores. */
const KEPT_NAME = 15;
const NOWHERE = '?';

interface Marked extends KnownProcess {
  readonly host: string;
  readonly executionId: string;
}

/** Identifies this host. A process number alone could later, or in another container, belong to another process. */
export function hostMark(): string {
  return `${ownNamespace()}:${process.pid}:${startOf(process.pid)}`;
}

/** The whole environment of bubblewrap itself. */
export function markedEnvironment(mark: string, executionId: string): Record<string, string> {
  return { [HOST_VARIABLE]: mark, [EXECUTION_ID_VARIABLE]: executionId };
}

/**
 * Ends bubblewrap processes left by killed hosts. If a host is killed just as bubblewrap starts its second process, the
 * second process remains: it waits forever and runs nothing.
 */
export function endOrphans(program: string): Promise<void> {
  return end(findMarked(program).filter(({ host }) => isGone(host)));
}

/** Ends whatever remains of a launch of this host. */
export function endLaunch(program: string, mark: string, executionId: string): Promise<void> {
  return end(findMarked(program).filter((found) => found.host === mark && found.executionId === executionId));
}

async function end(processes: readonly KnownProcess[]): Promise<void> {
  for (const known of processes) endProcess(known);
  await waitUntilGone(processes);
}

function findMarked(program: string): Marked[] {
  const name = basename(program).slice(0, KEPT_NAME);
  const found: Marked[] = [];
  for (const pid of listProcesses()) {
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd() !== name) continue;
      const startedAt = startOf(pid);
      const variables = new Map(readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').map(split));
      const host = variables.get(HOST_VARIABLE);
      if (startedAt === undefined || host === undefined) continue;
      const executionId = variables.get(EXECUTION_ID_VARIABLE) ?? '';
      found.push({ pid, startedAt, host, executionId });
    } catch {
      // The process belongs to another user, or has ended.
    }
  }
  return found;
}

/**
 * Whether the host that a mark names has ended. False if that host is in another namespace, such as a container's,
 * because a process there cannot be checked from here.
 */
export function isGone(host: string): boolean {
  const [namespace, pid, startedAt] = host.split(':');
  return namespace !== NOWHERE && namespace === ownNamespace() && startOf(Number(pid)) !== startedAt;
}

/**
 * The PID namespace of this process. Unknown if `/proc` belongs to another namespace, because its numbers mean nothing
 * here.
 */
function ownNamespace(): string {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return NOWHERE;
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? NOWHERE;
  } catch {
    return NOWHERE;
  }
}

function split(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
