import type { RegisteredPolicy } from '../registry/registered-skill.ts';
import type { ListedExecution, StoredExecution } from '../store/tables/execution-rows.ts';
import type { ExecutionFilter } from '../store/tables/execution-table.ts';
import type { Page, PageRequest } from '../store/page.ts';

/** On whose behalf a skill runs. */
export interface HandlerContext {
  readonly executionId: string;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  /** Aborts on timeout, on cancellation and at shutdown. */
  readonly signal: AbortSignal;
  /** Live output for the watchers of the execution. */
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void;
  /** For what runs a program in a sandbox: the tier, for the execution's row. */
  readonly onTier?: ((tier: string) => void) | undefined;
}

/** A function of the host's program that skills may name. Its answer must be JSON. */
export type Handler = (input: Readonly<Record<string, unknown>>, context: HandlerContext) => unknown;

/** Options of registering a handler. */
export interface HandlerOptions {
  /** Calling it twice is as good as once: a failed attempt is repeated, three times by default. */
  readonly idempotent?: boolean | undefined;
}

/** A skill that the gateway brings itself: a function of its own, and its row of the registry. */
export interface BuiltInSkill {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  readonly policy: RegisteredPolicy;
  readonly tags: readonly string[];
  readonly timeoutMs: number;
  readonly retries: number;
  readonly idempotent: boolean;
  /** Whether a caller without a key may use it: not where it touches files or runs code. */
  readonly anonymous: boolean;
  readonly execute: Handler;
}

/** What is to be run, and for whom. */
export interface ExecutionRequest {
  readonly skillName: string;
  /** A version or a range. Default: the highest. Also taken from `name@range`. */
  readonly version?: string | undefined;
  /** The handler's input, or for a package `{ script, args?, stdin? }` or `{ tool, arguments }`. Default `{}`. */
  readonly input?: unknown;
  readonly apiKeyId: string | null;
  readonly sessionId?: string | null | undefined;
  /** Who asks. A person who asks has approved; a model's call is judged by the skill's policy. */
  readonly caller: 'model' | 'user';
  readonly signal?: AbortSignal | undefined;
}

/** What happens to an execution, for its watchers. */
export type ExecutionEvent =
  | { readonly type: 'status'; readonly execution: StoredExecution }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string };

/**
 * Runs skills of every kind. A row is there before anything starts; a failed run is an execution with an error, and only
 * misuse is thrown: `UnknownSkill` (404), `SkillNotAllowed` (403: mode off, policy), `SkillBlocked` (403), `SkillsDisabled` (503), `InvalidInput` (400),
 * `InputTooLarge` (413), `TooManyExecutions` (429).
 */
export interface Executor {
  /** Resolves when it has ended. */
  execute(request: ExecutionRequest): Promise<StoredExecution>;
  /** Resolves once its row is written; it goes on by itself. */
  start(request: ExecutionRequest): Promise<StoredExecution>;
  registerHandler(name: string, handler: Handler, options?: HandlerOptions): void;
  hasHandler(name: string): boolean;
  /** Names of the handlers that were registered, in order. */
  readonly handlerNames: readonly string[];
  /** Sets the timeout for handlers without their own. Default 30 seconds. */
  setTimeout(ms: number): void;
  /** Sets the number of retries for idempotent handlers without their own. Default 3. */
  setMaxRetries(retries: number): void;
  getExecution(id: string): Promise<StoredExecution | undefined>;
  /** The newest first. Inputs and outputs of more than 4 KiB are left out; `getExecution` has them. */
  listExecutions(filter: ExecutionFilter, page: PageRequest): Promise<Page<ListedExecution>>;
  countExecutions(filter: ExecutionFilter): Promise<number>;
  /** Ends what is under way; false when it has ended or there is none. */
  cancel(id: string): Promise<boolean>;
  /** Follows an execution from what is known of it; ends after its last status. */
  watch(id: string, signal: AbortSignal): AsyncIterable<ExecutionEvent>;
}
