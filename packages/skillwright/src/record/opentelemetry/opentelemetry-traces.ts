import { assertKnown } from '../recording-error.ts';
import { invalidOption } from '../../spec/errors/error.ts';
import type { TracedRun, TraceEvent, TraceListener, DataOf } from '../../spec/events/trace.ts';
import type { Usage } from '../../spec/wire.ts';
import { VERSION } from '../../spec/program.ts';
import {
  type OpenTelemetryApi,
  type OpenTelemetrySpan,
  type OpenTelemetryTracer,
  type SpanAttributes,
  agentAttributes,
  endAttributes,
  modelAttributes,
  requestAttributes,
  skillAttributes,
  toolAttributes,
  usageAttributes,
} from './attributes.ts';
import { isTraceEvent } from '../trace-shape.ts';

/** Options of `createOpenTelemetryTraces`. */
export interface OpenTelemetryTracesOptions<Context, Span extends OpenTelemetrySpan> {
  /** The module: `import * as api from '@opentelemetry/api'`. */
  readonly api: OpenTelemetryApi<Context, Span>;
  /** The tracer to report to. Default: the tracer `skillwright` of the registered provider. */
  readonly tracer?: OpenTelemetryTracer<Context, Span>;
  /** The agent's name, used in the names of its spans. Default none. */
  readonly agentName?: string;
  /**
   * Also include arguments, results, error messages and reasons. Default false, because they may contain what users
   * said.
   */
  readonly includeContent?: boolean;
}

/**
 * Reports runs to OpenTelemetry: a span `invoke_agent` for each run, with a `chat` or `execute_tool` span for every
 * step.
 */
export interface OpenTelemetryTraces {
  /** Pass it as `onTrace`. Never throws. */
  readonly listener: TraceListener;
  /**
   * Ends the span of a run; without an id, the spans of all runs. A run's `run_end` event ends its span. Call this only
   * for runs whose events stopped, before the spans are exported.
   */
  end(runId?: string): void;
}

interface OpenRun<Context, Span> {
  readonly span: Span;
  readonly context: Context;
  /** Failures of calls whose span has not been reported yet. */
  readonly failures: Map<string, DataOf<'tool_error'>>;
  usage: Usage | undefined;
  /** When the last step ended. */
  endedAt: number;
  isOver: boolean;
}

/** How many runs are remembered, ended or not; beyond that, the oldest is ended. */
const MAX_RUNS = 1_000;
const INTERNAL = 0;
const CLIENT = 2;
const ERROR = 2;

/** Sends agents' traces to OpenTelemetry. Pass its `listener` as `onTrace`. */
export function createOpenTelemetryTraces<Context, Span extends OpenTelemetrySpan>(
  options: OpenTelemetryTracesOptions<Context, Span>,
): OpenTelemetryTraces {
  assertKnown(options, ['api', 'tracer', 'agentName', 'includeContent']);
  const { api, agentName, includeContent = false } = options;
  if (typeof (api as Partial<typeof api> | undefined)?.trace?.setSpan !== 'function')
    throw invalidOption('api', "must be the module '@opentelemetry/api'");
  const tracer = options.tracer ?? api.trace.getTracer('skillwright', VERSION);
  const runs = new Map<string, OpenRun<Context, Span>>();

  const openRun = ({ runId, parentRunId = '' }: TracedRun, startTime: number): OpenRun<Context, Span> => {
    const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`;
    const parent = runs.get(parentRunId)?.context ?? api.context.active();
    const attributes = agentAttributes(runId, agentName);
    const span = tracer.startSpan(name, { kind: INTERNAL, startTime, attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    const run = { span, context, failures: new Map(), usage: undefined, endedAt: startTime, isOver: false };
    runs.set(runId, run);
    const [oldest] = runs.size > MAX_RUNS ? runs.keys() : [];
    if (oldest !== undefined) forget(oldest);
    return run;
  };

  const finish = (run: OpenRun<Context, Span>): void => {
    if (run.isOver) return;
    run.isOver = true;
    run.failures.clear();
    if (run.usage !== undefined) run.span.setAttributes(usageAttributes(run.usage));
    run.span.end(run.endedAt);
  };

  const forget = (runId: string): void => {
    const run = runs.get(runId);
    runs.delete(runId);
    if (run !== undefined) finish(run);
  };

  /** Reports a step of a run, after it has ended. */
  const step = (run: OpenRun<Context, Span>, { name, kind, times, attributes, error }: Step): void => {
    const span = tracer.startSpan(name, { kind, startTime: times.start, attributes }, run.context);
    if (error !== undefined) span.setStatus({ code: ERROR, ...(includeContent ? { message: error } : {}) });
    span.end(times.end);
  };

  const request = (run: OpenRun<Context, Span>, data: DataOf<'llm_call'>, times: Times): void => {
    const { model, error, usage } = data;
    const attributes = requestAttributes(data);
    step(run, { name: `chat ${model}`, kind: CLIENT, times, attributes, error: error ?? undefined });
    if (run.isOver) return;
    run.usage = sumOf(run.usage, usage);
    run.span.setAttributes(modelAttributes(data));
  };

  const endRun = (run: OpenRun<Context, Span>, { reason, usage, error }: DataOf<'run_end'>): void => {
    if (run.isOver) return;
    run.usage = usage ?? run.usage;
    run.span.setAttributes(endAttributes(reason, error));
    if (error !== null) run.span.setStatus({ code: ERROR, ...(includeContent ? { message: error } : {}) });
    finish(run);
  };

  const toolCall = (run: OpenRun<Context, Span>, data: DataOf<'tool_call'>, times: Times): void => {
    const { toolName, callId, isError, result } = data;
    const failure = run.failures.get(callId);
    run.failures.delete(callId);
    const attributes = toolAttributes(data, failure, includeContent);
    const error = isError ? (failure?.error ?? result) : undefined;
    step(run, { name: `execute_tool ${toolName}`, kind: INTERNAL, times, attributes, error });
  };

  const tell = (event: TraceEvent): void => {
    const times = timesOf(event);
    const run = runs.get(event.data.runId) ?? openRun(event.data, times.start);
    run.endedAt = Math.max(run.endedAt, times.end);
    switch (event.type) {
      case 'llm_call':
        return request(run, event.data, times);
      case 'run_end':
        return endRun(run, event.data);
      case 'tool_call':
        return toolCall(run, event.data, times);
      case 'tool_error':
        return void run.failures.set(event.data.callId, event.data);
      case 'skill_activated':
      case 'skill_loaded':
        return void run.span.addEvent(event.type, skillAttributes(event.data, includeContent), times.end);
    }
  };

  return {
    listener(event) {
      try {
        if (isTraceEvent(event)) tell(event);
      } catch {
        // The agent continues, whatever the tracer does.
      }
    },
    end(runId) {
      for (const id of runId === undefined ? [...runs.keys()] : [runId]) forget(id);
    },
  };
}

interface Times {
  readonly start: number;
  readonly end: number;
}

interface Step {
  readonly name: string;
  readonly kind: number;
  readonly times: Times;
  readonly attributes: SpanAttributes;
  /** What went wrong; `undefined` if nothing did. */
  readonly error: string | undefined;
}

/**
 * When an event's step began and ended. The event's timestamp is the end, because events are reported when a step has
 * ended.
 */
function timesOf({ timestamp, data }: TraceEvent): Times {
  const end = Date.parse(timestamp);
  return { start: 'durationMs' in data ? end - data.durationMs : end, end };
}

function sumOf(sum: Usage | undefined, more: Usage | null): Usage | undefined {
  if (more === null || sum === undefined) return more ?? sum;
  return {
    input: sum.input + more.input,
    output: sum.output + more.output,
    cachedInput: sum.cachedInput + more.cachedInput,
    cacheWrite: sum.cacheWrite + more.cacheWrite,
    reasoning: sum.reasoning + more.reasoning,
  };
}
