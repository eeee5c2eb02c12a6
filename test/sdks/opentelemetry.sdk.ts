import * as api from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runAgent, type AgentTool } from '../../packages/skillwright/src/index.ts';
import { createOpenTelemetryTraces } from '../../packages/skillwright/src/record/opentelemetry/opentelemetry-traces.ts';
import { startModel } from './scripted-model.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('test');
afterEach(() => exporter.reset());
afterAll(() => provider.shutdown());

const ADD: AgentTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: ({ a, b }) => Number(a) + Number(b),
};

const millisecondsOf = ([seconds, nanoseconds]: api.HrTime): number => seconds * 1_000 + nanoseconds / 1e6;

describe('OpenTelemetry, its SDK', () => {
  it('exports an agent run as one trace, with times, kinds and statuses', async () => {
    const model = await startModel(
      { calls: [{ name: 'add', arguments: { a: 1 } }] },
      { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
      { text: 'Three.' },
    );
    const traces = createOpenTelemetryTraces({ api, tracer, agentName: 'Adder' });
    const before = Date.now();
    const { runId } = await runAgent({
      model: { format: 'openai-chat', model: 'gpt', apiKey: 'key', baseUrl: model.baseUrl('openai-chat') },
      input: 'Add 1 and 2.',
      tools: [ADD],
      onTrace: traces.listener,
    });
    // In the order in which the spans ended.
    const spans = exporter.getFinishedSpans();
    const root = spans.find(({ parentSpanContext }) => parentSpanContext === undefined);
    expect(root).toMatchObject({ name: 'invoke_agent Adder', kind: api.SpanKind.INTERNAL });
    expect(root?.attributes).toMatchObject({ 'skillwright.run.id': runId, 'gen_ai.operation.name': 'invoke_agent' });
    const steps = spans.filter((span) => span !== root);
    expect(steps.map(({ name, kind, status }) => [name, kind, status.code])).toEqual([
      ['chat gpt', api.SpanKind.CLIENT, api.SpanStatusCode.UNSET],
      ['execute_tool add', api.SpanKind.INTERNAL, api.SpanStatusCode.ERROR],
      ['chat gpt', api.SpanKind.CLIENT, api.SpanStatusCode.UNSET],
      ['execute_tool add', api.SpanKind.INTERNAL, api.SpanStatusCode.UNSET],
      ['chat gpt', api.SpanKind.CLIENT, api.SpanStatusCode.UNSET],
    ]);
    expect(steps[1]?.attributes['error.type']).toBe('InvalidArguments');
    for (const span of steps) {
      expect(span.parentSpanContext?.spanId).toBe(root?.spanContext().spanId);
      expect(span.spanContext().traceId).toBe(root?.spanContext().traceId);
      expect(millisecondsOf(span.startTime)).toBeGreaterThanOrEqual(before - 1);
      expect(millisecondsOf(span.endTime)).toBeLessThanOrEqual(Date.now());
      expect(millisecondsOf(span.endTime)).toBeGreaterThanOrEqual(millisecondsOf(span.startTime));
    }
    expect(JSON.stringify(spans.map(({ attributes, events }) => [attributes, events]))).not.toContain('Three');
  });

  it('attaches a run to the active span, and does nothing if no provider is registered', async () => {
    const parent = tracer.startSpan('the host');
    const underWay = api.trace.setSpan(api.ROOT_CONTEXT, parent);
    const model = await startModel({ text: 'Hello.' }, { text: 'Hello.' });
    const run = (onTrace: ReturnType<typeof createOpenTelemetryTraces>['listener']): Promise<unknown> =>
      runAgent({
        model: { format: 'openai-chat', model: 'gpt', apiKey: 'key', baseUrl: model.baseUrl('openai-chat') },
        input: 'Hello?',
        onTrace,
      });
    // A minimal context manager, so that the test needs no further package.
    const hosted = { ...api, context: { active: () => underWay } };
    await run(createOpenTelemetryTraces({ api: hosted, tracer }).listener);
    parent.end();
    const root = exporter.getFinishedSpans().find(({ name }) => name === 'invoke_agent');
    expect(root?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
    exporter.reset();
    await run(createOpenTelemetryTraces({ api }).listener);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
