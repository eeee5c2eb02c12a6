/** The calls and workers of one key. */
interface Lane<Task, Worker> {
  readonly key: string;
  readonly waiting: Task[];
  /** Idle workers of this key, most recently used last. */
  readonly idle: Worker[];
  /** The number of this key's workers: starting, busy, idle and ending ones. */
  size: number;
  /** Whether a worker of another key is being evicted to make room for this key. */
  isPromised: boolean;
}

export interface LaneLimits {
  readonly maxWorkers: number;
  readonly maxWorkersPerKey: number;
}

/** What to do next. If `worker` is `undefined`, the call needs a new worker, whose place is already reserved. */
export type LaneStep<Task, Worker> =
  | { readonly type: 'serve'; readonly key: string; readonly task: Task; readonly worker: Worker | undefined }
  | { readonly type: 'evict'; readonly key: string; readonly worker: Worker };

/**
 * Decides which worker gets which call. Keys take turns, one call each, and a worker stays with its key. If all places
 * are taken, the longest idle worker of another key is evicted. If that key has waiting calls, its worker is evicted
 * only for a key with fewer workers, and after its turn (`hasHadTurn`), so that keys do not keep evicting each other.
 */
export class HandlerLanes<Task, Worker> {
  readonly #limits: LaneLimits;
  readonly #hasHadTurn: (worker: Worker) => boolean;
  readonly #lanes = new Map<string, Lane<Task, Worker>>();
  /** Keys with waiting calls, next first. */
  readonly #turns = new Set<Lane<Task, Worker>>();
  /** Idle workers of all keys, longest idle first. */
  readonly #idle = new Map<Worker, Lane<Task, Worker>>();
  readonly #promises = new Map<Worker, Lane<Task, Worker>>();
  #size = 0;
  #waiting = 0;

  constructor(limits: LaneLimits, hasHadTurn: (worker: Worker) => boolean) {
    this.#limits = limits;
    this.#hasHadTurn = hasHadTurn;
  }

  get size(): number {
    return this.#size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get idle(): readonly Worker[] {
    return [...this.#idle.keys()];
  }

  /** Queues a call. `isFirst` puts it before the key's other calls, because its worker was lost. */
  wait(key: string, task: Task, isFirst = false): void {
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, (lane = { key, waiting: [], idle: [], size: 0, isPromised: false }));
    if (isFirst) lane.waiting.unshift(task);
    else lane.waiting.push(task);
    this.#turns.add(lane);
    this.#waiting += 1;
  }

  /** Removes a call that no longer waits. */
  giveUp(key: string, task: Task): void {
    const lane = this.#lanes.get(key);
    const at = lane?.waiting.indexOf(task) ?? -1;
    if (lane === undefined || at === -1) return;
    lane.waiting.splice(at, 1);
    this.#waiting -= 1;
    if (lane.waiting.length === 0) this.#turns.delete(lane);
    this.#forget(lane);
  }

  next(): LaneStep<Task, Worker> | undefined {
    if (this.#idle.size === 0 && this.#size >= this.#limits.maxWorkers) return undefined;
    for (const lane of this.#turns) {
      const worker = lane.idle.at(-1);
      if (worker !== undefined) return this.#serve(lane, worker);
      if (lane.size >= this.#limits.maxWorkersPerKey) continue;
      if (this.#size < this.#limits.maxWorkers) return this.#serve(lane, undefined);
      const victim = lane.isPromised ? undefined : this.#victimFor(lane);
      if (victim === undefined) continue;
      lane.isPromised = true;
      this.#promises.set(victim[0], lane);
      this.withdraw(victim[0]);
      return { type: 'evict', key: victim[1].key, worker: victim[0] };
    }
    return undefined;
  }

  #serve(lane: Lane<Task, Worker>, worker: Worker | undefined): LaneStep<Task, Worker> | undefined {
    const task = lane.waiting.shift();
    if (task === undefined) return undefined;
    this.#waiting -= 1;
    this.#turns.delete(lane);
    if (lane.waiting.length > 0) this.#turns.add(lane);
    if (worker === undefined) {
      lane.size += 1;
      this.#size += 1;
    } else this.withdraw(worker);
    return { type: 'serve', key: lane.key, task, worker };
  }

  #victimFor(wanting: Lane<Task, Worker>): [Worker, Lane<Task, Worker>] | undefined {
    for (const [worker, lane] of this.#idle) {
      if (lane.waiting.length === 0 || (lane.size > wanting.size && this.#hasHadTurn(worker))) return [worker, lane];
    }
    return undefined;
  }

  /** Makes a worker available for another call of its key. */
  rest(key: string, worker: Worker): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.idle.push(worker);
    this.#idle.set(worker, lane);
  }

  /** Removes a worker from the idle workers. The worker keeps its place until `leave`. */
  withdraw(worker: Worker): void {
    const idle = this.#idle.get(worker)?.idle;
    idle?.splice(idle.indexOf(worker), 1);
    this.#idle.delete(worker);
  }

  /** Frees the place of a worker that is gone or never started. */
  leave(key: string, worker?: Worker): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    this.#size -= 1;
    lane.size -= 1;
    const promised = worker === undefined ? undefined : this.#promises.get(worker);
    if (worker !== undefined && promised !== undefined) {
      promised.isPromised = false;
      this.#promises.delete(worker);
    }
    this.#forget(lane);
  }

  #forget(lane: Lane<Task, Worker>): void {
    if (lane.size === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.key);
  }
}
