import { createRandom } from '../random.ts';
import type { Build, Hit, Searchable } from './contenders/contender.ts';
import type { LabelledSet, LabelledTask } from './labelled-set.ts';
import { UNRELATED_TASKS } from './unrelated-tasks.ts';

const LIMIT = 5;

/** A contender's answer to a task: its five best skills. */
export interface Answer {
  readonly task: LabelledTask;
  readonly hits: readonly Hit[];
  /** What a model would be shown. */
  readonly shown: readonly Hit[];
}

/** All answers of a contender on a set. */
export interface Answers {
  /** Each task with the skills of its own source, like an installed set. */
  readonly repository: readonly Answer[];
  /** The tasks that have near misses and no fitting skill. Includes tasks that contain the name of a near miss. */
  readonly nearMisses: readonly Answer[];
  /** Each task with all skills. */
  readonly union: readonly Answer[];
  /** Tasks of other sources with the skills of one source. */
  readonly foreign: readonly Answer[];
  /** Everyday tasks, with the skills of each source and with all. */
  readonly everyday: readonly Answer[];
}

/** Runs all tasks. Tasks that name their skill are left out, because they are too easy to show differences between rankers. */
export async function collectAnswers(set: LabelledSet, build: Build): Promise<Answers> {
  const tasks = set.tasks.filter(({ mentionsName }) => !mentionsName);
  const groups = Map.groupBy(set.skills, ({ id }) => set.sourceOf(id));
  const pools = new Map<string, Searchable>();
  for (const [source, skills] of groups) pools.set(source, await build(skills));
  const union = await build(set.skills);
  const everyday = UNRELATED_TASKS.flatMap((text) =>
    [...pools.values(), union].map((pool) => ({ pool, task: unrelated(text) })),
  );
  return {
    repository: await Promise.all(tasks.map((task) => ask(task, pools.get(task.source)))),
    nearMisses: await Promise.all(set.tasks.filter(isNearMiss).map((task) => ask(task, pools.get(task.source)))),
    union: await Promise.all(tasks.map((task) => ask(task, union))),
    foreign: await Promise.all(
      pairWithOthers(tasks, [...pools.keys()]).map(({ task, source }) => ask(task, pools.get(source))),
    ),
    everyday: await Promise.all(everyday.map(({ task, pool }) => ask(task, pool))),
  };
}

async function ask(task: LabelledTask, pool: Searchable | undefined): Promise<Answer> {
  const hits = (await pool?.search(task.text, LIMIT)) ?? [];
  return { task, hits, shown: pool?.shown?.(task.text) ?? hits };
}

function isNearMiss({ relevant, nearMisses }: LabelledTask): boolean {
  return relevant.length === 0 && nearMisses.length > 0;
}

function unrelated(text: string): LabelledTask {
  return { text, relevant: [], nearMisses: [], source: '', mentionsName: false };
}

/** Two other sources for each task, the same ones in every run. */
function pairWithOthers(
  tasks: readonly LabelledTask[],
  sources: readonly string[],
): { task: LabelledTask; source: string }[] {
  const random = createRandom(6);
  return tasks
    .filter(({ relevant }) => relevant.length > 0)
    .flatMap((task) => {
      const others = sources.filter((source) => source !== task.source);
      return others.length === 0
        ? []
        : [random.pick(others), random.pick(others)].map((source) => ({ task: unrelated(task.text), source }));
    });
}
