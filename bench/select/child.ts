// The measured process: builds one contender's index and runs tasks against it. Run by speed.ts only.
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
  // The second collection, a turn later, frees objects that this turn's frames still hold or that are released between turns.
  await nextTurn();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Copies through JSON, so that strings are flat before memory is measured. A separate function, because the measuring function's
 * frame would otherwise hold temporary objects and release them between the readings.
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
  // Some contenders finish the index on first use.
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
    // Reads the index here as well: an index that is never read again would be collected, and its memory would count as freed.
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
