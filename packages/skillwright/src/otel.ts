// `skillwright/otel`: sends traces of agents to OpenTelemetry.
import { assertNodeVersion } from './process/node-version.ts';

export {
  createOpenTelemetryTraces,
  type OpenTelemetryTraces,
  type OpenTelemetryTracesOptions,
} from './record/opentelemetry/opentelemetry-traces.ts';
export type {
  OpenTelemetryApi,
  OpenTelemetrySpan,
  OpenTelemetryTracer,
  SpanAttributes,
} from './record/opentelemetry/attributes.ts';

assertNodeVersion();
