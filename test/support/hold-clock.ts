import { onTestFinished, vi } from 'vitest';

/**
 * Stops `performance.now()` until the test ends. The HTTP client repeats a request only if its kept connection broke at once, and
 * a busy machine notices that late. Another test checks the time limit.
 */
export function holdClock(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}
