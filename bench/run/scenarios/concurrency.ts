import { CAN_LOOK, findMarked, MARK_VARIABLE } from '../marked-processes.ts';
import { printedBy, type MeasuredManager } from '../measured-manager.ts';
import type { Crowd } from '../results.ts';
import type { Scenario } from '../scenario.ts';

const CALLS = 1000;
const MAX_WORKERS = 4;
const LOOK_EVERY_MS = 10;

/** A thousand concurrent calls of a JavaScript handler, alternating with a Python handler if there is Python. */
export async function measureConcurrency(scenario: Scenario): Promise<Crowd> {
  scenario.expectSteps(2);
  const { createManager, skillsDir, mark, step } = scenario;
  const open = (): MeasuredManager => createManager(skillsDir, { sandbox: 'process', workers: { max: MAX_WORKERS } });
  step(`${CALLS} calls at once`);
  const timed = open();
  const tools = await findTools(timed);
  const started = performance.now();
  const answered = await callAll(timed, tools);
  const wallMs = performance.now() - started;
  await timed.close();
  // Counting workers takes time, so the calls during which workers are counted are not timed.
  step(`${CALLS} calls at once, counting workers`);
  const counted = open();
  const crowd = watchWorkers(mark);
  const answeredAgain = await callAll(counted, tools);
  const workersSeen = crowd.stop();
  await counted.close();
  const worst = Math.min(answered, answeredAgain);
  return { calls: CALLS, answered: worst, wallMs, maxWorkers: MAX_WORKERS, workersSeen };
}

async function findTools(manager: MeasuredManager): Promise<string[]> {
  const { isError, execution } = await manager.callTool('add_javascript', { a: 1, b: 1 });
  if (isError) printedBy(execution);
  const python = await manager.callTool('add_python', { a: 1, b: 1 });
  return python.isError ? ['add_javascript'] : ['add_javascript', 'add_python'];
}

async function callAll(manager: MeasuredManager, tools: readonly string[]): Promise<number> {
  const calls = Array.from({ length: CALLS }, async (_, a) => {
    const { value } = await manager.callTool(tools[a % tools.length] ?? '', { a, b: 1 });
    return (value as { sum?: unknown }).sum === a + 1;
  });
  return (await Promise.all(calls)).filter(Boolean).length;
}

/** Counts repeatedly; `stop` returns the highest count. */
function watchWorkers(mark: string): { stop(): number | null } {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, findMarked([`${MARK_VARIABLE}=${mark}`]).length);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    stop() {
      look();
      clearInterval(timer);
      return CAN_LOOK ? most : null;
    },
  };
}
