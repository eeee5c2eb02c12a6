import { GatewayError } from '../../spec/gateway-error.ts';
import { createTurns } from '../turns.ts';
import { hasReserve, watchUsage, type Shortage, type UsageWatch } from './usage-watch.ts';
import { createWorkspaceBin } from './workspace-bin.ts';
import { levelWorkspace, MEASURE_MS, trimWorkspace } from './workspace-usage.ts';

/** What was removed from a workspace after a program ended. */
export interface Clearing {
  /** The resource that ran out, even if other programs used it up. */
  readonly shortage: Shortage | undefined;
  /** Bytes of files that were removed. */
  readonly removed: number;
  /** Directories that were removed because they were too deep. */
  readonly cut: number;
  /** Whether clearing was not finished in time and continues in the background. */
  readonly goesOn: boolean;
}

/** One program's use of a workspace. */
export interface Stay {
  /** Aborts when the program must end because it uses too much. */
  readonly exceeded: AbortSignal;
  /**
   * Call it after the program has ended: removes files that changed since then, until the workspace fits. Never
   * rejects, and never takes long.
   */
  leave(sinceMs: number): Promise<Clearing>;
}

/** Keeps workspaces within their quota while programs run in them, and afterwards. */
export interface WorkspaceKeeper {
  /** Rejects with `WorkspaceFull` if nothing may run. Every `enter` needs a `leave`. */
  enter(root: string, executionId: string): Promise<Stay>;
  /** Stops running work; the next `enter` finishes the clearing. Safe to call twice. */
  close(): Promise<void>;
}

export interface KeeperLimits {
  readonly workspaceBytes: number;
  /** The limit for all processes of a program together. */
  readonly maxMemoryBytes: number;
}

/** A workspace over this multiple of its quota runs nothing, not even to make room. */
const MOST_OVERFULL = 2;
/** How long a response waits for removals. */
const GRACE_MS = 3_000;

/** A workspace in which a program runs or is about to. */
interface Watched {
  readonly opening: Promise<{ readonly maxBytes: number; readonly watch: UsageWatch }>;
  users: number;
}

export function createWorkspaceKeeper(limits: KeeperLimits): WorkspaceKeeper {
  const watched = new Map<string, Watched>();
  const clearings = new Map<string, Promise<unknown>>();
  const closing = new AbortController();
  const turns = createTurns();

  /** Serializes work in each workspace. Files that cannot be removed stay, and count for the next run. */
  const clear = <T>(root: string, work: () => Promise<T>): Promise<T | undefined> => {
    const clearing = turns.take(root, work).catch(() => undefined);
    clearings.set(root, clearing);
    void clearing.then(() => clearings.get(root) === clearing && clearings.delete(root));
    return clearing;
  };
  const start = async (root: string): Promise<Awaited<Watched['opening']>> => {
    if (!(await hasReserve(root))) throw refusal("the gateway's disk is nearly full");
    const bin = createWorkspaceBin(root);
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(MEASURE_MS)]);
    const { bytes } = await levelWorkspace(root, bin, signal).catch((error: unknown) => {
      if (signal.aborted) throw refusal('the workspace has too many files to measure');
      throw error;
    });
    void clear(root, () => bin.empty(closing.signal));
    const { workspaceBytes, maxMemoryBytes } = limits;
    if (bytes > workspaceBytes * MOST_OVERFULL) throw overfull(bytes, workspaceBytes);
    const maxBytes = Math.max(workspaceBytes, bytes);
    return { maxBytes, watch: watchUsage(root, { maxBytes, maxMemoryBytes }) };
  };
  const clearAfter = (root: string, maxBytes: number, sinceMs: number): Promise<Levelling | undefined> =>
    clear(root, async () => {
      const bin = createWorkspaceBin(root);
      const { bytes, cut } = await levelWorkspace(root, bin, closing.signal);
      const removed = await trimWorkspace(root, { excess: bytes - maxBytes, sinceMs, signal: closing.signal });
      await bin.empty(closing.signal);
      return { removed, cut };
    });

  return {
    async enter(root, executionId) {
      if (!(await isDone(clearings.get(root))))
        throw refusal('the files of an earlier program are still being deleted');
      const shared = watched.get(root) ?? { opening: start(root), users: 0 };
      watched.set(root, shared);
      shared.users += 1;
      const go = (): boolean => {
        shared.users -= 1;
        if (shared.users === 0 && watched.get(root) === shared) watched.delete(root);
        return shared.users === 0;
      };
      const { watch, maxBytes } = await shared.opening.catch((error: unknown) => {
        go();
        throw error;
      });
      const { executionIds, exceeded } = watch;
      if (exceeded.aborted) {
        go();
        throw refusal('another program of this tenant is over its limit and is being stopped');
      }
      executionIds.add(executionId);
      return {
        exceeded,
        async leave(sinceMs) {
          executionIds.delete(executionId);
          // A program that filled the disk may have ended before the watch noticed.
          const isDiskFull = !(await hasReserve(root).catch(() => true));
          if (go()) await watch.stop();
          const seen = exceeded.aborted ? (exceeded.reason as Shortage) : undefined;
          const shortage = seen ?? (isDiskFull ? 'disk' : undefined);
          const clearing = clearAfter(root, maxBytes, sinceMs);
          const goesOn = !(await isDone(clearing));
          const { removed = 0, cut = 0 } = goesOn ? {} : ((await clearing) ?? {});
          return { shortage, removed, cut, goesOn };
        },
      };
    },
    async close() {
      closing.abort();
      await Promise.all(clearings.values());
    },
  };
}

type Levelling = Pick<Clearing, 'removed' | 'cut'>;

/** Whether the work finishes within `GRACE_MS`. */
async function isDone(work: Promise<unknown> | undefined): Promise<boolean> {
  if (work === undefined) return true;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), GRACE_MS);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function refusal(why: string): GatewayError {
  return new GatewayError('WorkspaceFull', `Nothing ran: ${why}. Try again later.`);
}

function overfull(used: number, limit: number): GatewayError {
  const message = `Nothing ran: the workspace uses ${used} bytes, more than its limit of ${limit}. The gateway's operator has to delete files.`;
  return new GatewayError('WorkspaceFull', message, { data: { used, limit } });
}
