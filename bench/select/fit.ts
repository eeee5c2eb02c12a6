// Fits the coefficients of the lexical ranker's confidence on a labeled set: `node bench/select/fit.ts --pool FILE --queries FILE`.
import { parseArgs } from 'node:util';
import { LexicalIndex } from '../../packages/skillwright/src/select/ranking/index/lexical-index.ts';
import { rankByWords } from '../../packages/skillwright/src/select/ranking/lexical/answer.ts';
import { factorsOf } from '../../packages/skillwright/src/select/ranking/lexical/confidence.ts';
import type { RankableSkill } from '../../packages/skillwright/src/spec/ranker.ts';
import { createRandom } from '../random.ts';
import { type LabelledTask, readLabelledSet } from './labelled-set.ts';
import { fitLogistic, type Example } from './logistic.ts';
import { UNRELATED_TASKS } from './unrelated-tasks.ts';

/** How many of the best skills of a task are examples. */
const BEST = 5;
/** The weights of tasks that no skill fits, of small groups of skills, and of short tasks among them. */
const FOREIGN = 0.5;
const SMALL = 0.25;
const SHORT = 0.1;
const GROUP_SIZES = [8, 25];

interface Pool {
  readonly source: string;
  readonly ids: ReadonlySet<string>;
  readonly index: LexicalIndex;
}

interface FoldExample extends Example {
  /** The repositories of the task and of the skills. */
  readonly sources: readonly string[];
}

const { values } = parseArgs({ options: { pool: { type: 'string' }, queries: { type: 'string' } } });
if (values.pool === undefined || values.queries === undefined) throw new TypeError('--pool and --queries are required');
const set = readLabelledSet(values.pool, values.queries);
const random = createRandom(9);
const tasks = set.tasks.filter(({ mentionsName }) => !mentionsName);
const fitting = tasks.filter(({ relevant }) => relevant.length > 0);
const bySource = Map.groupBy(set.skills, ({ id }) => set.sourceOf(id));
const whole = [...bySource].map(([source, skills]) => createPool(source, skills, true));
const small = [...bySource].flatMap(([source, skills]) =>
  GROUP_SIZES.flatMap((size) => splitRandomly(skills, size).map((part, at) => createPool(source, part, at % 4 !== 3))),
);

const examples: FoldExample[] = [
  ...tasks.flatMap((task) =>
    whole.filter(({ source }) => source === task.source).flatMap((pool) => ask(task, pool, 1)),
  ),
  ...fitting.flatMap((task) =>
    pickOthers(task, whole).flatMap((pool) => askForeign(task.text, task.source, pool, FOREIGN)),
  ),
  ...whole.flatMap((pool) => UNRELATED_TASKS.flatMap((text) => askForeign(text, '', pool, FOREIGN))),
  ...fitting.flatMap((task) => inSmallPools(task, SMALL)),
  ...fitting.flatMap((task) => inSmallPools({ ...task, text: firstWords(task.text) }, SHORT)),
];
print('all', fitLogistic(examples));
for (const source of new Set(fitting.map((task) => task.source)))
  print(`without ${source}`, fitLogistic(examples.filter(({ sources }) => !sources.includes(source))));

function createPool(source: string, skills: readonly RankableSkill[], withBodies: boolean): Pool {
  const index = new LexicalIndex();
  for (const skill of skills) index.add(withBodies ? skill : { ...skill, body: undefined });
  return { source, ids: new Set(skills.map(({ id }) => id)), index };
}

function ask({ text, relevant, source }: LabelledTask, pool: Pool, weight: number): FoldExample[] {
  return rankByWords(text, { limit: BEST }, pool.index)
    .evidence(BEST)
    .filter(({ evidence }) => evidence.score > 0)
    .map(({ id, evidence }) => ({
      factors: factorsOf(evidence),
      isRight: relevant.includes(id),
      weight,
      sources: [source, pool.source],
    }));
}

function askForeign(text: string, source: string, pool: Pool, weight: number): FoldExample[] {
  return ask({ text, source, relevant: [], nearMisses: [], mentionsName: false }, pool, weight);
}

/** Asks for a task in the small pools that have a fitting skill, and in two small pools of other repositories. */
function inSmallPools(task: LabelledTask, weight: number): FoldExample[] {
  const own = small.filter(({ ids }) => task.relevant.some((id) => ids.has(id)));
  return [
    ...own.flatMap((pool) => ask(task, pool, weight)),
    ...pickOthers(task, small).flatMap((pool) => askForeign(task.text, task.source, pool, weight * FOREIGN)),
  ];
}

function pickOthers({ source }: LabelledTask, pools: readonly Pool[]): Pool[] {
  const others = pools.filter((pool) => pool.source !== source);
  return [random.pick(others), random.pick(others)];
}

function firstWords(text: string): string {
  return text.split(/\s+/).slice(0, random.between(4, 11)).join(' ');
}

function splitRandomly(skills: readonly RankableSkill[], size: number): RankableSkill[][] {
  const mixed = skills
    .map((skill) => ({ skill, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ skill }) => skill);
  return Array.from({ length: Math.ceil(mixed.length / size) }, (_, at) => mixed.slice(at * size, (at + 1) * size));
}

function print(label: string, coefficients: readonly number[]): void {
  process.stdout.write(`${label.padEnd(40)}${coefficients.map((value) => value.toFixed(2).padStart(8)).join('')}\n`);
}
