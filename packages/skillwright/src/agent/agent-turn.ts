import { randomUUID } from 'node:crypto';
import type { AgentEventListener } from '../spec/agent-events.ts';
import type { Approve } from '../spec/approval.ts';
import type { ModelClient } from '../spec/model.ts';
import type { TraceListener } from '../spec/trace.ts';
import type { ToolCall, ToolDefinition, ToolResult, Usage, WireBody, WireFormat } from '../spec/wire.ts';
import { wireFormat } from '../wire/format.ts';
import type { AgentSession } from './agent-session.ts';
import { driveTurn } from './drive-turn.ts';
import type { CallRequest } from './host-tools.ts';
import type { CallContext } from './run-calls.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { ExecuteOptions } from './toolset.ts';
import { createTurnTraces, type TurnTraces } from './turn-traces.ts';
import type { TurnBounds, TurnEndReason, TurnEnding } from './turn.ts';

/** What an agent is made of for one turn of a person's. */
export interface AgentTurn {
  readonly model: ModelClient;
  readonly stream: boolean;
  readonly system: string;
  /** The conversation so far, in the format's own shape. */
  readonly history: readonly unknown[];
  /** What the person says now; `undefined` where the history ends with it. */
  readonly input: string | undefined;
  readonly tools: readonly ToolDefinition[];
  /** Answers calls. Never rejects because of what a model asks. */
  readonly execute: (request: CallRequest, options: ExecuteOptions) => Promise<ToolOutcome>;
  readonly session: AgentSession | undefined;
  /** System text for one round alone. */
  readonly guidance?: ((round: number, messages: readonly unknown[]) => Promise<string>) | undefined;
  readonly compact?: ((messages: readonly unknown[], inputTokens: number) => Promise<CompactedHistory>) | undefined;
  readonly bounds?: Partial<TurnBounds> | undefined;
  readonly maxTimeMs?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly maxParallel?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly approve?: Approve | undefined;
  readonly onEvent?: AgentEventListener | undefined;
  readonly onTrace?: TraceListener | undefined;
  readonly runId: string;
  /** Told the round that is under way. */
  readonly onRound?: ((round: number) => void) | undefined;
}

/** A shorter history that means the same, and what the system text has to say in place of the rest. */
export interface CompactedHistory {
  readonly messages: readonly unknown[];
  /** Added to the system text from now on. */
  readonly system: string;
}

export interface AgentResult {
  /** What the model said last. */
  readonly text: string;
  /** The conversation in the format's own shape, this turn included: what the next one begins with. Always valid. */
  readonly messages: readonly unknown[];
  /** Of all requests together; zeros where the provider did not tell. */
  readonly usage: Usage;
  /** Why it ended; `end` when the model was done. */
  readonly reason: TurnEndReason;
  /** What went wrong, where something did. */
  readonly error?: string;
  /** Requests that were answered or failed. */
  readonly rounds: number;
  readonly runId: string;
}

const NO_USAGE: Usage = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
const DROPPED = 'This result was only needed for the turn it was made in, and was dropped to save room.';

export function createRunId(): string {
  return `run-${randomUUID()}`;
}

/** Takes a person's words through as many rounds as the model needs. */
export async function takeTurn(turn: AgentTurn): Promise<AgentResult> {
  const format = wireFormat(turn.model.format);
  const { body, leading } = firstRequest(format, turn);
  let round = 0;
  let kept = '';
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
        : async (current, inputTokens) => {
            const shorter = await turn.compact?.(historyOf(format, current).slice(leading), inputTokens);
            if (shorter === undefined) return current;
            kept = shorter.system;
            const head = historyOf(format, current).slice(0, leading);
            return { ...current, [format.historyField]: [...head, ...shorter.messages] };
          },
    async prepare(current, number) {
      round = number;
      turn.onRound?.(number);
      traces.tell({ type: 'round-start', round: number });
      const said = (await turn.guidance?.(number, historyOf(format, current).slice(leading))) ?? '';
      const added = [kept, said].filter((text) => text !== '').join('\n\n');
      return added === '' ? current : format.addSystem(current, added);
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
      traces.round(report);
    },
  });
  traces.tell({ type: 'end', reason: ending.reason });
  const messages = historyOf(format, ending.body).slice(leading);
  return resultOf(turn, ending, format.dropResults(messages, passing, DROPPED));
}

/** The first request, and how many entries of its history come before the conversation itself. */
function firstRequest(format: WireFormat, turn: AgentTurn): { readonly body: WireBody; readonly leading: number } {
  const { model, system, tools, stream, maxOutputTokens, history, input } = turn;
  const request = { model: model.model, system, tools, stream, maxOutputTokens };
  const spoken = input === undefined ? [] : historyOf(format, format.createRequest({ ...request, system: '', input }));
  const leading = historyOf(format, format.createRequest({ ...request, input: [] })).length;
  const body = format.createRequest({ ...request, input: [...history, ...spoken] });
  const asked = stream ? (format.usageChoice?.ask(body) ?? body) : body;
  return { body: asked, leading };
}

function historyOf(format: WireFormat, body: WireBody): readonly unknown[] {
  const history = body[format.historyField];
  return Array.isArray(history) ? history : [];
}

interface Answering {
  readonly turn: AgentTurn;
  readonly traces: TurnTraces;
  /** Calls whose results are dropped from the history in the end. */
  readonly passing: Set<string>;
}

async function answer(
  call: ToolCall,
  { signal }: CallContext,
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
  traces.call({ call, outcome, durationMs: performance.now() - startedAt });
  return { callId: id, name, content: outcome.content, isError: outcome.isError };
}

function resultOf({ runId }: AgentTurn, ending: TurnEnding, messages: readonly unknown[]): AgentResult {
  const { text, reason, rounds, error, usage = NO_USAGE } = ending;
  return { text, messages, usage, reason, ...(error === undefined ? {} : { error }), rounds, runId };
}
