// Measures choosing skills: `node bench/select/run.ts --help`.
import { type Build, type Contender, CONTENDERS, earlierRanker } from './contenders/contender.ts';
import { generateLabelledSet } from './generated-set.ts';
import { type LabelledSet, readLabelledSet } from './labelled-set.ts';
import { type BenchOptions, HELP, parseOptions } from './options.ts';
import { arePeersInstalled } from '../peer-install.ts';
import { describeMachine, finishRun, readCommandLine, resultsFile, toJson } from '../runner.ts';
import { type Answer, type Answers, collectAnswers } from './quality.ts';
import { recallInFive, measureQuality, recallOf } from './quality-numbers.ts';
import { formatReport } from './report.ts';
import type { FoldRow, Results, SetResult, SpeedRow } from './results.ts';
import { measureSpeed } from './speed.ts';
import { checkTargets, OURS } from './targets.ts';

const PEERS_FOLDER = new URL('peers/', import.meta.url);

const FOLDS = 10;

async function bench(options: BenchOptions): Promise<Results> {
  const withPeers = options.peers !== false && arePeersInstalled(PEERS_FOLDER);
  const own = CONTENDERS.filter(({ isPeer }) => withPeers || !isPeer);
  const contenders = options.earlier === undefined ? own : [...own, earlierRanker(options.earlier)];
  const given = options.files === undefined ? [] : [readLabelledSet(options.files.pool, options.files.queries)];
  const sets: SetResult[] = [];
  for (const set of [generateLabelledSet(), ...given]) sets.push(await measureSet(set, contenders));
  const sizes: { size: number; rows: SpeedRow[] }[] = [];
  for (const size of options.sizes) {
    const rows: SpeedRow[] = [];
    for (const contender of contenders) rows.push(await measureSpeed(contender, size));
    sizes.push({ size, rows });
  }
  const results = {
    startedAt: new Date().toISOString(),
    ...describeMachine(),
    absent: CONTENDERS.filter((contender) => !own.includes(contender)).map(({ label }) => label),
    sets,
    sizes,
  };
  return { ...results, targets: checkTargets(results) };
}

async function measureSet(set: LabelledSet, contenders: readonly Contender[]): Promise<SetResult> {
  const answered: { label: string; answers: Answers }[] = [];
  for (const { label, module } of contenders) {
    const { build } = (await import(module)) as { build: Build };
    answered.push({ label, answers: await collectAnswers(set, build) });
  }
  // The first contender is `additive`, the reference.
  const equalRecall = recallInFive((answered[0] as (typeof answered)[number]).answers);
  const rows = answered.map(({ label, answers }) => ({ label, numbers: measureQuality(answers, equalRecall) }));
  const ours = answered.find(({ label }) => label === OURS)?.answers.repository ?? [];
  return { name: set.name, skills: set.skills.length, rows, folds: splitFolds(ours) };
}

/** The spread of the numbers over subsets of the tasks shows how well they generalize. */
function splitFolds(answers: readonly Answer[]): FoldRow[] {
  const tasks = answers.filter(({ task }) => task.relevant.length > 0);
  const bySource = Map.groupBy(tasks, ({ task }) => task.source);
  const bySkill = Map.groupBy(
    tasks,
    ({ task }) => `skills ${(1 + (sumOf(task.relevant[0] ?? '') % FOLDS)).toString().padStart(2)} of ${FOLDS}`,
  );
  return [...bySource, ...[...bySkill].sort(([a], [b]) => (a < b ? -1 : 1))].map(([fold, part]) => ({
    fold,
    tasks: part.length,
    recall: recallOf(part),
  }));
}

function sumOf(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003, 7);
}

async function main(): Promise<void> {
  const options = readCommandLine({ parseOptions, help: HELP, peersFolder: PEERS_FOLDER });
  if (options === undefined) return;
  const results = await bench(options);
  finishRun(results, resultsFile('select'), options.json ? toJson(results) : formatReport(results));
}

await main();
