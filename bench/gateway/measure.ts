import { median } from '../statistics.ts';
import { type Contender, type Field, INJECTED, OURS } from './contenders.ts';
import type { LoadResult, LoadTask } from './load-task.ts';
import type { CpuTime, MeasuredProcess } from './measured-process.ts';
import { type Cell, type Heap, type Held, type Workload, WORKLOADS } from './results.ts';

const TASK = 'Please compare the invoice of last month with the tax report, and export both for my calendar. ';

/** A chat request of about 2 KB that skills fit, with the bytes that clients send. */
function bodyOf(workload: Workload, model = 'bench'): string {
  const messages = [
    { role: 'system', content: 'You are a helpful assistant. '.repeat(40) },
    { role: 'user', content: TASK.repeat(10) },
  ];
  return JSON.stringify({ model, messages, ...(workload === 'sse' ? { stream: true } : {}) });
}

/**
 * Node needs some 15,000 requests to compile the hot code; until then the cost of a request falls by half, and afterwards it is
 * stable.
 */
const WARM_UP = { connections: 32, count: 20_000, ms: 15_000 };

/** Warms up every contender. */
export async function warmUp({ contenders }: Field, load: MeasuredProcess): Promise<void> {
  for (const contender of contenders)
    for (const workload of WORKLOADS)
      await load.ask('load', { ...target(contender), body: bodyOf(workload), ...WARM_UP });
}

export interface CellPlan {
  readonly workload: Workload;
  readonly connections: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/**
 * Measures the contenders in turn, round by round. Each round starts with a different one, so that other work on the machine
 * affects all alike.
 */
export async function measureCells(field: Field, load: MeasuredProcess, plan: CellPlan): Promise<Cell[]> {
  const { workload, connections, rounds, roundMs } = plan;
  const { contenders } = field;
  const seen = new Map<string, Round[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(round + turn) % contenders.length] as Contender;
      const task = { ...target(contender), body: bodyOf(workload), connections, ms: roundMs };
      const result = await run(contender, load, task);
      seen.set(contender.name, [...(seen.get(contender.name) ?? []), result]);
    }
  }
  return [...seen].map(([contender, results]) => ({ contender, workload, connections, ...summaryOf(results) }));
}

/** A load, and the resources that the process between client and upstream used for it. */
interface Round extends LoadResult {
  /** `undefined` if there is no process. */
  readonly cpu: CpuTime | undefined;
}

function summaryOf(rounds: readonly Round[]): Omit<Cell, 'contender' | 'workload' | 'connections'> {
  const middle = (read: (round: Round) => number): number => median(rounds.map(read));
  const measured = rounds.flatMap(({ cpu, requests }) => (cpu === undefined ? [] : [{ ...cpu, requests }]));
  const cpuMsOfRounds = measured.map(({ userMs, systemMs, requests }) => (userMs + systemMs) / requests);
  return {
    requests: sum(rounds.map(({ requests }) => requests)),
    perSecond: middle(({ requests, seconds }) => requests / seconds),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    firstByteMs: middle(({ firstByteMs }) => firstByteMs),
    cpuMs: measured.length === 0 ? null : median(cpuMsOfRounds),
    systemMs: measured.length === 0 ? null : median(measured.map(({ systemMs, requests }) => systemMs / requests)),
    cpuMsOfRounds,
    pieces: middle(({ pieces, requests }) => pieces / requests),
    failed: sum(rounds.map(({ failed }) => failed)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function run({ process }: Contender, load: MeasuredProcess, task: LoadTask): Promise<Round> {
  const before = await process?.cpu();
  const result = await load.ask<LoadResult>('load', task);
  const after = await process?.cpu();
  if (before === undefined || after === undefined) return { ...result, cpu: undefined };
  const [userMs, systemMs] = [after.userMs - before.userMs, after.systemMs - before.systemMs];
  return { ...result, cpu: { userMs, systemMs } };
}

/** Memory of one gateway after a few and after many requests: half of them streams, half without skills. */
export async function measureHeap(field: Field, load: MeasuredProcess, few: number, many: number): Promise<Heap> {
  const { url, headers } = field.contenders.find(({ name }) => name === INJECTED) as Contender;
  const ways = [headers, { ...headers, 'x-skillwright-mode': 'off' }];
  const sendUpTo = async (sent: number, count: number): Promise<number> => {
    const share = Math.ceil((count - sent) / (ways.length * WORKLOADS.length));
    for (const way of ways)
      for (const workload of WORKLOADS)
        await load.ask('load', { url, headers: way, body: bodyOf(workload), connections: 64, count: share });
    return field.gateway.heapMb();
  };
  const heapMbAfterFew = await sendUpTo(0, few);
  const heapMbAfterMany = await sendUpTo(few, many);
  return { few, many, heapMbAfterFew, heapMbAfterMany };
}

/** Measures streams that the upstream keeps open until all of them are open. */
export async function measureHeld(field: Field, load: MeasuredProcess, asked: number): Promise<Held> {
  const ours = field.contenders.find(({ name }) => name === OURS) as Contender;
  const body = bodyOf('sse', 'held');
  const result = await load.ask<LoadResult>('load', { ...target(ours), body, connections: asked, count: asked });
  return { asked, atOnce: await field.upstream.ask<number>('most'), answered: result.requests };
}

/** Why a contender does not do the work that is measured; `undefined` if it does. */
export async function obstacleOf(contender: Contender, load: MeasuredProcess): Promise<string | undefined> {
  const task = { ...target(contender), body: bodyOf('json'), connections: 1, count: 1 };
  const { firstFailure, injected } = await load.ask<LoadResult>('load', task);
  if (firstFailure !== null) return firstFailure;
  if (contender.name === INJECTED && injected === 0) return 'the gateway adds no skills';
  return contender.name === OURS && injected > 0 ? 'the gateway adds skills' : undefined;
}

function target({ url, headers }: Contender): Pick<LoadTask, 'url' | 'headers'> {
  return { url, headers };
}
