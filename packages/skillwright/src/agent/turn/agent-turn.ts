import { withoutAbsent } from '../../parse/json/json-source.ts';
import { randomUUID } from 'node:crypto';
import { describeThrown } from '../../process/handler-answer.ts';
import { estimateTokens } from '../../select/listing/token-estimate.ts';
import type { Approve } from '../../spec/approval.ts';
import type { AgentEventListener } from '../../spec/events/agent-events.ts';
import type { TraceListener } from '../../spec/events/trace.ts';
import type { ModelClient, ModelFailure } from '../../spec/model.ts';
import type { ToolCall, ToolDefinition, ToolResult, Usage, WireBody } from '../../spec/wire.ts';
import type { ModelFormat } from '../../spec/formats/model-format.ts';
import { wireFormat } from '../../wire/format.ts';
import type { AgentSession } from '../session/agent-session.ts';
import type { CallRequest } from '../tools/host-tools.ts';
import { textOutcome, type ToolOutcome } from '../tools/tool-outcome.ts';
import type { ExecuteOptions } from '../tools/toolset.ts';
import { type ParentCall, createTurnTraces, type TurnTraces } from '../traces/turn-traces.ts';
import { driveTurn } from './drive-turn.ts';
import type { CallContext } from './run-calls.ts';
import type { TurnBounds, TurnEnding, TurnEndReason } from './turn.ts';

/** Images and files in base64: their length says nothing about their token count. */
const MEDIA = /^[A-Za-z0-9+/_=-]{2000}/;

/** Everything an agent needs for one user turn. */
export interface AgentTurn {
  readonly model: ModelClient;
  readonly stream: boolean;
  readonly system: string;
  /** The conversation so far, in the format's own shape. */
  readonly history: readonly unknown[];
  /** The user's new message; `undefined` if the history ends with it. */
  readonly input: string | undefined;
  readonly tools: readonly ToolDefinition[];
  /** Runs calls. Never rejects because of what a model asks for. */
  readonly execute: (request: CallRequest, options: ExecuteOptions) => Promise<ToolOutcome>;
  readonly session: AgentSession | undefined;
  /** System text for one round only. */
  readonly guidance?: ((round: number, messages: readonly unknown[]) => Promise<string>) | undefined;
  /** Returns a shorter history with the same meaning. If it throws, the history stays unchanged. */
  readonly compact?: ((messages: readonly unknown[], inputTokens: number) => Promise<readonly unknown[]>) | undefined;
  readonly bounds?: Partial<TurnBounds> | undefined;
  readonly maxTimeMs?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly maxParallel?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly approve?: Approve | undefined;
  readonly onEvent?: AgentEventListener | undefined;
  readonly onTrace?: TraceListener | undefined;
  readonly runId: string;
  /** The call of another agent that started this one. */
  readonly parent?: ParentCall | undefined;
  /** Called with the usage as soon as it is known. */
  readonly onUsage?: ((usage: Usage) => void) | undefined;
  /** Called with the number of the current round. */
  readonly onRound?: ((round: number) => void) | undefined;
}

/** What `runAgent` returns: the text, the history, the usage and why the agent stopped. */
export interface AgentResult {
  /** The model's last text. */
  readonly text: string;
  /**
   * The conversation in the format's own shape, including this turn. Always valid: pass it as the next turn's history.
   */
  readonly messages: readonly unknown[];
  /** The total of all requests, including those of forked skills; zeros if the provider did not report usage. */
  readonly usage: Usage;
  /** Why the turn ended; `end` if the model was done. */
  readonly reason: TurnEndReason;
  /** What went wrong, if anything did. */
  readonly error?: string;
  /** How the request to the model failed, if it did. */
  readonly failure?: AgentFailure;
  /** Requests that were sent; a retried request counts once. */
  readonly rounds: number;
  readonly runId: string;
}

/** A failed request, for programs that act on it. */
export interface AgentFailure extends Pick<ModelFailure, 'kind' | 'isPassing' | 'retryAfterMs'> {
  /** The HTTP status of a provider's answer. */
  readonly status?: number;
}

const NO_USAGE: Usage = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
const DROPPED = 'This result was only needed in its own turn and was removed to save space.';

export function createRunId(): string {
  return `run-${randomUUID()}`;
}

/** Answers a user's message, in as many rounds as the model needs. */
export async function takeTurn(turn: AgentTurn): Promise<AgentResult> {
  const format = wireFormat(turn.model.format);
  const { body, leading } = firstRequest(format, turn);
  let round = 0;
  let prepared: { readonly round: number; readonly system: string } | undefined;
  const traces = createTurnTraces({ ...turn, turnIndex: () => round });
  const passing = new Set<string>();
  const ending = await driveTurn({
    format,
    body,
    stream: turn.stream,
    bounds: turn.bounds,
    model: turn.model,
    isWatched: turn.stream && turn.onEvent !== undefined,
    signal: turn.signal,
    maxTimeMs: turn.maxTimeMs,
    maxParallel: turn.maxParallel,
    execute: (call, context) => answer(call, context, { turn, traces, passing }),
    compact:
      turn.compact === undefined
        ? undefined
        : async (current, inputTokens, number) => {
            const history = historyOf(format, current);
            try {
              const tokens = inputTokens > 0 ? inputTokens : estimateRequest(current);
              const messages = (await turn.compact?.(history.slice(leading), tokens)) ?? [];
              return { ...current, [format.historyField]: [...history.slice(0, leading), ...messages] };
            } catch (error) {
              traces.tell({ type: 'compact-failed', round: number, error: describeThrown(error).message });
              return current;
            }
          },
    async prepare(current, number) {
      round = number;
      // A retry sends the same request.
      if (prepared?.round !== number) {
        turn.onRound?.(number);
        traces.tell({ type: 'round-start', round: number });
        const said = (await turn.guidance?.(number, historyOf(format, current).slice(leading))) ?? '';
        const kept = turn.session?.kept ?? '';
        prepared = { round: number, system: [kept, said].filter((text) => text !== '').join('\n\n') };
      }
      return prepared.system === '' ? current : format.addSystem(current, prepared.system);
    },
    hear(event) {
      if (turn.stream && (event.type === 'text' || event.type === 'reasoning')) traces.tell(event);
    },
    onRound(report) {
      if (!turn.stream && report.turn !== undefined) {
        const { text, reasoning } = report.turn;
        if (reasoning !== '') traces.tell({ type: 'reasoning', text: reasoning });
        if (text !== '') traces.tell({ type: 'text', text });
      }
      if (report.usage !== undefined) turn.onUsage?.(report.usage);
      traces.round(report);
    },
    onRetry: ({ round: number, attempt, delayMs, error }) =>
      traces.tell({ type: 'retry', round: number, attempt, delayMs, error }),
    onRefused({ call, reason }) {
      traces.tell({ type: 'tool-start', callId: call.id, toolName: call.name, arguments: call.argumentsText });
      traces.call({ call, outcome: { ...textOutcome(`Error: ${reason}`), isError: true }, durationMs: 0 });
    },
  });
  traces.end(ending);
  const messages = historyOf(format, ending.body).slice(leading);
  return resultOf(turn, ending, format.dropResults(messages, passing, DROPPED));
}

/** The first request, and how many entries of its history precede the conversation itself. */
function firstRequest(format: ModelFormat, turn: AgentTurn): { readonly body: WireBody; readonly leading: number } {
  const { model, system, tools, stream, maxOutputTokens, history, input } = turn;
  const request = { model: model.model, system, tools, stream, maxOutputTokens };
  const spoken = input === undefined ? [] : historyOf(format, format.createRequest({ ...request, system: '', input }));
  const leading = historyOf(format, format.createRequest({ ...request, input: [] })).length;
  const body = format.createRequest({ ...request, input: [...history, ...spoken] });
  const asked = stream ? (format.usageChoice?.ask(body) ?? body) : body;
  return { body: asked, leading };
}

function historyOf(format: ModelFormat, body: WireBody): readonly unknown[] {
  const history = body[format.historyField];
  return Array.isArray(history) ? history : [];
}

interface Answering {
  readonly turn: AgentTurn;
  readonly traces: TurnTraces;
  /** Calls whose results are dropped from the history at the end. */
  readonly passing: Set<string>;
}

async function answer(
  call: ToolCall,
  { signal, bill }: CallContext,
  { turn, traces, passing }: Answering,
): Promise<ToolResult> {
  const { id, name, argumentsText } = call;
  const startedAt = performance.now();
  traces.tell({ type: 'tool-start', callId: id, toolName: name, arguments: argumentsText });
  const outcome = await turn.execute(
    { callId: id, name, arguments: argumentsText },
    { session: turn.session, signal, approve: turn.approve },
  );
  if (outcome.isPassing === true) passing.add(id);
  if (outcome.usage !== undefined) {
    bill(outcome.usage);
    turn.onUsage?.(outcome.usage);
  }
  traces.call({ call, outcome, durationMs: performance.now() - startedAt });
  return { callId: id, name, content: outcome.content, isError: outcome.isError };
}

function resultOf({ runId }: AgentTurn, ending: TurnEnding, messages: readonly unknown[]): AgentResult {
  const { text, reason, rounds, error, failure, usage = NO_USAGE } = ending;
  const problem = withoutAbsent({ error, failure: failure && failureOf(failure) });
  return { text, messages, usage, reason, ...problem, rounds, runId };
}

/** A failure for the caller, without the provider's response, which may be long. */
function failureOf({ kind, isPassing, retryAfterMs, answer: given }: ModelFailure): AgentFailure {
  return { kind, isPassing, ...withoutAbsent({ status: given?.status, retryAfterMs }) };
}

/** Estimates the tokens of a request that no provider has counted yet. Media count as none. */
function estimateRequest(body: WireBody): number {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'string' && MEDIA.test(value) ? '' : value,
  );
  return estimateTokens(text);
}
