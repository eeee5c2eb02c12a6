/** Milliseconds since 1970, fractions included. */
type Moment = number;

/** What a span is told of itself. */
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
 * The part of the module `@opentelemetry/api` that traces need. Its own types fit; that they are not named here spares
 * programs without it the package.
 */
export interface OpenTelemetryApi<Context, Span extends OpenTelemetrySpan> {
  readonly context: { active(): Context };
  readonly trace: {
    getTracer(name: string, version?: string): OpenTelemetryTracer<Context, Span>;
    setSpan(context: Context, span: Span): Context;
  };
}
