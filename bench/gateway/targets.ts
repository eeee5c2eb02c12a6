import { median } from '../statistics.ts';
import { DIRECT, INJECTED, NODE_PROXY, OURS, PORTKEY } from './contenders.ts';
import type { Target } from '../target.ts';
import { type Cell, type Results, type Workload, WORKLOADS } from './results.ts';

/** The concurrency of a busy gateway. */
const BUSY = 32;

type Find = (contender: string, workload: Workload, connections: number) => Cell | undefined;

/** The targets for the gateway. */
export function checkTargets({ cells, heap, held }: Pick<Results, 'cells' | 'heap' | 'held'>): Target[] {
  const find: Find = (contender, workload, connections) =>
    cells.find(
      (cell) => cell.contender === contender && cell.workload === workload && cell.connections === connections,
    );
  const firstByte = (contender: string): number => find(contender, 'sse', 1)?.firstByteMs ?? Number.NaN;
  const failed = cells.filter(({ contender }) => contender === OURS || contender === INJECTED);
  return [
    ...WORKLOADS.flatMap((workload) => cpuTargets(find, workload)),
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

function cpuTargets(find: Find, workload: Workload): Target[] {
  const ratio = (contender: string, other: string): readonly number[] =>
    ratiosOf(find(contender, workload, BUSY), find(other, workload, BUSY));
  const floor = ratio(NODE_PROXY, PORTKEY);
  const told = floor.length === 0 ? '' : ` (a bare Node proxy: ${median(floor).toFixed(2)})`;
  return [
    judgeRatio(`${workload}: CPU by that of a bare Node proxy`, ratio(OURS, NODE_PROXY), 2.5),
    judgeRatio(`${workload}: CPU by that of Portkey${told}`, ratio(OURS, PORTKEY), 0.25),
  ];
}

/** Compares round by round: other work on the machine affects both contenders of a round. */
function ratiosOf(one: Cell | undefined, other: Cell | undefined): readonly number[] {
  if (one === undefined || other === undefined) return [];
  return one.cpuMsOfRounds.map((ms, round) => ms / (other.cpuMsOfRounds[round] ?? Number.NaN));
}

function judgeRatio(name: string, ratios: readonly number[], most: number): Target {
  const limit = `≤ ${most} ×`;
  if (ratios.length === 0) return { name, limit };
  const [middle, least, greatest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  const measured = `${middle.toFixed(2)} (${least.toFixed(2)} to ${greatest.toFixed(2)})`;
  return { name, limit, measured, pass: middle <= most };
}

function judge(name: string, limit: string, measured: number, most: number): Target {
  if (Number.isNaN(measured)) return { name, limit };
  return { name, limit, measured: measured.toFixed(Number.isInteger(measured) ? 0 : 2), pass: measured <= most };
}
