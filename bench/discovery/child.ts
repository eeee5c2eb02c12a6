// The measured process: does one task and sends the answer to its parent. Run by process-runner.ts only.
import { setTimeout as pause } from 'node:timers/promises';
import { AbsentError, loadManager } from './contenders/skillwright-module.ts';
import type { Answer, HeapGrowth, InvokeLatency, Sample, Task } from './measurement.ts';
import { quantile } from '../statistics.ts';

type Discover = (dir: string) => number | Promise<number>;

/** The first sample is a cold one: no code of the contender has run yet, it has only been imported. */
async function measureDiscovery(module: string, dir: string, repetitions: number): Promise<Sample[]> {
  const { discover } = (await import(module)) as { discover: Discover };
  // Let the import's leftovers (timers, compilation in other threads) settle before the clock starts.
  await pause(300);
  const samples: Sample[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    // Garbage of earlier repetitions must not count for this one.
    globalThis.gc?.();
    const startedCpu = process.cpuUsage();
    const started = performance.now();
    const answer = discover(dir);
    const found = typeof answer === 'number' ? answer : await answer;
    const wallMs = performance.now() - started;
    const cpu = process.cpuUsage(startedCpu);
    samples.push({ found, wallMs, cpuMs: (cpu.user + cpu.system) / 1000 });
  }
  return samples;
}

async function measureInvoke(dir: string, skills: number, rounds: number): Promise<InvokeLatency> {
  const manager = (await loadManager())(dir);
  const names = manager
    .discoverSync()
    .skills.slice(0, skills)
    .map((skill) => skill.name);
  const time = (name: string): number => {
    const started = performance.now();
    manager.invokeSkillSync(name, 'x');
    return performance.now() - started;
  };
  const cold = names.map(time);
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) for (const name of names) warm.push(time(name));
  return {
    skills: names.length,
    coldP50Ms: quantile(cold, 0.5),
    coldP99Ms: quantile(cold, 0.99),
    warmP50Ms: quantile(warm, 0.5),
    warmP99Ms: quantile(warm, 0.99),
  };
}

async function measureHeap(dir: string): Promise<HeapGrowth> {
  const createManager = await loadManager();
  const before = heapAfterCollection();
  const manager = createManager(dir);
  const result = manager.discoverSync();
  const after = heapAfterCollection();
  // The collector may free objects that are not used again, so use the manager and the result after the reading.
  if (typeof manager.discoverSync !== 'function') throw new Error('the manager was collected');
  return { found: result.skills.length, heapMb: (after - before) / 2 ** 20 };
}

function heapAfterCollection(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the heap is measured with --expose-gc');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

async function answerTask(task: Task): Promise<Answer> {
  try {
    switch (task.kind) {
      case 'discover':
        return { status: 'measured', samples: await measureDiscovery(task.module, task.dir, task.repetitions) };
      case 'invoke':
        return { status: 'measured', invoke: await measureInvoke(task.dir, task.skills, task.rounds) };
      case 'heap':
        return { status: 'measured', heap: await measureHeap(task.dir) };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { status: error instanceof AbsentError ? 'absent' : 'failed', reason };
  }
}

// Silence the console: otherwise contenders that warn about each bad skill would be measured by their output.
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {};
const reply = await answerTask(JSON.parse(process.argv[2] ?? '') as Task);
process.send?.(reply, () => process.exit(0));
