import { availableParallelism } from 'node:os';
import { SkillwrightError, invalidOption } from '../../spec/errors/error.ts';
import {
  type HandlerOutcome,
  type HandlerRequest,
  unstartedOutcome,
  createHandlerStop,
  type HandlerStop,
  type StopReason,
} from './handler-call.ts';
import { isNestedDeeper, MAX_DEPTH } from './handler-channel.ts';
import { type HandlerWorker, type ServedCall, startHandlerWorker } from './handler-worker.ts';
import { HandlerLanes } from './worker-slots.ts';

export interface HandlerPoolOptions {
  /** The most workers of all keys together. Default: the number of processors, at least 2. */
  readonly maxWorkers?: number | undefined;
  /** The most workers of one key. Default: as `maxWorkers`. */
  readonly maxWorkersPerKey?: number | undefined;
  /** How many calls a worker serves before it is replaced. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** Milliseconds after which an idle worker is ended. Default 60,000. */
  readonly idleMs?: number | undefined;
  /** How many calls may wait in the queue; further calls are refused. Default 10,000. */
  readonly maxWaiting?: number | undefined;
}

/** The options with defaults filled in. */
type HandlerPoolLimits = { readonly [Name in keyof HandlerPoolOptions]-?: number };

/** The largest number that an option accepts: the longest delay of a Node timer. */
const MAX_NUMBER = 2 ** 31 - 1;

export interface HandlerPoolStats {
  /** Starting, busy, idle and ending workers. */
  readonly workers: number;
  readonly busy: number;
  readonly waiting: number;
  /** How many workers were started since the pool was created. */
  readonly started: number;
}

/** Calls handlers in warm workers: each serves one call at a time, and only one key. */
export interface HandlerPool {
  /** Runs a call. Never rejects. When it resolves, no process of a stopped call is left running. */
  call(request: HandlerRequest): Promise<HandlerOutcome>;
  /** Ends an owner's idle workers; a busy worker ends with its call if the call's signal is aborted. */
  endWorkersOf(owner: string): void;
  /** Ends every worker; waiting, running and later calls are cancelled. */
  close(): Promise<void>;
  stats(): HandlerPoolStats;
}

/** A worker and its place in the pool. */
interface Resident {
  readonly key: string;
  readonly owner: string | undefined;
  readonly worker: HandlerWorker;
  readonly startedAt: number;
  calls: number;
  reaper: NodeJS.Timeout | undefined;
  isLeaving: boolean;
}

/** A call and what is needed to answer it. */
interface Task {
  readonly request: HandlerRequest;
  /** The request's input as JSON. */
  readonly input: string;
  readonly stop: HandlerStop;
  readonly resolve: (outcome: HandlerOutcome) => void;
}

/** How long a worker serves its own key before it must make room for a key with fewer workers. */
const TURN_MS = 100;

export function createHandlerPool(options: HandlerPoolOptions = {}): HandlerPool {
  return new WorkerPool(readHandlerPoolOptions(options));
}

class WorkerPool implements HandlerPool {
  readonly #options: HandlerPoolLimits;
  readonly #lanes: HandlerLanes<Task, Resident>;
  /** Calls without an outcome yet. */
  readonly #tasks = new Set<Task>();
  /** Calls in workers, and workers that are ending: `close` waits for them. */
  readonly #running = new Set<Promise<void>>();
  readonly #endings = new Set<Promise<void>>();
  #started = 0;
  #isClosed = false;

  constructor(options: HandlerPoolLimits) {
    this.#options = options;
    this.#lanes = new HandlerLanes(options, ({ startedAt }) => performance.now() - startedAt >= TURN_MS);
  }

  stats(): HandlerPoolStats {
    const { size: workers, waiting } = this.#lanes;
    return { workers, busy: this.#tasks.size - waiting, waiting, started: this.#started };
  }

  call(request: HandlerRequest): Promise<HandlerOutcome> {
    const input = encodeInput(request.input);
    if (this.#isClosed || request.signal?.aborted === true) return Promise.resolve(unstartedOutcome('cancelled'));
    if (typeof input !== 'string') return Promise.resolve(unstartedOutcome('not-started', input));
    const { maxWaiting } = this.#options;
    return new Promise((resolve) => {
      const task = { request, input, stop: createHandlerStop(request.timeoutMs, request.signal), resolve };
      this.#tasks.add(task);
      this.#listenWhileWaiting(task);
      this.#lanes.wait(request.key, task);
      this.#dispatch();
      if (this.#lanes.waiting <= maxWaiting) return;
      this.#lanes.giveUp(request.key, task);
      this.#settle(task, unstartedOutcome('not-started', launchError(`${maxWaiting} calls are already waiting`)));
    });
  }

  endWorkersOf(owner: string): void {
    for (const resident of this.#lanes.idle) if (resident.owner === owner) this.#dismiss(resident);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#tasks) stop.stop('cancelled');
    for (const resident of this.#lanes.idle) this.#dismiss(resident);
    while (this.#running.size > 0 || this.#endings.size > 0) await Promise.all([...this.#running, ...this.#endings]);
  }

  #dispatch(): void {
    if (this.#isClosed) return;
    for (let step = this.#lanes.next(); step !== undefined; step = this.#lanes.next()) {
      if (step.type === 'evict') this.#retire(step.worker);
      else track(this.#running, this.#run(step.task, step.worker));
    }
  }

  async #run(task: Task, idle: Resident | undefined): Promise<void> {
    task.stop.startClock();
    const resident = idle ?? (await this.#start(task));
    if (resident !== undefined) await this.#serve(task, resident);
    this.#dispatch();
  }

  /** Starts a worker for a call. If the call is stopped meanwhile, it does not wait for the worker. */
  async #start(task: Task): Promise<Resident | undefined> {
    const { request, stop } = task;
    this.#started += 1;
    const starting = startHandlerWorker(request);
    const stopped = new Promise<StopReason>((resolve) => {
      stop.listen(resolve);
      if (stop.reason !== undefined) resolve(stop.reason);
    });
    try {
      const worker = await Promise.race([starting, stopped]);
      if (typeof worker !== 'string')
        return {
          key: request.key,
          owner: request.owner,
          worker,
          startedAt: performance.now(),
          calls: 0,
          reaper: undefined,
          isLeaving: false,
        };
      this.#settle(task, unstartedOutcome(worker));
      track(this.#endings, this.#endLate(request.key, starting));
    } catch (cause) {
      this.#settle(task, unstartedOutcome('not-started', cause));
      this.#lanes.leave(request.key);
    }
    return undefined;
  }

  async #endLate(key: string, starting: Promise<HandlerWorker>): Promise<void> {
    try {
      await (await starting).end();
    } catch {
      // The worker did not start, so there is nothing to end.
    }
    this.#lanes.leave(key);
    this.#dispatch();
  }

  async #serve(task: Task, resident: Resident): Promise<void> {
    const { request, stop } = task;
    clearTimeout(resident.reaper);
    resident.calls += 1;
    const { outcome, isUsable, isLost } = await this.#ask(resident.worker, task);
    // The call may have been stopped at the moment it returned a result: then the worker is not kept.
    const isWelcome = !this.#isClosed && request.signal?.aborted !== true;
    if (isUsable && resident.calls < this.#options.maxCalls && isWelcome) this.#rest(resident);
    else this.#retire(resident);
    if (!isLost || stop.reason !== undefined) return this.#settle(task, outcome);
    this.#listenWhileWaiting(task);
    this.#lanes.wait(request.key, task, true);
  }

  /**
   * Gives a call to a worker. If a tier breaks its contract and rejects, the call still gets an outcome, and the
   * worker's place becomes free.
   */
  async #ask(worker: HandlerWorker, { request, input, stop }: Task): Promise<ServedCall> {
    try {
      return await worker.serve(request, input, stop);
    } catch (cause) {
      return { outcome: unstartedOutcome('not-started', cause), isUsable: false, isLost: false };
    }
  }

  #listenWhileWaiting(task: Task): void {
    task.stop.listen((reason) => {
      this.#lanes.giveUp(task.request.key, task);
      this.#settle(task, unstartedOutcome(reason));
    });
  }

  #settle(task: Task, outcome: HandlerOutcome): void {
    task.stop.listen(undefined);
    task.stop.dispose();
    this.#tasks.delete(task);
    task.resolve(outcome);
  }

  #rest(resident: Resident): void {
    const leave = (): void => this.#dismiss(resident);
    this.#lanes.rest(resident.key, resident);
    resident.reaper = setTimeout(leave, this.#options.idleMs).unref();
    resident.worker.rest(leave);
  }

  /** Ends an idle worker. */
  #dismiss(resident: Resident): void {
    this.#lanes.withdraw(resident);
    this.#retire(resident);
  }

  /** Ends a worker; its place becomes free when it is gone. */
  #retire(resident: Resident): void {
    if (resident.isLeaving) return;
    resident.isLeaving = true;
    clearTimeout(resident.reaper);
    const end = async (): Promise<void> => {
      await resident.worker.end().catch(() => {});
      this.#lanes.leave(resident.key, resident);
      this.#dispatch();
    };
    track(this.#endings, end());
  }
}

/** Tracks a promise until it settles. The promise must not reject. */
function track(set: Set<Promise<void>>, work: Promise<void>): void {
  const tracked = work.finally(() => set.delete(tracked));
  set.add(tracked);
}

function encodeInput(input: unknown): string | Error {
  try {
    const text = JSON.stringify(input ?? null) as string | undefined;
    if (text === undefined) return launchError(`a ${typeof input} cannot be passed to a handler`);
    if (!isNestedDeeper(text, MAX_DEPTH)) return text;
    return launchError(`its input is nested more than ${MAX_DEPTH} levels deep`);
  } catch (cause) {
    return launchError('its input is not valid JSON', cause);
  }
}

/** Makes an error for the `cause` of an outcome. */
function launchError(message: string, cause?: unknown): SkillwrightError {
  return new SkillwrightError('LaunchFailed', message, { cause });
}

/** Throws `InvalidOptions` for an invalid number. */
function readHandlerPoolOptions(options: HandlerPoolOptions): HandlerPoolLimits {
  const maxWorkers = options.maxWorkers ?? Math.max(2, availableParallelism());
  const limits = {
    maxWorkers,
    maxWorkersPerKey: options.maxWorkersPerKey ?? maxWorkers,
    maxCalls: options.maxCalls ?? 1_000,
    idleMs: options.idleMs ?? 60_000,
    maxWaiting: options.maxWaiting ?? 10_000,
  };
  for (const [option, value] of Object.entries(limits)) {
    const least = option === 'maxWaiting' ? 0 : 1;
    if (Number.isSafeInteger(value) && value >= least && value <= MAX_NUMBER) continue;
    throw invalidOption(option, `must be a whole number from ${least} to ${MAX_NUMBER}, not ${String(value)}`);
  }
  return limits;
}
