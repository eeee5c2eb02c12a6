// The measured process: builds one contender's index and asks it tasks. Run by speed.ts only.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RankableSkill } from '../../packages/skillwright/src/spec/ranker.ts';
import type { Build } from './contenders/contender.ts';
import { generateSkills, generateTasks } from './generated-set.ts';
import type { SpeedNumbers } from './results.ts';
import { quantile } from '../statistics.ts';

const LIMIT = 5;
const WARM_UP = 50;
const ASKED = 300;

async function memoryAfterCollection(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('memory is measured with --expose-gc');
  gc();
  // What the frames of this turn still hold, and what is cleared between turns, goes with the second one.
  await nextTurn();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Through JSON, so that strings are in one piece before memory is measured. In a function of its own: what it makes on the
 * way would be held by the frame of the one that measures, and be let go in between.
 */
function prepareSkills(size: number): RankableSkill[] {
  return JSON.parse(JSON.stringify(generateSkills(size))) as RankableSkill[];
}

async function measure(module: string, size: number): Promise<SpeedNumbers> {
  const { build } = (await import(module)) as { build: Build };
  const skills = prepareSkills(size);
  const tasks = generateTasks(WARM_UP + ASKED);
  const before = await memoryAfterCollection();
  const startedCpu = process.cpuUsage();
  const pool = await build(skills);
  // Some contenders finish the index when it is first used.
  await pool.search(tasks[0] ?? '', LIMIT);
  const cpu = process.cpuUsage(startedCpu);
  const memory = (await memoryAfterCollection()) - before + (pool.hiddenBytes ?? 0);
  const times: number[] = [];
  for (const task of tasks) {
    const started = performance.now();
    await pool.search(task, LIMIT);
    times.push(performance.now() - started);
  }
  const asked = times.slice(WARM_UP);
  return {
    // Read here, and not only written above: what nobody reads any more is collected, and would count as memory won.
    skills: skills.length,
    buildCpuMs: (cpu.user + cpu.system) / 1000,
    p50Ms: quantile(asked, 0.5),
    p99Ms: quantile(asked, 0.99),
    memoryMb: memory / 2 ** 20,
    ...(pool.longestSliceMs === undefined ? {} : { longestSliceMs: pool.longestSliceMs }),
  };
}

const { module, size } = JSON.parse(process.argv[2] ?? '') as { module: string; size: number };
const numbers = await measure(module, size);
process.send?.(numbers, () => process.exit(0));
