import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../statistics.ts';
import { HANG_SCRIPT, SCRIPTS, SKILL } from '../bench-skill.ts';
import { notMeasured } from '../interleave.ts';
import { CAN_LOOK, endMarked, findMarked, MARK_VARIABLE } from '../marked-processes.ts';
import { AbsentError, printedBy, type MeasuredManager, type MeasuredRun, type Tier } from '../measured-manager.ts';
import type { Ending, EndingRow, Outcome } from '../results.ts';
import type { Scenario } from '../scenario.ts';

const RUNS = 50;
const FULL_RUNS = 500;
const AT_ONCE = 10;
/**
 * The runs of handlers, as a share of the runs of scripts. A handler's timeout costs more, because it also ends a
 * worker.
 */
const HANDLER_SHARE = 0.2;
/**
 * The shortest timeout. Timeouts are spread evenly above it, because a program that has only just started is the
 * hardest to end.
 */
const SHORTEST_MS = 5;
const LONGEST_MS = 100;
/** The longest timeout of a handler. It is longer than for scripts, because a worker takes longer to start. */
const LONGEST_HANDLER_MS = 1000;
const TIERS: readonly Tier[] = ['process', 'bubblewrap'];

/** A program that never ends by itself, and how often to run it. */
interface Hang {
  readonly runs: number;
  readonly longestMs: number;
  readonly run: (mark: string, timeout: number) => Promise<MeasuredRun>;
}

/** Checks that scripts and handlers that never end are ended together with children that left the process group. */
export async function measureTimeouts(scenario: Scenario): Promise<EndingRow[]> {
  if (!CAN_LOOK) throw new AbsentError('whether processes are left can only be seen on Linux');
  const runs = scenario.isFull ? FULL_RUNS : RUNS;
  const handlerRuns = Math.round(runs * HANDLER_SHARE);
  scenario.expectSteps((runs + handlerRuns) * TIERS.length);
  const rows: EndingRow[] = [];
  for (const tier of TIERS) {
    const manager = scenario.createManager(scenario.skillsDir, { sandbox: tier, workers: { max: AT_ONCE } });
    const script: Hang = {
      runs,
      longestMs: LONGEST_MS,
      run: (mark, timeout) => manager.runScript(SKILL, HANG_SCRIPT, [mark], { timeout }),
    };
    const handler: Hang = {
      runs: handlerRuns,
      longestMs: LONGEST_HANDLER_MS,
      run: async (mark, timeout) => (await manager.callTool('hang', { mark }, { timeout })).execution,
    };
    try {
      rows.push({ id: tier, label: `scripts, ${tier}`, ending: await settle(script, manager, scenario) });
      const ending = await settle(handler, manager, scenario);
      rows.push({ id: `${tier}-handler`, label: `handlers, ${tier}`, ending });
    } finally {
      await manager.close();
    }
  }
  return rows;
}

async function settle(hang: Hang, manager: MeasuredManager, scenario: Scenario): Promise<Outcome<Ending>> {
  try {
    // Fails here if the tier is absent.
    printedBy(await manager.runScript(SKILL, SCRIPTS.true, []));
    return { status: 'measured', value: await measureEnding(hang, scenario) };
  } catch (error) {
    return notMeasured(error);
  }
}

async function measureEnding({ runs, longestMs, run }: Hang, { mark, step }: Scenario): Promise<Ending> {
  const overruns: number[] = [];
  const ids: string[] = [];
  let timedOut = 0;
  let strays = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < runs) {
      const index = next;
      next += 1;
      step('timeouts');
      const timeout = Math.round(SHORTEST_MS + ((longestMs - SHORTEST_MS) * index) / runs);
      const started = performance.now();
      const { code, executionId, stdout } = await run(mark, timeout);
      overruns.push(performance.now() - started - timeout);
      ids.push(`SKILL_EXECUTION_ID=${executionId}`);
      if (code === 'ExecutionTimeout') timedOut += 1;
      if (stdout.includes('begun')) strays += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const marks = [mark, `${MARK_VARIABLE}=${mark}`, ...ids];
  const leftAtOnce = findMarked(marks).length;
  if (leftAtOnce > 0) await pause(1000);
  const survivors = findMarked(marks).length;
  endMarked(marks);
  const overrun = { medianMs: median(overruns), maxMs: Math.max(...overruns) };
  return { runs, timedOut, strays, leftAtOnce, survivors, overrun };
}
