import { onTestFinished, vi } from 'vitest';

/**
 * Stops `performance.now()` until the test ends. The HTTP client repeats a request only if its kept connection broke at once, and
 * a busy machine notices that late. How late is too late has a test of its own.
 */
export function holdClock(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}
