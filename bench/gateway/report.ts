import { formatTable } from '../table.ts';
import { formatTargets } from '../target.ts';
import type { Cell, Results } from './results.ts';

/** Formats the results for people. */
export function formatReport(results: Results): string {
  const { node, machine, load, seconds, absent, cells, heap, held, targets } = results;
  const groups = Map.groupBy(cells, ({ workload, connections }) => `${workload}, ${connections} at a time`);
  return [
    `The gateway, ${node}, ${machine}, load ${load.toFixed(1)}, ${seconds.toFixed(0)} s`,
    ...absent.map(({ contender, reason }) => `Not measured: ${contender}: ${reason}`),
    ...[...groups].map(([name, rows]) => `${name}\n\n${formatTable(HEADINGS, rows.map(toCells))}`),
    `Heap after a collection: ${heap.heapMbAfterFew.toFixed(1)} MB after ${heap.few} requests, ` +
      `${heap.heapMbAfterMany.toFixed(1)} MB after ${heap.many}.`,
    `Streams: ${held.asked} asked for, ${held.atOnce} at the same time, ${held.answered} answered whole.`,
    `numbers\n\n${formatTargets(targets)}`,
    '',
  ].join('\n\n');
}

const HEADINGS = ['', 'requests/s', 'p50 ms', 'p99 ms', 'first byte ms', 'CPU ms', 'of it kernel', 'pieces', 'failed'];

function toCells(cell: Cell): string[] {
  const { contender, perSecond, p50Ms, p99Ms, firstByteMs, cpuMs, systemMs, pieces, failed } = cell;
  const times = [p50Ms, p99Ms, firstByteMs].map((ms) => ms.toFixed(2));
  const used = [cpuMs, systemMs].map((ms) => ms?.toFixed(3) ?? '–');
  return [contender, perSecond.toFixed(0), ...times, ...used, pieces.toFixed(1), String(failed)];
}
