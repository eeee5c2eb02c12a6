import { closestName } from '../../parse/closest-name.ts';
import { describeThrown } from '../../process/handler-answer.ts';
import type { TriggerContext } from '../../select/triggers/trigger-context.ts';
import type { ExecutionCode } from '../../spec/execution.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import type { CallRequest } from '../tools/host-tools.ts';
import { findCause, type FailureCause } from './cause.ts';
import { findGuidance, type GuidanceSearch, type SkillFinder } from './guidance.ts';
import { failureText, guidedMessage } from './message.ts';
import { createOutlines } from './outline.ts';
import { adviseRetry, type RetryAdvice } from './retry.ts';
import { createSkillTraces, type TraceSource } from '../traces/turn-traces.ts';
import { failedOutcome, type ToolOutcome } from '../tools/tool-outcome.ts';
import type { ExecuteOptions, Toolset } from '../tools/toolset.ts';
import { untilAborted } from '../until-aborted.ts';
import { shorten } from '../../parse/shown-value.ts';

/** The definition of a tool that the model was offered. */
export interface RecoverableTool extends ToolDefinition {
  /** Calling it twice has the same effect as calling it once. Default false. */
  readonly isIdempotent?: boolean | undefined;
}

export interface RecoveryOptions extends TraceSource {
  /** Finds skills with guidance, which `load` then reads. Default: finds none, so failures are reported unchanged. */
  readonly find?: SkillFinder['find'] | undefined;
  readonly load?: SkillFinder['load'] | undefined;
  /** The definition of a tool, by the name that the model calls. */
  readonly definitionOf: (tool: string) => RecoverableTool | undefined;
  /**
   * Returns the tool call behind a call of a meta-tool such as `use_skill`: a failure counts for the called tool, not
   * for the meta-tool. Default: the call itself.
   */
  readonly meantCall?: ((request: CallRequest) => CallRequest) | undefined;
  /** Names of the existing tools: a misspelled name gets the guidance for the closest one. Default none. */
  readonly toolNames?: (() => readonly string[]) | undefined;
  /**
   * How many times in a row a tool may fail before the model is told to stop calling it. Calls of one round count once,
   * and unknown tools count together. Default 3.
   */
  readonly maxRetries?: number | undefined;
}

/** A dispatcher that adds advice to failed calls. */
export interface RecoveringToolset extends Toolset {
  execute(request: CallRequest, options?: ExecuteOptions): Promise<ToolOutcome>;
}

const DEFAULT_MAX_RETRIES = 3;
/** Codes of failures that no skill can help with: a person refused the call, or the caller gave up. */
const BEYOND_GUIDANCE: ReadonlySet<ExecutionCode | undefined> = new Set([
  'ApprovalRequired',
  'ApprovalDenied',
  'SkillBlocked',
  'ExecutionTimeout',
  'Cancelled',
] as const);
const MAX_ERROR = 4_000;
const MAX_TOLD = 20_480;
const MAX_NAME = 200;
const NO_GUIDANCE: GuidanceSearch = { guidance: undefined, problem: undefined };

/**
 * Adds a skill's guidance to failed calls: what went wrong, what is required, an example, and whether to call again.
 * Create a new wrapper for each user turn. Never rejects, and never makes a call itself.
 */
export function withRecovery(toolset: Toolset, options: RecoveryOptions): RecoveringToolset {
  const { find, load, definitionOf, turnIndex, maxRetries = DEFAULT_MAX_RETRIES } = options;
  const { meantCall = (request: CallRequest) => request } = options;
  const traces = createSkillTraces(options);
  const failures = createFailureCount();
  const outlineOf = createOutlines();

  const describe = (request: CallRequest, outcome: ToolOutcome, signal: AbortSignal | undefined): Failure => {
    const definition = definitionOf(request.name);
    const read = readFailure(outcome);
    const cause = findCause({ arguments: request.arguments, definition, ...read });
    const tool = request.name.slice(0, MAX_NAME).toWellFormed();
    const count = failures.add(cause.kind === 'unknown-tool' ? '' : request.name, turnIndex());
    const isIdempotent = definition?.isIdempotent === true;
    const advice = adviseRetry({ tool, cause, ...read, isIdempotent, failures: count, maxRetries });
    const isOver = read.code === 'Cancelled' || signal?.aborted === true;
    return { ...read, tool, definition, cause, advice, isOver };
  };

  const meantTool = (written: string): string => closestName(written, options.toolNames?.() ?? []) ?? written;

  const search = async (failure: Failure, context: TriggerContext, signal: AbortSignal | undefined) => {
    if (find === undefined || load === undefined || failure.isOver || failure.advice.isStop === true)
      return NO_GUIDANCE;
    if (BEYOND_GUIDANCE.has(failure.code)) return NO_GUIDANCE;
    const { cause } = failure;
    const tool = cause.kind === 'unknown-tool' ? meantTool(failure.tool) : failure.tool;
    const found = await untilAborted(() => findGuidance({ find, load }, { tool, cause, context, outlineOf }), signal);
    return found.isAborted ? NO_GUIDANCE : found.value;
  };

  const recover = async (request: CallRequest, outcome: ToolOutcome, signal: AbortSignal | undefined) => {
    const failure = describe(request, outcome, signal);
    const context = triggerContext(request, failure, turnIndex());
    const { guidance, problem } = await search(failure, context, signal);
    const message =
      guidance &&
      guidedMessage({ ...failure, error: failure.told, section: guidance.section, advice: failure.advice.sentence });
    if (guidance !== undefined && message !== undefined)
      traces.skill({ ...guidance.skill, trigger: guidance.trigger, context, text: message.quoted });
    traces.toolError({
      callId: request.callId ?? '',
      toolName: failure.tool,
      error: problem === undefined ? failure.error : `${failure.error} [no guidance: ${problem}]`,
      code: failure.code ?? null,
      isRetrySafe: failure.advice.isSafe,
      guidedBy: guidance?.skill.name ?? null,
    });
    const text = message?.text ?? unguidedText(failure);
    return { ...outcome, text, content: [{ type: 'text', text }] } satisfies ToolOutcome;
  };

  return {
    handles: (name, session) => toolset.handles(name, session),
    async execute(request, given = {}) {
      const outcome = await attempt(toolset, request, given);
      const meant = meantCall(request);
      if (outcome.isError) return recover(meant, outcome, given.signal);
      failures.clear(meant.name);
      return outcome;
    },
  };
}

/** A failed call, as reported to the model. */
interface Failure {
  readonly tool: string;
  readonly definition: RecoverableTool | undefined;
  readonly error: string;
  readonly code: ExecutionCode | undefined;
  /** The error for the model, with the program's output if one ran. */
  readonly told: string;
  readonly cause: FailureCause;
  readonly advice: RetryAdvice;
  /** The caller no longer waits for the result. */
  readonly isOver: boolean;
}

async function attempt(toolset: Toolset, request: CallRequest, options: ExecuteOptions): Promise<ToolOutcome> {
  try {
    return await toolset.execute(request, options);
  } catch (error) {
    return failedOutcome('ExecutionFailed', describeThrown(error).message);
  }
}

function readFailure({ value, text, execution }: ToolOutcome): Pick<Failure, 'error' | 'code' | 'told'> {
  const code = execution?.code;
  const whole = execution?.error ?? errorField(value) ?? text;
  const sentence = code !== undefined && whole.startsWith(`${code}: `) ? whole.slice(code.length + 2) : whole;
  const hasPrinted = execution !== undefined && execution === value && execution.stdout + execution.stderr !== '';
  return { error: shorten(sentence, MAX_ERROR), code, told: hasPrinted ? text : shorten(sentence, MAX_TOLD) };
}

function errorField(value: unknown): string | undefined {
  const { error } = (value ?? {}) as { error?: unknown };
  return typeof error === 'string' ? error : undefined;
}

/** The context that a failure's triggers are fired with. */
function triggerContext(
  { callId = '', name, arguments: args }: CallRequest,
  { tool, error }: Failure,
  turnIndex: number,
): TriggerContext {
  return { toolName: tool, error, toolCall: { id: callId, function: { name, arguments: args } }, turnIndex };
}

function unguidedText({ told, advice, code }: Failure): string {
  const text = failureText(told, null);
  return advice.isStop === true || BEYOND_GUIDANCE.has(code) ? `${text}\n\n${advice.sentence}` : text;
}

interface FailureCount {
  /** Counts a failure, and returns how often the tool has failed. */
  add(tool: string, round: number): number;
  clear(tool: string): void;
}

/** Counts rounds, not calls: the model made the calls of one round without seeing each other's results. */
function createFailureCount(): FailureCount {
  const counts = new Map<string, { readonly count: number; readonly round: number }>();
  return {
    add(tool, round) {
      const known = counts.get(tool);
      const count = known?.round === round ? known.count : (known?.count ?? 0) + 1;
      counts.set(tool, { count, round });
      return count;
    },
    clear: (tool) => void counts.delete(tool),
  };
}
