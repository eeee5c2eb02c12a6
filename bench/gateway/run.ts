// Measures the gateway: `node bench/gateway/run.ts --help`.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress } from '../progress.ts';
import { arePeersInstalled } from '../peer-install.ts';
import { describeMachine, finishRun, readCommandLine, resultsFile } from '../runner.ts';
import { writeSkills } from './bench-skills.ts';
import { type Field, PORTKEY, startField } from './contenders.ts';
import { measureCells, measureHeap, measureHeld, obstacleOf, warmUp } from './measure.ts';
import { type MeasuredProcess, startProcess } from './measured-process.ts';
import { type BenchOptions, HELP, parseOptions } from './options.ts';
import { formatReport } from './report.ts';
import { type Cell, type Results, WORKLOADS } from './results.ts';
import { checkTargets } from './targets.ts';

const PEERS_FOLDER = new URL('peers/', import.meta.url);
const STREAMS = 1_000;

async function bench(options: BenchOptions, all: Field, load: MeasuredProcess): Promise<Results> {
  const startedAt = new Date();
  const machineLoad = loadavg()[0] ?? 0;
  const { field, absent } = await withoutAbsent(all, load);
  const cells: Cell[] = [];
  const progress = createProgress(WORKLOADS.length * options.connections.length + 3, false);
  progress.step('warming up');
  await warmUp(field, load);
  for (const workload of WORKLOADS) {
    for (const connections of options.connections) {
      progress.step(`${workload}, ${connections} at a time`);
      cells.push(...(await measureCells(field, load, { ...options, workload, connections })));
    }
  }
  progress.step('memory');
  const heap = await measureHeap(field, load, options.few, options.many);
  progress.step('streams');
  const held = await measureHeld(field, load, STREAMS);
  progress.done();
  return {
    startedAt: startedAt.toISOString(),
    ...describeMachine(),
    load: machineLoad,
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    absent,
    cells,
    heap,
    held,
    targets: checkTargets({ cells, heap, held }),
  };
}

async function withoutAbsent(
  field: Field,
  load: MeasuredProcess,
): Promise<{ field: Field; absent: Results['absent'] }> {
  const absent: { contender: string; reason: string }[] = [];
  const contenders: Field['contenders'][number][] = [];
  for (const contender of field.contenders) {
    const reason = await obstacleOf(contender, load);
    if (reason === undefined) contenders.push(contender);
    else absent.push({ contender: contender.name, reason });
  }
  if (field.contenders.every(({ name }) => name !== PORTKEY))
    absent.push({ contender: PORTKEY, reason: 'it is not installed; --peers does' });
  return { field: { ...field, contenders }, absent };
}

async function measureAll(options: BenchOptions, root: string): Promise<Results> {
  const skills = join(root, 'skills');
  writeSkills(skills);
  const withPeers = options.peers !== false && arePeersInstalled(PEERS_FOLDER);
  const field = await startField(root, skills, withPeers);
  const load = startProcess(new URL('load.ts', import.meta.url));
  try {
    await load.message('ready');
    return await bench(options, field, load);
  } finally {
    await Promise.all([load.stop(), field.stop()]);
  }
}

async function main(): Promise<void> {
  const options = readCommandLine({ parseOptions, help: HELP, peersFolder: PEERS_FOLDER });
  if (options === undefined) return;
  const root = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
  try {
    const results = await measureAll(options, root);
    finishRun(results, options.json ?? resultsFile('gateway'), formatReport(results));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

await main();
