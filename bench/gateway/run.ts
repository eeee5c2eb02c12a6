// Measures the gateway: `node bench/gateway/run.ts --help`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgress } from '../discovery/progress.ts';
import { arePeersInstalled, installPeers } from '../peer-install.ts';
import { writeSkills } from './bench-skills.ts';
import { type Field, PORTKEY, startField } from './contenders.ts';
import { measureCells, measureHeap, measureHeld, obstacleOf, warmUp } from './measure.ts';
import { type MeasuredProcess, startProcess } from './measured-process.ts';
import { type BenchOptions, HELP, parseOptions } from './options.ts';
import { formatReport } from './report.ts';
import { type Cell, type Results, WORKLOADS } from './results.ts';
import { checkTargets } from './targets.ts';

const PEERS_FOLDER = new URL('peers/', import.meta.url);
const RESULTS = fileURLToPath(new URL('../results/gateway.json', import.meta.url));
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
    node: `Node ${process.versions.node}`,
    machine: `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}`,
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

/** Undefined, with a sentence on stderr and exit code 2, when the command line makes no sense. */
function readOptions(): BenchOptions | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  if (options.peers === true && !arePeersInstalled(PEERS_FOLDER)) installPeers(PEERS_FOLDER);
  const root = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
  try {
    const results = await measureAll(options, root);
    const file = options.json ?? RESULTS;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
    process.stdout.write(formatReport(results));
    if (results.targets.some(({ pass }) => pass === false)) process.exitCode = 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

await main();
