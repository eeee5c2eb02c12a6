import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWatchSchedule, type WatchSchedule } from './watch-schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A schedule with 100 ms of quiet time, and how often it looked. */
function startSchedule(look: () => Promise<void> = async () => {}): { schedule: WatchSchedule; looks: () => number } {
  let looks = 0;
  const schedule = createWatchSchedule({
    debounceMs: () => 100,
    look: () => {
      looks += 1;
      return look();
    },
    onError: () => {},
  });
  return { schedule, looks: () => looks };
}

describe('a watch schedule', () => {
  it('checks for changes once after a quiet time', async () => {
    const { schedule, looks } = startSchedule();
    for (let event = 0; event < 5; event += 1) {
      schedule.notify();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(looks()).toBe(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(looks()).toBe(1);
  });

  it('does not delay a refresh forever when changes never stop', async () => {
    const { schedule, looks } = startSchedule();
    for (let event = 0; event < 100; event += 1) {
      schedule.notify();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(looks()).toBeGreaterThanOrEqual(4);
    expect(looks()).toBeLessThanOrEqual(6);
  });

  it('checks again after a change that arrives during a check', async () => {
    const first = Promise.withResolvers<void>();
    const { schedule, looks } = startSchedule(() => first.promise);
    const done = schedule.lookNow();
    schedule.notify();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks()).toBe(1);
    first.resolve();
    await done;
    await vi.advanceTimersByTimeAsync(100);
    expect(looks()).toBe(2);
  });

  it('continues after a failed check', async () => {
    const { schedule, looks } = startSchedule(() => Promise.reject(new Error('x')));
    await expect(schedule.lookNow()).rejects.toThrow('x');
    schedule.lookIn(30);
    await vi.advanceTimersByTimeAsync(30);
    schedule.notify();
    await vi.advanceTimersByTimeAsync(100);
    expect(looks()).toBe(3);
  });

  it('does nothing once it is closed', async () => {
    const { schedule, looks } = startSchedule();
    schedule.notify();
    schedule.lookIn(10);
    schedule.close();
    schedule.notify();
    schedule.lookIn(10);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
