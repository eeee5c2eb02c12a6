import type { RegisteredPolicy } from '../registry/registered-skill.ts';
import type { ListedExecution, StoredExecution } from '../store/tables/execution-rows.ts';
import type { ExecutionFilter } from '../store/tables/execution-table.ts';
import type { Page, PageRequest } from '../store/page.ts';

/** The caller for whom a skill runs, and the run's connections. */
export interface HandlerContext {
  readonly executionId: string;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  /** Aborts on timeout, on cancellation and at shutdown. */
  readonly signal: AbortSignal;
  /** Live output for the watchers of the execution. */
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Records the sandbox tier in the execution's row, for handlers that run a program in a sandbox. */
  readonly onTier?: ((tier: string) => void) | undefined;
}

/** A function of the host's program that skills may name. Its output must be JSON. */
export type Handler = (input: Readonly<Record<string, unknown>>, context: HandlerContext) => unknown;

/** Options for registering a handler. */
export interface HandlerOptions {
  /**
   * Whether running the handler twice has the same effect as running it once. If so, a failed attempt is repeated, by
   * default three times.
   */
  readonly idempotent?: boolean | undefined;
}

/** Whether running twice has the same effect as running once: always, never, or with some inputs. */
export type Idempotent = boolean | ((input: Readonly<Record<string, unknown>>) => boolean);

/** One of the gateway's own skills: a function, and its row of the registry. */
export interface BuiltInSkill {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  readonly policy: RegisteredPolicy;
  readonly tags: readonly string[];
  readonly timeoutMs: number;
  readonly retries: number;
  readonly idempotent: Idempotent;
  /** Whether a caller without a key may use it. False for skills that touch files or run code. */
  readonly anonymous: boolean;
  readonly execute: Handler;
}

/** Which skill to run, and for whom. */
export interface ExecutionRequest {
  readonly skillName: string;
  /** A version or a range. Default: the range in `name@range`, or else the highest version. */
  readonly version?: string | undefined;
  /** The handler's input, or for a package `{ script, args?, stdin? }` or `{ tool, arguments }`. Default `{}`. */
  readonly input?: unknown;
  readonly apiKeyId: string | null;
  readonly sessionId?: string | null | undefined;
  /** Who calls. A person's own request counts as approved; a model's call is subject to the skill's policy. */
  readonly caller: 'model' | 'user';
  readonly signal?: AbortSignal | undefined;
}

/** An event of an execution, for its watchers. */
export type ExecutionEvent =
  | { readonly type: 'status'; readonly execution: StoredExecution }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string };

/**
 * Runs skills of every kind. The row is written before anything starts. A failed run is an execution with an error;
 * only misuse throws: `UnknownSkill` (404), `SkillNotAllowed` (403: mode off, policy), `SkillBlocked` (403),
 * `SkillsDisabled` (503), `InvalidInput` (400), `InputTooLarge` (413), `TooManyExecutions` (429).
 */
export interface Executor {
  /** Resolves when the execution has ended. */
  execute(request: ExecutionRequest): Promise<StoredExecution>;
  /** Resolves once the row is written; the execution continues. */
  start(request: ExecutionRequest): Promise<StoredExecution>;
  registerHandler(name: string, handler: Handler, options?: HandlerOptions): void;
  hasHandler(name: string): boolean;
  /** Names of the registered handlers, in order. */
  readonly handlerNames: readonly string[];
  /** Sets the timeout for handlers without their own. Default 30 seconds. */
  setTimeout(ms: number): void;
  /** Sets the number of retries for idempotent handlers without their own. Default 3. */
  setMaxRetries(retries: number): void;
  getExecution(id: string): Promise<StoredExecution | undefined>;
  /** Lists executions, newest first. Leaves out inputs and outputs over 4 KiB, which `getExecution` returns. */
  listExecutions(filter: ExecutionFilter, page: PageRequest): Promise<Page<ListedExecution>>;
  countExecutions(filter: ExecutionFilter): Promise<number>;
  /** Ends a running execution. Returns false if it has ended or is unknown. */
  cancel(id: string): Promise<boolean>;
  /** Follows an execution: replays kept events, and ends after the last status. */
  watch(id: string, signal: AbortSignal): AsyncIterable<ExecutionEvent>;
}
