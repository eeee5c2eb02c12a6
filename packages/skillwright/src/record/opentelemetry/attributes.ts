import type { DataOf } from '../../spec/events/trace.ts';
import type { Usage, WireFormatName } from '../../spec/wire.ts';

// Attribute names come from the GenAI semantic conventions; names for everything else begin with `skillwright.`.

/**
 * The conventions' names for the providers that own these formats. Another provider may have answered in the same
 * format.
 */
const PROVIDERS: Readonly<Record<WireFormatName, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'gcp.gemini',
};

/** The conventions' value for an error of no known class. */
const OTHER_ERROR = '_OTHER';

export function agentAttributes(runId: string, agentName: string | undefined): SpanAttributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'skillwright.run.id': runId,
    ...(agentName === undefined ? {} : { 'gen_ai.agent.name': agentName }),
  };
}

export function endAttributes(reason: string, error: string | null): SpanAttributes {
  return { 'skillwright.run.reason': reason, ...(error === null ? {} : { 'error.type': OTHER_ERROR }) };
}

/** Attributes of a request that also apply to the whole run. */
export function modelAttributes({ model, format }: DataOf<'llm_call'>): SpanAttributes {
  return { 'gen_ai.provider.name': PROVIDERS[format] ?? format, 'gen_ai.request.model': model };
}

export function requestAttributes(data: DataOf<'llm_call'>): SpanAttributes {
  const { stream, stop, usage, firstTokenMs, attempts, turnIndex, error } = data;
  return {
    'gen_ai.operation.name': 'chat',
    ...modelAttributes(data),
    'gen_ai.request.stream': stream,
    'skillwright.turn.index': turnIndex,
    'skillwright.request.attempts': attempts,
    ...(stop === null ? {} : { 'gen_ai.response.finish_reasons': [stop], 'gen_ai.response.model': data.model }),
    ...(usage === null ? {} : usageAttributes(usage)),
    ...(firstTokenMs === null ? {} : { 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1_000 }),
    ...(error === null ? {} : { 'error.type': OTHER_ERROR }),
  };
}

export function usageAttributes(usage: Usage): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInput,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
  };
}

export function toolAttributes(
  data: DataOf<'tool_call'>,
  failure: DataOf<'tool_error'> | undefined,
  includeContent: boolean,
): SpanAttributes {
  const { toolName, callId, executionId, isError, turnIndex } = data;
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName,
    'gen_ai.tool.call.id': callId,
    'gen_ai.tool.type': 'function',
    'skillwright.turn.index': turnIndex,
    ...(executionId === null ? {} : { 'skillwright.execution.id': executionId }),
    ...(isError ? { 'error.type': failure?.code ?? OTHER_ERROR } : {}),
    ...(failure === undefined ? {} : { 'skillwright.tool.is_retry_safe': failure.isRetrySafe }),
    ...(failure === undefined || failure.guidedBy === null ? {} : { 'skillwright.skill.name': failure.guidedBy }),
    ...(includeContent ? { 'gen_ai.tool.call.arguments': data.arguments, 'gen_ai.tool.call.result': data.result } : {}),
  };
}

export function skillAttributes(
  data: DataOf<'skill_activated'> | DataOf<'skill_loaded'>,
  includeContent: boolean,
): SpanAttributes {
  return {
    'skillwright.skill.name': data.skillName,
    'skillwright.skill.trigger': data.trigger,
    'skillwright.turn.index': data.turnIndex,
    ...('bytes' in data ? { 'skillwright.skill.bytes': data.bytes } : activationAttributes(data, includeContent)),
  };
}

/** Reasons and context quote the task and the call, so they count as content. */
function activationAttributes(
  { score, reasons, context }: DataOf<'skill_activated'>,
  includeContent: boolean,
): SpanAttributes {
  return {
    ...(score === null ? {} : { 'skillwright.skill.score': score }),
    ...(includeContent
      ? { 'skillwright.skill.reasons': [...reasons], 'skillwright.skill.context': JSON.stringify(context) }
      : {}),
  };
}

/** Milliseconds since 1970, fractions included. */
type Moment = number;

/** The attributes of a span. */
export type SpanAttributes = Record<string, string | number | boolean | string[]>;

/** The part of a span of `@opentelemetry/api` that traces need. */
export interface OpenTelemetrySpan {
  setAttributes(attributes: SpanAttributes): unknown;
  addEvent(name: string, attributes: SpanAttributes, time: Moment): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(time: Moment): void;
}

/** The part of a tracer of `@opentelemetry/api` that traces need. */
export interface OpenTelemetryTracer<Context, Span extends OpenTelemetrySpan> {
  startSpan(
    name: string,
    options: { kind: number; startTime: Moment; attributes: SpanAttributes },
    context: Context,
  ): Span;
}

/**
 * The part of the module `@opentelemetry/api` that traces need. Its own types are compatible, but are not imported
 * here, so that programs do not need the package.
 */
export interface OpenTelemetryApi<Context, Span extends OpenTelemetrySpan> {
  readonly context: { active(): Context };
  readonly trace: {
    getTracer(name: string, version?: string): OpenTelemetryTracer<Context, Span>;
    setSpan(context: Context, span: Span): Context;
  };
}
