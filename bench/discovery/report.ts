import { formatTable } from '../table.ts';
import { formatTargets } from '../target.ts';
import type { Results, Row, SizeResult } from './results.ts';

/** Formats the results for people. */
export function formatReport(results: Results): string {
  return [
    `Discovery, ${results.node}, ${results.machine}`,
    'Medians with a hot page cache. Only the warm row uses an index cache. Settled: the 5th and later discoveries of a process. First: the first one of a fresh process.',
    ...results.sizes.map(formatSize),
    formatExtras(results),
    `numbers\n\n${formatTargets(results.targets)}`,
    '',
  ].join('\n\n');
}

function formatSize({ size, tree, rows }: SizeResult): string {
  const title = `${count(size)} skills (${count(tree.files)} files, ${(tree.bytes / 2 ** 20).toFixed(1)} MB)`;
  const headings = ['', 'found', 'CPU ms', '× W', 'µs/skill', 'first CPU ms', 'first × W', 'first wall ms', 'note'];
  return `${title}\n\n${formatTable(
    headings,
    rows.map((row) => toCells(row, size)),
  )}`;
}

function toCells(row: Row, size: number): string[] {
  const { numbers } = row;
  if (numbers === undefined) {
    const status = row.kind === 'peer' ? 'not callable' : row.status;
    return [row.label, status, '', '', '', '', '', '', row.reason ?? ''];
  }
  return [
    row.label,
    numbers.found === size ? count(size) : `${count(numbers.found)} / ${count(size)}`,
    numbers.isSettled ? numbers.cpuMs.toFixed(1) : '–',
    numbers.isSettled ? numbers.ratio.toFixed(2) : '–',
    numbers.cpuPerSkillUs.toFixed(1),
    numbers.firstCpuMs.toFixed(1),
    numbers.firstRatio.toFixed(2),
    numbers.wallMs.toFixed(1),
    row.note,
  ];
}

function formatExtras({ invoke, heap }: Results): string {
  const lines: string[] = [];
  if (invoke.status === 'measured') {
    const { skills, coldP50Ms, coldP99Ms, warmP50Ms, warmP99Ms } = invoke.value;
    lines.push(
      `invokeSkill of ${count(skills)} skills: cold p50 ${coldP50Ms.toFixed(3)} ms, p99 ${coldP99Ms.toFixed(3)} ms; ` +
        `warm p50 ${warmP50Ms.toFixed(3)} ms, p99 ${warmP99Ms.toFixed(3)} ms`,
    );
  } else lines.push(`invokeSkill: ${invoke.status} (${invoke.reason})`);
  if (heap.status === 'measured') {
    lines.push(`heap of ${count(heap.size)} skills after gc: ${heap.value.heapMb.toFixed(1)} MB`);
  } else lines.push(`heap: ${heap.status} (${heap.reason})`);
  return lines.join('\n');
}

/** Pads columns to their widest cell and aligns columns of numbers to the right. */
function count(value: number): string {
  return value.toLocaleString('en');
}
