import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CAN_LOOK, endMarked, findMarked } from '../../../bench/run/marked-processes.ts';
import { parseOptions } from '../../../bench/run/options.ts';
import type { Outcome, Row, ScenarioOutcomes, ScriptGroup, ScriptName, Timing } from '../../../bench/run/results.ts';
import { checkTargets } from '../../../bench/run/targets.ts';

interface Numbers {
  nodeMs: number;
  pythonMs: number;
  shellMs: number;
  bubblewrapMs: number;
  javascriptMs: number;
  pythonCallMs: number;
  answered: number;
  workersSeen: number | null;
  isTruncatedSuccess: boolean;
  rssMb: number;
  heapMb: number;
  timedOut: number;
  strays: number;
  survivors: number;
}

/** Every number is exactly at its limit, if a bare spawn takes 40 ms. */
const GOOD: Numbers = {
  nodeMs: 46,
  pythonMs: 46,
  shellMs: 42,
  bubblewrapMs: 55,
  javascriptMs: 1,
  pythonCallMs: 2,
  answered: 1000,
  workersSeen: 4,
  isTruncatedSuccess: true,
  rssMb: 108,
  heapMb: 92,
  timedOut: 50,
  strays: 1,
  survivors: 0,
};

function timing(medianMs: number): Outcome<Timing> {
  return { status: 'measured', value: { count: 100, leastMs: medianMs, medianMs, p95Ms: medianMs, hostCpuMs: 1 } };
}

function group(script: ScriptName, id: string, medianMs: number): ScriptGroup {
  const rows: Row[] = [
    { id: 'spawn', label: 'bare spawn', timing: timing(40) },
    { id, label: 'skillwright', timing: timing(medianMs) },
  ];
  return { script, rows };
}

function measured<T>(value: T): Outcome<T> {
  return { status: 'measured', value };
}

function resultsWith(changes: Partial<Numbers>): ScenarioOutcomes {
  const numbers = { ...GOOD, ...changes };
  const { nodeMs, pythonMs, shellMs, bubblewrapMs, javascriptMs, pythonCallMs, answered, workersSeen } = numbers;
  const { isTruncatedSuccess, rssMb, heapMb, timedOut, strays, survivors } = numbers;
  const tiers = ['process', 'bubblewrap'];
  const before = { rssMb: 100, heapMb: 100 };
  const flood = { bytes: 1, wallMs: 1, isTruncatedSuccess, before, after: { rssMb, heapMb }, peak: before };
  const ending = { runs: 50, timedOut, strays, leftAtOnce: 0, survivors, overrun: { medianMs: 1, maxMs: 1 } };
  return {
    scripts: measured([
      group('node', 'process', nodeMs),
      group('python', 'process', pythonMs),
      group('shell', 'process', shellMs),
    ]),
    bubblewrap: measured([group('true', 'bubblewrap', bubblewrapMs), group('node', 'bubblewrap', bubblewrapMs)]),
    handlers: measured(
      tiers.flatMap((id) => [
        { id, label: id, language: 'javascript' as const, cold: timing(50), warm: timing(javascriptMs) },
        { id, label: id, language: 'python' as const, cold: timing(50), warm: timing(pythonCallMs) },
      ]),
    ),
    concurrency: measured({ calls: 1000, answered, wallMs: 1, maxWorkers: 4, workersSeen }),
    memory: measured(tiers.map((id) => ({ id, label: id, flood: measured(flood) }))),
    timeouts: measured(
      tiers.flatMap((id) => [id, `${id}-handler`]).map((id) => ({ id, label: id, ending: measured(ending) })),
    ),
  };
}

function missed(results: ScenarioOutcomes): string[] {
  return checkTargets(results)
    .filter(({ pass }) => pass === false)
    .map(({ name }) => name);
}

/** Unit tests never judge times; `npm run bench:run` does. These tests check how it judges them. */
describe('the benchmark of script and handler runs', () => {
  it('passes when every number is at its limit', () => {
    const targets = checkTargets(resultsWith({}));
    expect(targets.filter(({ pass }) => pass !== true)).toEqual([]);
    expect(targets).toHaveLength(21);
  });

  it.each<[string, Partial<Numbers>, string]>([
    ['a Node script is slower than 1.15 bare spawns', { nodeMs: 46.1 }, 'node script over a bare spawn'],
    ['a Python script is slower than 1.15 bare spawns', { pythonMs: 46.1 }, 'python script over a bare spawn'],
    ['a shell script takes over 2 ms more', { shellMs: 42.1 }, 'shell script over a bare spawn'],
    ['bubblewrap takes over 15 ms more', { bubblewrapMs: 55.1 }, 'true script in bubblewrap over a bare spawn'],
    ['a JavaScript call takes over 1 ms', { javascriptMs: 1.01 }, 'warm javascript handler, bubblewrap, median'],
    ['a Python call takes over 2 ms', { pythonCallMs: 2.01 }, 'warm python handler, process, median'],
    ['a call is not answered', { answered: 999 }, '1,000 calls at once, answered'],
    ['there are more workers than the bound', { workersSeen: 5 }, 'their worker processes, at most'],
    ['no worker is seen, so that counting failed', { workersSeen: 0 }, 'their worker processes, at most'],
    ['too much output is not a truncated success', { isTruncatedSuccess: false }, '1 GB printed, process'],
    ['the process grows with output', { rssMb: 108.1 }, '1 GB printed, process, RSS after'],
    ['the heap grows with output', { heapMb: 108.1 }, '1 GB printed, bubblewrap, heap after'],
    ['a process survives', { survivors: 1 }, 'processes left by timeouts, scripts, process'],
    ['no run started a process that could survive', { strays: 0 }, 'processes left by timeouts, handlers, process'],
    ['a run ends in another way', { timedOut: 49 }, 'processes left by timeouts, handlers, bubblewrap'],
  ])('fails when %s', (_, changes, target) => {
    expect(missed(resultsWith(changes))).toContain(target);
  });

  it('allows a run in a PID namespace 3 ms more', () => {
    const scripts = (moreMs: number): ScenarioOutcomes => ({
      scripts: measured(
        (['node', 'python', 'shell'] as const).map((script) => ({
          ...group(script, 'process', (script === 'shell' ? GOOD.shellMs : GOOD.nodeMs) + moreMs),
          inPidNamespace: true,
        })),
      ),
    });
    expect(missed(scripts(3))).toEqual([]);
    expect(missed(scripts(3.1))).toHaveLength(3);
  });

  it('fails for a failed scenario, and says why', () => {
    const results: ScenarioOutcomes = { ...resultsWith({}), concurrency: { status: 'failed', reason: 'it hung' } };
    expect(missed(results)).toEqual(['1,000 calls at once, answered', 'their worker processes, at most']);
    expect(checkTargets(results)).toContainEqual(expect.objectContaining({ measured: 'failed: it hung', pass: false }));
  });

  it('does not fail for an absent scenario, and says why', () => {
    const results: ScenarioOutcomes = { bubblewrap: { status: 'absent', reason: 'no bwrap' } };
    expect(missed(results)).toEqual([]);
    expect(checkTargets(results).filter(({ measured: why }) => why === 'no bwrap')).toHaveLength(2);
  });

  it('does not judge the number of workers if they cannot be counted', () => {
    expect(missed(resultsWith({ workersSeen: null }))).toEqual([]);
  });

  it.each([[['--only', 'nothing']], [['--unknown']], [['100']]])('rejects the command line %j', (args) => {
    expect(() => parseOptions(args)).toThrow(TypeError);
  });

  it('measures the requested scenarios in their usual order', () => {
    expect(parseOptions(['--only', 'memory', '--only', 'scripts']).scenarios).toEqual(['scripts', 'memory']);
    expect(parseOptions([]).scenarios).toHaveLength(6);
  });
});

describe.skipIf(!CAN_LOOK)('processes left by a timeout', () => {
  it.each<[string, (mark: string) => { args: string[]; env: Record<string, string> }]>([
    ['environment', (mark) => ({ args: [], env: { MARK: mark } })],
    ['command line', (mark) => ({ args: [mark], env: {} })],
  ])('are found by their %s, and can be ended', async (_, marked) => {
    const mark = randomUUID();
    const { args, env } = marked(mark);
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 60_000)', '--', ...args], { env });
    const exited = once(child, 'exit');
    await once(child, 'spawn');
    expect(findMarked([mark])).toEqual([child.pid]);
    endMarked([mark]);
    await exited;
    expect(findMarked([mark])).toEqual([]);
  });
});
