import { describe, expect, it } from 'vitest';
import type { Results, Row } from '../../../bench/discovery/results.ts';
import { checkTargets } from '../../../bench/discovery/targets.ts';
import { proves } from '../../proves.ts';

interface Numbers {
  ratio: number;
  warmRatio: number;
  wallMs: number;
  warmMs: number;
  heapMb: number;
  found: number;
  peerMs: number;
}

const GOOD: Numbers = { ratio: 1.4, warmRatio: 0.6, wallMs: 50, warmMs: 0.1, heapMb: 20, found: 1, peerMs: 900 };

function row(kind: Row['kind'], id: string, size: number, cpuMs: number, numbers: Numbers): Row {
  const found = Math.round(size * numbers.found);
  const measured = {
    found,
    isSettled: true,
    cpuMs,
    ratio: numbers.ratio,
    cpuPerSkillUs: (cpuMs * 1_000) / size,
    firstCpuMs: cpuMs,
    firstRatio: 2,
    wallMs: numbers.wallMs,
    cold: [],
    steady: [],
  };
  return { id, label: id, kind, note: '', status: 'measured', numbers: measured };
}

/** The targets that a run with these numbers misses. */
function missed(changes: Partial<Numbers>): string[] {
  const numbers = { ...GOOD, ...changes };
  const results: Omit<Results, 'targets'> = {
    startedAt: '',
    node: '',
    machine: '',
    sizes: [100, 1_000, 10_000].map((size) => ({
      size,
      tree: { skills: size, files: size, bytes: size },
      rows: [
        row('ours', 'skillwright', size, 400, numbers),
        row('ours', 'skillwright-warm', size, 200, { ...numbers, ratio: numbers.warmRatio }),
        row('peer', 'peer', size, numbers.peerMs, { ...numbers, found: 1 }),
      ],
    })),
    invoke: {
      status: 'measured',
      size: 1_000,
      value: { skills: 1_000, coldP50Ms: 0, coldP99Ms: numbers.warmMs * 3, warmP50Ms: 0, warmP99Ms: numbers.warmMs },
    },
    heap: { status: 'measured', size: 10_000, value: { found: 10_000, heapMb: numbers.heapMb } },
  };
  return checkTargets(results)
    .filter(({ pass }) => pass === false)
    .map(({ name }) => name);
}

/** Unit tests never judge times; `npm run bench:discovery` does. These tests check how it judges them. */
describe('the discovery benchmark', () => {
  it('passes when every target is met', () => {
    expect(missed({})).toEqual([]);
  });

  it.each<[string, Partial<Numbers>, string]>([
    ['discovery is slower than 1.5 times the bare walk', { ratio: 1.51 }, 'cold discovery of 10,000, CPU'],
    [
      'what has not changed is nearly as slow as the bare walk',
      { warmRatio: 0.81 },
      'warm discovery of 10,000 (index cache), CPU',
    ],
    ['100 skills take 100 ms', { wallMs: 100 }, 'cold discovery of 100, wall'],
    ['1,000 skills take a second', { wallMs: 1_000 }, 'cold discovery of 1,000, wall'],
    ['an invocation takes over a millisecond', { warmMs: 1.01 }, 'invokeSkill warm, p99'],
    ['the catalog takes over 40 MB', { heapMb: 41 }, 'heap of 10,000 skills after gc'],
    ['a skill is lost', { found: 0.9999 }, 'skills found of 10,000'],
    ['a peer is faster', { peerMs: 399 }, 'CPU per skill found, against peer'],
  ])('fails when %s', (_, changes, target) => {
    proves('S2.TR-4.100', 'S2.TR-4.1000', 'S2.TR-4.invoke', 'S2.FR-3.AC.100ms', 'S2.FR-3.2.lookup');
    expect(missed(changes)).toContain(target);
  });
});
