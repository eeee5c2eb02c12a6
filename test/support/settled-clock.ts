import { utimesSync } from 'node:fs';
import { onTestFinished, vi } from 'vitest';

/**
 * Moves the clock of this process a minute ahead of that of the file system until the test ends, so that files written
 * just now count as unchanged for long enough to be cached.
 */
export function settleFiles(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
}

let ticks = 0;

/** Gives a file a timestamp that no file had before, as a slow clock does between two writes. */
export function tick(path: string): void {
  ticks += 1;
  utimesSync(path, 1_000_000 + ticks, 1_000_000 + ticks);
}
