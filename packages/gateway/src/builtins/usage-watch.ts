import { measureWorkspace } from './workspace-usage.ts';

export interface UsageWatch {
  /** What the workspace may take: its quota, or what it took at the start if that was more. */
  readonly maxBytes: number;
  /** Aborts as soon as it is seen to take more, or cannot be measured. */
  readonly exceeded: AbortSignal;
  /** Resolves when nothing is measured any more. Twice is fine. */
  stop(): Promise<void>;
}

const INTERVAL_MS = 250;
/** Measuring takes no more than this part of the time. */
const SHARE = 0.2;

/** Measures a workspace again and again while a program runs that may write to it. */
export async function watchUsage(root: string, quota: number): Promise<UsageWatch> {
  const maxBytes = Math.max(quota, await measureWorkspace(root));
  const exceeded = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let measuring: Promise<void> | undefined;
  let isStopped = false;
  const measure = async (): Promise<void> => {
    const startedAt = performance.now();
    const bytes = await measureWorkspace(root, maxBytes).catch(() => Infinity);
    if (bytes > maxBytes) exceeded.abort();
    else schedule(Math.max(INTERVAL_MS, (performance.now() - startedAt) / SHARE));
  };
  const schedule = (delayMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      measuring = measure();
    }, delayMs);
  };
  schedule(INTERVAL_MS);
  return {
    maxBytes,
    exceeded: exceeded.signal,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await measuring;
    },
  };
}
