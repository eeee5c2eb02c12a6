// The measured process: builds one contender's index and asks it tasks. Run by speed.ts only.
import type { Build } from './contenders/contender.ts';
import { generateSkills, generateTasks } from './generated-set.ts';
import type { SpeedNumbers } from './results.ts';
import { quantile } from '../discovery/statistics.ts';

const LIMIT = 5;
const WARM_UP = 50;
const ASKED = 300;

function memoryAfterCollection(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('memory is measured with --expose-gc');
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function measure(module: string, size: number): Promise<SpeedNumbers> {
  const { build } = (await import(module)) as { build: Build };
  // Through JSON, so that strings are in one piece before memory is measured.
  const skills = JSON.parse(JSON.stringify(generateSkills(size))) as ReturnType<typeof generateSkills>;
  const tasks = generateTasks(WARM_UP + ASKED);
  const before = memoryAfterCollection();
  const startedCpu = process.cpuUsage();
  const pool = await build(skills);
  // Some contenders finish the index when it is first used.
  await pool.search(tasks[0] ?? '', LIMIT);
  const cpu = process.cpuUsage(startedCpu);
  const memory = memoryAfterCollection() - before + (pool.hiddenBytes ?? 0);
  const times: number[] = [];
  for (const task of tasks) {
    const started = performance.now();
    await pool.search(task, LIMIT);
    times.push(performance.now() - started);
  }
  const asked = times.slice(WARM_UP);
  return {
    skills: size,
    buildCpuMs: (cpu.user + cpu.system) / 1000,
    p50Ms: quantile(asked, 0.5),
    p99Ms: quantile(asked, 0.99),
    memoryMb: memory / 2 ** 20,
  };
}

const { module, size } = JSON.parse(process.argv[2] ?? '') as { module: string; size: number };
const numbers = await measure(module, size);
process.send?.(numbers, () => process.exit(0));
