// Measures skill discovery: `node bench/discovery/run.ts --help`.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWN_CONTENDERS, PEERS } from './contenders/index.ts';
import { generateTree } from './generate.ts';
import { measureContenders, warmPageCache } from './measure.ts';
import type { Answer, HeapGrowth, InvokeLatency } from './measurement.ts';
import { type BenchOptions, HELP, parseOptions } from './options.ts';
import { arePeersInstalled, installPeers } from '../peer-install.ts';
import { createProcessRunner, type ProcessRunner } from './process-runner.ts';
import { createProgress } from './progress.ts';
import { formatReport } from './report.ts';
import type { Extra, Results } from './results.ts';
import { checkTargets } from './targets.ts';

const PEERS_FOLDER = new URL('peers/', import.meta.url);

const INVOKED_SKILLS = 1000;

async function bench(options: BenchOptions, root: string, runner: ProcessRunner): Promise<Results> {
  const contenders =
    options.peers !== false && arePeersInstalled(PEERS_FOLDER) ? [...OWN_CONTENDERS, ...PEERS] : OWN_CONTENDERS;
  const runsOf = (size: number): number => options.runs ?? (size >= 10_000 ? 9 : 15);
  const steps = options.sizes.reduce((sum, size) => sum + runsOf(size) * contenders.length + 1, 2);
  const progress = createProgress(steps, options.json);
  const largest = Math.max(...options.sizes);
  const invokedSize = options.sizes.find((size) => size >= INVOKED_SKILLS) ?? largest;
  const unmeasured = { status: 'absent', reason: 'not reached' } as const;
  const results: Results = {
    startedAt: new Date().toISOString(),
    node: `Node ${process.versions.node}`,
    machine: `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}`,
    sizes: [],
    invoke: unmeasured,
    heap: unmeasured,
    targets: [],
  };
  for (const size of options.sizes) {
    progress.step(`writing ${size} skills`);
    // Below `.claude/skills`, because one of the peers looks nowhere else.
    const dir = join(root, `project-${size}`, '.claude', 'skills');
    const tree = generateTree(dir, size);
    warmPageCache(dir);
    const rows = await measureContenders(contenders, dir, runsOf(size), runner, progress);
    results.sizes.push({ size, tree, rows });
    if (size === invokedSize) {
      progress.step('invokeSkill');
      results.invoke = toInvoke(size, await runner.run({ kind: 'invoke', dir, skills: INVOKED_SKILLS, rounds: 5 }));
    }
    if (size === largest) {
      progress.step('heap');
      results.heap = toHeap(size, await runner.run({ kind: 'heap', dir }));
    }
    if (!options.keep) rmSync(join(root, `project-${size}`), { recursive: true });
  }
  progress.done();
  results.targets = checkTargets(results);
  return results;
}

function toInvoke(size: number, answer: Answer): Extra<InvokeLatency> {
  if (answer.status !== 'measured') return answer;
  if ('invoke' in answer) return { status: 'measured', size, value: answer.invoke };
  throw new TypeError('the child answered another task');
}

function toHeap(size: number, answer: Answer): Extra<HeapGrowth> {
  if (answer.status !== 'measured') return answer;
  if ('heap' in answer) return { status: 'measured', size, value: answer.heap };
  throw new TypeError('the child answered another task');
}

function writeResults(results: Results): void {
  const folder = new URL('../results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('discovery.json', folder), `${JSON.stringify(results, null, 2)}\n`);
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
  // Real, because some loaders answer by real paths and some temp folders are links.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-bench-')));
  const runner = createProcessRunner(join(root, 'home'));
  const cleanUp = (): void => {
    runner.stop();
    if (options.keep) process.stderr.write(`The generated skills are in ${root}\n`);
    else rmSync(root, { recursive: true, force: true });
  };
  process.once('SIGINT', () => {
    cleanUp();
    process.exit(130);
  });
  try {
    const results = await bench(options, root, runner);
    writeResults(results);
    process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : formatReport(results));
    if (results.targets.some((target) => target.pass === false)) process.exitCode = 1;
  } finally {
    cleanUp();
  }
}

await main();
