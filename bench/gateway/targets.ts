import { DIRECT, INJECTED, NODE_PROXY, OURS, PORTKEY } from './contenders.ts';
import { type Cell, type Results, type Target, type Workload, WORKLOADS } from './results.ts';

/** At as many connections as a busy gateway has. */
const BUSY = 32;

/** What the gateway has to hold. */
export function checkTargets({ cells, heap, held }: Pick<Results, 'cells' | 'heap' | 'held'>): Target[] {
  const find = (contender: string, workload: Workload, connections: number): Cell | undefined =>
    cells.find(
      (cell) => cell.contender === contender && cell.workload === workload && cell.connections === connections,
    );
  const cpu = (contender: string, workload: Workload): number => find(contender, workload, BUSY)?.cpuMs ?? Number.NaN;
  const firstByte = (contender: string): number => find(contender, 'sse', 1)?.firstByteMs ?? Number.NaN;
  const failed = cells.filter(({ contender }) => contender === OURS || contender === INJECTED);
  return [
    ...WORKLOADS.flatMap((workload) => [
      judge(
        `${workload}: CPU by that of a bare Node proxy`,
        '≤ 2.5 ×',
        cpu(OURS, workload) / cpu(NODE_PROXY, workload),
        2.5,
      ),
      judge(`${workload}: CPU by that of Portkey`, '≤ 0.25 ×', cpu(OURS, workload) / cpu(PORTKEY, workload), 0.25),
    ]),
    judge('first token later, with 100 skills, ms', '≤ 5', firstByte(INJECTED) - firstByte(DIRECT), 5),
    judge(`heap after ${heap.many} less after ${heap.few}, MB`, '≤ 5', heap.heapMbAfterMany - heap.heapMbAfterFew, 5),
    judge(`of ${held.asked} streams at once, not held`, '0', held.asked - Math.min(held.atOnce, held.answered), 0),
    judge(
      'requests that failed',
      '0',
      failed.reduce((sum, cell) => sum + cell.failed, 0),
      0,
    ),
  ];
}

function judge(name: string, limit: string, measured: number, most: number): Target {
  if (Number.isNaN(measured)) return { name, limit };
  return { name, limit, measured: measured.toFixed(Number.isInteger(measured) ? 0 : 2), pass: measured <= most };
}
