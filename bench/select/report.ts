import { formatTable } from '../table.ts';
import { formatTargets } from '../target.ts';
import type { FoldRow, QualityRow, Results, SetResult, SpeedRow } from './results.ts';

/** Formats the results for people. */
export function formatReport(results: Results): string {
  return [
    `Choosing skills, ${results.node}, ${results.machine}`,
    ...(results.absent.length === 0 ? [] : [`Not measured, --peers installs them: ${results.absent.join(', ')}`]),
    ...results.sets.map(formatSet),
    ...results.sizes.map(({ size, rows }) => `${count(size)} skills with bodies of 6 KB\n\n${formatSpeed(rows)}`),
    `numbers\n\n${formatTargets(results.targets)}`,
    '',
  ].join('\n\n');
}

function formatSet({ name, skills, rows, folds }: SetResult): string {
  const tasks = rows[0]?.numbers.tasks ?? 0;
  return [
    `${name} set: ${count(tasks)} tasks, ${count(skills)} skills; percent`,
    formatTable(QUALITY_HEADINGS, rows.map(toQualityCells)),
    'what a model would be shown',
    formatTable(SHOWN_HEADINGS, rows.map(toShownCells)),
    ...rows.flatMap(formatReliability),
    'lexical, fold by fold, on the skills of the own source',
    formatTable(['fold', 'tasks', 'R@1', 'R@5', 'MRR'], folds.map(toFoldCells)),
  ].join('\n\n');
}

const QUALITY_HEADINGS = [
  '',
  'own R@1',
  'R@5',
  'MRR',
  'union R@1',
  'R@5',
  'near miss at equal R@5',
  'R@5 vs foreign',
  'vs everyday',
  'near misses first',
  'in five',
];

function toQualityCells({ label, numbers }: QualityRow): string[] {
  const { repository, union } = numbers;
  return [
    label,
    ...[
      repository.first,
      repository.inFive,
      repository.reciprocalRank,
      union.first,
      union.inFive,
      numbers.nearMissAtEqualRecall,
      numbers.recallAgainstForeign,
      numbers.recallAgainstEveryday,
    ].map(share),
    `${numbers.nearMissFirst} of ${numbers.nearMissTasks}`,
    String(numbers.nearMissInFive),
  ];
}

const SHOWN_HEADINGS = ['', 'recall', 'skills a task', 'foreign tasks with any', 'everyday tasks with any'];

function toShownCells({ label, numbers: { shown } }: QualityRow): string[] {
  return [label, share(shown.recall), shown.skillsPerTask.toFixed(2), share(shown.foreign), share(shown.everyday)];
}

/** The contenders whose strength is a probability. */
function formatReliability({ label, numbers: { reliability } }: QualityRow): string[] {
  if (!label.startsWith('lexical') || reliability.length === 0) return [];
  const cells = reliability.map(({ from, hits, said, right }) => [
    `${(100 * from).toFixed(0)} %`,
    count(hits),
    share(said),
    share(right),
  ]);
  return [`${label}, confidence of the five best`, formatTable(['from', 'hits', 'mean said', 'right'], cells)];
}

function toFoldCells({ fold, tasks, recall }: FoldRow): string[] {
  return [fold, count(tasks), share(recall.first), share(recall.inFive), share(recall.reciprocalRank)];
}

function formatSpeed(rows: readonly SpeedRow[]): string {
  const cells = rows.map(({ label, numbers, reason }) =>
    numbers === undefined
      ? [label, '', '', '', '', '', reason ?? '']
      : [
          label,
          numbers.buildCpuMs.toFixed(0),
          numbers.p50Ms.toFixed(2),
          numbers.p99Ms.toFixed(2),
          numbers.memoryMb.toFixed(1),
          numbers.longestSliceMs?.toFixed(1) ?? '',
          '',
        ],
  );
  return formatTable(['', 'build CPU ms', 'p50 ms', 'p99 ms', 'MB', 'longest slice ms', ''], cells);
}

function share(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(1);
}

function count(value: number): string {
  return value.toLocaleString('en');
}
