import { describe, expect, it } from 'vitest';
import { HandlerLanes, type LaneStep } from './worker-slots.ts';

/** A scheduler whose calls are named `key1`, `key2`, …; workers are named after the call they were started for. */
function createLanes(maxWorkers: number, maxWorkersPerKey = maxWorkers, hasHadTurn = true) {
  const lanes = new HandlerLanes<string, string>({ maxWorkers, maxWorkersPerKey }, () => hasHadTurn);
  const show = (step: LaneStep<string, string> | undefined): string => {
    if (step === undefined) return 'nothing';
    return step.type === 'evict' ? `evict ${step.worker}` : `${step.task} in ${step.worker ?? 'new'}`;
  };
  return {
    lanes,
    wait: (...tasks: string[]) => {
      for (const task of tasks) lanes.wait(task[0] ?? '', task);
    },
    next: () => show(lanes.next()),
  };
}

describe('calls that wait for workers', () => {
  it('go to an idle worker of their key before a new one is started', () => {
    const { lanes, wait, next } = createLanes(2);
    wait('a1');
    expect(next()).toBe('a1 in new');
    lanes.rest('a', 'A');
    wait('a2', 'a3', 'a4');
    expect([next(), next(), next()]).toEqual(['a2 in A', 'a3 in new', 'nothing']);
    expect([lanes.size, lanes.waiting]).toEqual([2, 1]);
  });

  it('take turns by key', () => {
    const { wait, next } = createLanes(4);
    wait('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect([next(), next(), next(), next()]).toEqual(['a1 in new', 'b1 in new', 'c1 in new', 'a2 in new']);
  });

  it('wait while their key is at its limit, and let calls of other keys pass', () => {
    const { wait, next } = createLanes(3, 1);
    wait('a1', 'a2', 'b1');
    expect([next(), next(), next()]).toEqual(['a1 in new', 'b1 in new', 'nothing']);
  });

  it('evict the worker that has been idle longest, and only one at a time for each key', () => {
    const { lanes, wait, next } = createLanes(2);
    wait('a1', 'b1');
    next();
    next();
    lanes.rest('b', 'B');
    lanes.rest('a', 'A');
    wait('c1', 'c2');
    expect([next(), next()]).toEqual(['evict B', 'nothing']);
    lanes.leave('b', 'B');
    expect([next(), next()]).toEqual(['c1 in new', 'evict A']);
  });

  it.each([
    [true, ['evict A', 'a2 in B']],
    [false, ['a2 in B', 'a3 in A']],
  ])('evict a worker of a busy key only after that key has had its turn (%s)', (hasHadTurn, steps) => {
    const { lanes, wait, next } = createLanes(2, 2, hasHadTurn);
    wait('a1', 'a1');
    next();
    next();
    wait('x1', 'a2', 'a3');
    lanes.rest('a', 'A');
    lanes.rest('a', 'B');
    expect([next(), next()]).toEqual(steps);
  });

  it('never evict the only worker of a key unless that key has more workers', () => {
    const { lanes, wait, next } = createLanes(2);
    wait('a1', 'b1');
    next();
    next();
    wait('b2', 'a2');
    lanes.rest('a', 'A');
    expect([next(), next()]).toEqual(['a2 in A', 'nothing']);
  });

  it('can be given up, and can be put first in the queue', () => {
    const { lanes, wait, next } = createLanes(1);
    wait('a1', 'a2');
    lanes.giveUp('a', 'a1');
    lanes.giveUp('a', 'a1');
    lanes.giveUp('z', 'z1');
    lanes.wait('a', 'a0', true);
    expect([lanes.waiting, next(), next()]).toEqual([2, 'a0 in new', 'nothing']);
    lanes.giveUp('a', 'a2');
    lanes.leave('a');
    expect([lanes.size, lanes.waiting]).toEqual([0, 0]);
  });
});
