import type { AgentEvent, AgentEventListener } from '../../spec/events/agent-events.ts';
import type { ModelClient } from '../../spec/model.ts';
import type { TracedRun, TraceEvent } from '../../spec/events/trace.ts';
import type { ToolCall, Usage } from '../../spec/wire.ts';
import type { RoundReport } from '../turn/round-report.ts';
import { quietly, runOf, type TraceSource } from './skill-traces.ts';
import type { ToolOutcome } from '../tools/tool-outcome.ts';
import { shorten } from '../../parse/shorten.ts';

/** A call that was answered. */
export interface AnsweredCall {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** Tells hosts and traces what an agent does. Never throws. */
export interface TurnTraces {
  tell(event: AgentEvent): void;
  /** `llm_call`. */
  round(report: RoundReport): void;
  /** `tool_call`, and `skill_loaded` for a load that the model asked for. */
  call(answered: AnsweredCall): void;
  /** `run_end`. */
  end(ending: RunEnding): void;
}

/** How a run ended. */
export interface RunEnding {
  readonly reason: string;
  readonly rounds: number;
  readonly usage: Usage | undefined;
  readonly error: string | undefined;
}

export interface TurnTracesOptions extends TraceSource {
  readonly onEvent?: AgentEventListener | undefined;
  readonly model: Pick<ModelClient, 'format' | 'model'>;
  readonly stream: boolean;
}

const MAX_TEXT = 4_000;

/** Tells listeners of agent events and of traces what happens in one turn. */
export function createTurnTraces(options: TurnTracesOptions): TurnTraces {
  const { onEvent, onTrace, model, stream } = options;
  const common = (): TracedRun => runOf(options);
  const tell = quietly(onEvent);
  const trace = quietly<TraceEvent>(onTrace);
  return {
    tell,
    round({ round, turn, failure, usage, durationMs, firstTokenMs, attempts }) {
      trace({
        type: 'llm_call',
        timestamp: timestamp(),
        data: {
          ...common(),
          turnIndex: round,
          model: turn?.model ?? model.model,
          format: model.format,
          stream,
          stop: turn?.stop ?? null,
          usage: usage ?? null,
          calls: turn?.calls.map(({ name }) => cut(name)) ?? [],
          durationMs,
          firstTokenMs: firstTokenMs ?? null,
          attempts,
          error: failure === undefined ? null : cut(failure.message),
        },
      });
      if (turn !== undefined) tell({ type: 'round-end', round, stop: turn.stop, usage: turn.usage });
    },
    call({ call, outcome, durationMs }) {
      const { text, isError, execution } = outcome;
      trace({
        type: 'tool_call',
        timestamp: timestamp(),
        data: {
          ...common(),
          callId: call.id,
          toolName: cut(call.name),
          arguments: cut(call.argumentsText),
          result: cut(text),
          isError,
          durationMs,
          executionId: execution?.executionId ?? null,
        },
      });
      const { skill } = outcome.loaded ?? {};
      if (skill !== undefined)
        trace({
          type: 'skill_loaded',
          timestamp: timestamp(),
          data: { ...common(), skillName: skill, trigger: 'load_skill', bytes: Buffer.byteLength(text) },
        });
      tell({
        type: 'tool-end',
        callId: call.id,
        toolName: call.name,
        result: text,
        isError,
        durationMs,
        executionId: execution?.executionId,
      });
    },
    end({ reason, rounds, usage, error }) {
      trace({
        type: 'run_end',
        timestamp: timestamp(),
        data: { ...common(), reason, rounds, usage: usage ?? null, error: error === undefined ? null : cut(error) },
      });
      tell({ type: 'end', reason });
    },
  };
}

function timestamp(): string {
  return new Date().toISOString();
}

function cut(text: string): string {
  return shorten(text, MAX_TEXT);
}
