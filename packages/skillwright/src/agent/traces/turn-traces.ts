import type { AgentEvent, AgentEventListener } from '../../spec/events/agent-events.ts';
import type { ModelClient } from '../../spec/model.ts';
import type { TracedRun, TraceEvent, TraceListener, DataOf } from '../../spec/events/trace.ts';
import type { ToolCall, Usage } from '../../spec/wire.ts';
import type { RoundReport } from '../turn/round-report.ts';
import type { ToolOutcome } from '../tools/tool-outcome.ts';
import { shorten } from '../../parse/shown-value.ts';

/** The run that the events describe, and their listener. */
export interface TraceSource {
  /** Gets the events of the run. Errors that it throws are ignored. */
  readonly onTrace?: TraceListener | undefined;
  readonly runId: string;
  /** How many requests the model got before the current one. */
  readonly turnIndex: () => number;
  /** The call of the parent run that started this one. */
  readonly parent?: ParentCall | undefined;
}

export interface ParentCall {
  readonly runId: string;
  readonly callId: string;
}

/** A selected skill, and the trigger that selected it. */
interface TracedSkill {
  readonly name: string;
  readonly trigger: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly score: number | null;
  readonly reasons: readonly string[];
  /** The part of the skill that was added to the conversation. */
  readonly text: string;
}

type TracedToolError = Omit<DataOf<'tool_error'>, keyof TracedRun>;

/** Reports what skills did for a run, as plain JSON of bounded size. */
export interface SkillTraces {
  /** Reports `skill_activated` and `skill_loaded`. */
  skill(traced: TracedSkill): void;
  /** Reports only `skill_loaded`, for a skill that the model asked for. */
  loaded(traced: Pick<TracedSkill, 'name' | 'text'>): void;
  /** Reports `tool_error`. */
  toolError(traced: TracedToolError): void;
}

const MAX_SKILL_TEXT = 1_000;
const MAX_FIELDS = 20;
const MAX_ENTRIES = 20;
const MAX_DEPTH = 6;

/** The fields that every event of a run has. */
function runOf({ runId, turnIndex, parent }: TraceSource): TracedRun {
  const fork = parent === undefined ? {} : { parentRunId: parent.runId, parentCallId: parent.callId };
  return { runId, turnIndex: turnIndex(), ...fork };
}

/**
 * Wraps a listener so that it never throws and nobody waits for its promise: a failing listener does not stop the run.
 */
function quietly<Event>(listener: ((event: Event) => unknown) | undefined): (event: Event) => void {
  return (event) => {
    try {
      const told = listener?.(event);
      if (told instanceof Promise) told.catch(() => undefined);
    } catch {
      // Ignore errors of the listener.
    }
  };
}

/** Reports skills' loads, selections and failures in one run to a trace listener. */
export function createSkillTraces(source: TraceSource): SkillTraces {
  const { onTrace } = source;
  const tell = quietly<TraceEvent>(onTrace);
  const common = (): TracedRun => runOf(source);
  const load = ({ name: skillName, trigger, text }: Pick<TracedSkill, 'name' | 'trigger' | 'text'>): void =>
    tell({
      type: 'skill_loaded',
      timestamp: timestamp(),
      data: { ...common(), skillName, trigger, bytes: Buffer.byteLength(text) },
    });
  return {
    skill({ name: skillName, trigger, context, score, reasons, text }) {
      const told = cutValue(context, 0) as Readonly<Record<string, unknown>>;
      tell({
        type: 'skill_activated',
        timestamp: timestamp(),
        data: { ...common(), skillName, trigger, context: told, score, reasons: [...reasons] },
      });
      load({ name: skillName, trigger, text });
    },
    loaded: (traced) => load({ ...traced, trigger: 'load_skill' }),
    toolError(traced) {
      const data = { ...common(), ...traced, toolName: cut(traced.toolName), error: cut(traced.error) };
      tell({ type: 'tool_error', timestamp: timestamp(), data });
    },
  };
}

function timestamp(): string {
  return new Date().toISOString();
}

function cut(text: string): string {
  return shorten(text, MAX_SKILL_TEXT);
}

/** A copy that JSON can hold: cuts long texts, counts the rest of long lists, and drops deep or unusual values. */
function cutValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (value instanceof Error) return cut(value.message);
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return '[omitted]';
  if (Array.isArray(value))
    return value.length > MAX_ENTRIES
      ? `[${value.length} entries]`
      : value.map((item: unknown) => cutValue(item, depth + 1));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.slice(0, MAX_FIELDS).map(([name, field]) => [cut(name), cutValue(field, depth + 1)]),
  );
}

/** A call that was answered. */
interface AnsweredCall {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** Reports an agent's work to the listeners of agent events and of traces. Never throws. */
export interface TurnTraces {
  tell(event: AgentEvent): void;
  /** Reports `llm_call`. */
  round(report: RoundReport): void;
  /** Reports `tool_call`, and `skill_loaded` for a load that the model asked for. */
  call(answered: AnsweredCall): void;
  /** Reports `run_end`. */
  end(ending: RunEnding): void;
}

/** How a run ended. */
interface RunEnding {
  readonly reason: string;
  readonly rounds: number;
  readonly usage: Usage | undefined;
  readonly error: string | undefined;
}

interface TurnTracesOptions extends TraceSource {
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
          calls: turn?.calls.map(({ name }) => shorten(name, MAX_TEXT)) ?? [],
          durationMs,
          firstTokenMs: firstTokenMs ?? null,
          attempts,
          error: failure === undefined ? null : shorten(failure.message, MAX_TEXT),
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
          toolName: shorten(call.name, MAX_TEXT),
          arguments: shorten(call.argumentsText, MAX_TEXT),
          result: shorten(text, MAX_TEXT),
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
        data: {
          ...common(),
          reason,
          rounds,
          usage: usage ?? null,
          error: error === undefined ? null : shorten(error, MAX_TEXT),
        },
      });
      tell({ type: 'end', reason });
    },
  };
}
