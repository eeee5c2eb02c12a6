import { expect, it } from 'vitest';
import type { CallUnderWay } from './call-upstream.ts';
import { CallsUnderWay } from './calls-under-way.ts';

/** Makes calls that record when they are ended. */
function makeCalls(count: number): { calls: CallUnderWay[]; ended: number[] } {
  const ended: number[] = [];
  const calls = Array.from({ length: count }, (_, index) => ({
    answer: new Promise<never>(() => {}),
    end: () => void ended.push(index),
  }));
  return { calls, ended };
}

it('ends all unfinished calls, in whatever order the other calls finished', () => {
  const { calls, ended } = makeCalls(6);
  const underWay = new CallsUnderWay();
  const leave = calls.map((call) => underWay.add(call));
  for (const index of [0, 5, 2, 2, 0]) leave[index]?.();
  expect(underWay.size).toBe(3);
  underWay.endAll();
  expect(new Set(ended)).toEqual(new Set([1, 3, 4]));
});

it('ends every call, although each call removes itself from the list while it ends', () => {
  const { calls, ended } = makeCalls(4);
  const underWay = new CallsUnderWay();
  for (const call of calls) {
    const leave = underWay.add({
      ...call,
      end() {
        call.end();
        leave();
      },
    });
  }
  underWay.endAll();
  expect([ended.length, underWay.size]).toEqual([4, 0]);
});
