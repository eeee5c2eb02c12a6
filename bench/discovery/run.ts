// Measures skill discovery: `node bench/discovery/run.ts --help`.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWN_CONTENDERS, PEERS } from './contenders/index.ts';
import { generateTree } from './generate.ts';
import { measureContenders, warmPageCache } from './measure.ts';
import type { Answer, HeapGrowth, InvokeLatency } from './measurement.ts';
import { type BenchOptions, HELP, parseOptions } from './options.ts';
import { arePeersInstalled } from '../peer-install.ts';
import { describeMachine, finishRun, readCommandLine, resultsFile, toJson } from '../runner.ts';
import { createProcessRunner, type ProcessRunner } from './process-runner.ts';
import { createProgress } from '../progress.ts';
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
    ...describeMachine(),
    sizes: [],
    invoke: unmeasured,
    heap: unmeasured,
    targets: [],
  };
  for (const size of options.sizes) {
    progress.step(`writing ${size} skills`);
    // Below `.claude/skills`, because one of the peers looks only there.
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

async function main(): Promise<void> {
  const options = readCommandLine({ parseOptions, help: HELP, peersFolder: PEERS_FOLDER });
  if (options === undefined) return;
  // A real path, because some loaders return real paths and some temp folders are links.
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
    finishRun(results, resultsFile('discovery'), options.json ? toJson(results) : formatReport(results));
  } finally {
    cleanUp();
  }
}

await main();
