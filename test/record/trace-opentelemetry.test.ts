import { describe, expect, it } from 'vitest';
import type {
  OpenTelemetrySpan,
  SpanAttributes,
} from '../../packages/skillwright/src/record/opentelemetry/attributes.ts';
import {
  createOpenTelemetryTraces,
  type OpenTelemetryTracesOptions,
} from '../../packages/skillwright/src/record/opentelemetry/opentelemetry-traces.ts';
import { sampleEvent, sampleRun } from './trace-sample.ts';

const START = Date.UTC(2026, 0, 1);

class KeptSpan implements OpenTelemetrySpan {
  readonly attributes: SpanAttributes;
  readonly events: { name: string; attributes: SpanAttributes; time: number }[] = [];
  status: { code: number; message?: string } | undefined;
  ends: number[] = [];
  readonly name: string;
  readonly kind: number;
  readonly start: number;
  readonly parent: KeptSpan | undefined;

  constructor(
    name: string,
    options: { kind: number; startTime: number; attributes: SpanAttributes },
    parent: KeptSpan | undefined,
  ) {
    this.name = name;
    this.kind = options.kind;
    this.start = options.startTime - START;
    this.attributes = { ...options.attributes };
    this.parent = parent;
  }

  setAttributes(attributes: SpanAttributes): void {
    Object.assign(this.attributes, attributes);
  }
  addEvent(name: string, attributes: SpanAttributes, time: number): void {
    this.events.push({ name, attributes, time: time - START });
  }
  setStatus(status: { code: number; message?: string }): void {
    this.status = status;
  }
  end(time: number): void {
    this.ends.push(time - START);
  }
}

type Context = { readonly span?: KeptSpan };

/** An API that keeps its spans. test/sdks uses the real one. */
function keptApi(startSpan?: () => never) {
  const spans: KeptSpan[] = [];
  const tracers: (string | undefined)[][] = [];
  const api: OpenTelemetryTracesOptions<Context, KeptSpan>['api'] = {
    context: { active: () => ({}) },
    trace: {
      getTracer(...words) {
        tracers.push(words);
        return {
          startSpan(name, options, context) {
            startSpan?.();
            const span = new KeptSpan(name, options, context.span);
            spans.push(span);
            return span;
          },
        };
      },
      setSpan: (_context, span) => ({ span }),
    },
  };
  return { api, spans, tracers };
}

describe('OpenTelemetry traces', () => {
  it('have a span for each run, and below it one for every step, with its beginning and end', () => {
    const { api, spans } = keptApi();
    const traces = createOpenTelemetryTraces({ api });
    for (const event of sampleRun()) traces.listener(event);
    const [root] = spans;
    expect(spans.map(({ name, kind, start, ends }) => [name, kind, start, ...ends])).toEqual([
      ['invoke_agent', 0, 0, 1_700],
      ['chat a-model', 2, 0, 500],
      ['execute_tool list_files', 0, 500, 512],
      ['chat a-model', 2, 600, 1_100],
      ['execute_tool list_files', 0, 1_110, 1_130],
      ['chat a-model', 2, 1_200, 1_700],
    ]);
    expect(spans.slice(1).every(({ parent }) => parent === root)).toBe(true);
  });

  it('use the names of the GenAI conventions', () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api, agentName: 'Finder' });
    listener(
      sampleEvent('llm_call', 0, { stream: true, firstTokenMs: 250, stop: 'tool-calls', calls: ['list_files'] }),
    );
    listener(sampleEvent('tool_call', 0, { executionId: 'run-of-it' }));
    listener(sampleEvent('llm_call', 0));
    listener(sampleEvent('run_end', 0));
    const [root, chat, tool] = spans;
    expect(root?.name).toBe('invoke_agent Finder');
    expect(root?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'Finder',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'a-model',
      'gen_ai.usage.input_tokens': 200,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 80,
      'gen_ai.usage.cache_creation.input_tokens': 10,
      'gen_ai.usage.reasoning.output_tokens': 6,
      'skillwright.run.id': 'run-1',
      'skillwright.run.reason': 'end',
    });
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'a-model',
      'gen_ai.response.model': 'a-model',
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': 0.25,
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
    });
    expect(tool?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'list_files',
      'gen_ai.tool.call.id': 'call-1',
      'gen_ai.tool.type': 'function',
      'skillwright.execution.id': 'run-of-it',
      'skillwright.turn.index': 0,
    });
  });

  it.each([
    ['openai-responses', 'openai'],
    ['anthropic-messages', 'anthropic'],
    ['gemini', 'gcp.gemini'],
  ] as const)('name the provider of the format %s as %s', (format, name) => {
    const { api, spans } = keptApi();
    createOpenTelemetryTraces({ api }).listener(sampleEvent('llm_call', 0, { format }));
    expect(spans[1]?.attributes['gen_ai.provider.name']).toBe(name);
  });

  it('mark failed calls with the skill that gave guidance, and list skills on the run', () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api });
    for (const event of sampleRun()) listener(event);
    const [root, , failed, , corrected] = spans;
    expect(failed?.status).toEqual({ code: 2 });
    expect(failed?.attributes).toMatchObject({
      'error.type': 'InvalidArguments',
      'skillwright.tool.is_retry_safe': true,
      'skillwright.skill.name': 'tool-call-error-recovery',
    });
    expect(corrected?.status).toBeUndefined();
    expect(corrected?.attributes).not.toHaveProperty('error.type');
    expect(root?.events).toMatchObject([
      { name: 'skill_activated', time: 510, attributes: { 'skillwright.skill.trigger': 'tool_call_error' } },
      { name: 'skill_loaded', time: 510, attributes: { 'skillwright.skill.bytes': 812 } },
    ]);
    expect(root?.status).toBeUndefined();
  });

  it('mark a run whose model failed', () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api });
    listener(sampleEvent('llm_call', 0, { stop: null, usage: null, error: 'Overloaded.' }));
    listener(sampleEvent('run_end', 0, { reason: 'model-error', error: 'Overloaded.' }));
    for (const span of spans) {
      expect(span.status).toEqual({ code: 2 });
      expect(span.attributes).toMatchObject({ 'error.type': '_OTHER' });
      expect(span.ends).toHaveLength(1);
    }
    expect(spans[1]?.attributes).not.toHaveProperty('gen_ai.response.model');
  });

  it('contain no conversation content unless configured', () => {
    const secret = 'what-a-person-said';
    const events = [
      sampleEvent('skill_activated', 0, { context: { taskDescription: secret }, reasons: [secret] }),
      sampleEvent('tool_error', 0, { error: secret }),
      sampleEvent('tool_call', 0, { arguments: secret, result: secret, isError: true }),
      sampleEvent('llm_call', 0, { error: secret }),
    ];
    const without = keptApi();
    const plain = createOpenTelemetryTraces({ api: without.api });
    const full = keptApi();
    const whole = createOpenTelemetryTraces({ api: full.api, includeContent: true });
    for (const event of events) {
      plain.listener(event);
      whole.listener(event);
    }
    const shown = (spans: readonly KeptSpan[]): string =>
      JSON.stringify(spans.map((span) => [span.attributes, span.events, span.status]));
    expect(shown(without.spans)).not.toContain(secret);
    const [root, tool, chat] = full.spans;
    expect(root?.events[0]?.attributes).toMatchObject({
      'skillwright.skill.reasons': [secret],
      'skillwright.skill.context': JSON.stringify({ taskDescription: secret }),
    });
    expect(tool?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': secret,
      'gen_ai.tool.call.result': secret,
    });
    for (const span of [tool, chat]) expect(span?.status).toEqual({ code: 2, message: secret });
  });

  it('separate concurrent runs', () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api });
    const [one, other] = [sampleRun('run-1'), sampleRun('run-2', 5)];
    for (const [index, event] of one.entries()) for (const each of [event, other[index]]) if (each) listener(each);
    const roots = spans.filter(({ parent }) => parent === undefined);
    expect(roots.map(({ attributes }) => attributes['skillwright.run.id'])).toEqual(['run-1', 'run-2']);
    for (const root of roots) {
      expect(spans.filter(({ parent }) => parent === root)).toHaveLength(5);
      expect(root.ends).toHaveLength(1);
    }
  });

  it("put a forked skill's run below its parent run, and say why each ended", () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api });
    const fork = { runId: 'run-2', parentRunId: 'run-1', parentCallId: 'call-1' };
    listener(sampleEvent('llm_call', 500, { stop: 'tool-calls', calls: ['load_skill'] }));
    listener(sampleEvent('llm_call', 1_000, fork));
    listener(sampleEvent('run_end', 1_000, fork));
    listener(sampleEvent('tool_call', 1_000));
    listener(sampleEvent('run_end', 1_200, { reason: 'cancelled', error: 'The turn was cancelled.' }));
    const [root, forked] = spans.filter(({ name }) => name === 'invoke_agent');
    expect(forked?.parent).toBe(root);
    expect([root, forked].map((span) => span?.attributes['skillwright.run.reason'])).toEqual(['cancelled', 'end']);
    expect([root?.ends, forked?.ends]).toEqual([[1_200], [1_000]]);
    expect([root?.status, forked?.status]).toEqual([{ code: 2 }, undefined]);
  });

  it('end a run that broke off once, when told to, at the time of its last step', () => {
    const { api, spans } = keptApi();
    const traces = createOpenTelemetryTraces({ api });
    for (const id of ['run-1', 'run-2', 'run-3'])
      traces.listener(sampleEvent('llm_call', 500, { runId: id, stop: 'tool-calls', calls: ['x'] }));
    const endsOf = (): number[][] => spans.filter(({ parent }) => parent === undefined).map(({ ends }) => ends);
    expect(endsOf()).toEqual([[], [], []]);
    traces.end('run-2');
    traces.end('unknown');
    expect(endsOf()).toEqual([[], [500], []]);
    traces.end();
    traces.end();
    expect(endsOf()).toEqual([[500], [500], [500]]);
  });

  it('continue after a pause, and put late events below their run', () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api });
    listener(sampleEvent('llm_call', 0, { stop: 'pause' }));
    expect(spans[0]?.ends).toEqual([]);
    listener(sampleEvent('llm_call', 900));
    listener(sampleEvent('run_end', 900));
    listener(sampleEvent('tool_call', 950));
    expect(spans.map(({ name }) => name)).toEqual([
      'invoke_agent',
      'chat a-model',
      'chat a-model',
      'execute_tool list_files',
    ]);
    expect(spans[0]?.ends).toEqual([900]);
    expect(spans[3]?.parent).toBe(spans[0]);
  });

  it('remember a thousand runs, and end the oldest', () => {
    const { api, spans } = keptApi();
    const { listener } = createOpenTelemetryTraces({ api });
    for (let index = 0; index <= 1_000; index += 1)
      listener(sampleEvent('skill_loaded', index, { runId: `run-${index}` }));
    expect(
      spans.filter(({ ends }) => ends.length > 0).map(({ attributes }) => attributes['skillwright.run.id']),
    ).toEqual(['run-0']);
  });

  it('never throw into the agent', () => {
    const { api } = keptApi(() => {
      throw new Error('no exporter');
    });
    const { listener } = createOpenTelemetryTraces({ api });
    for (const event of [...sampleRun(), null, 5, {}, { type: 'llm_call', data: {} }])
      expect(() => listener(event as never)).not.toThrow();
  });

  it('ask for a tracer by the name of this library, unless they are given one', () => {
    const { api, tracers } = keptApi();
    createOpenTelemetryTraces({ api });
    expect(tracers).toEqual([['skillwright', expect.stringMatching(/^\d+\.\d+\.\d+/)]]);
    createOpenTelemetryTraces({ api, tracer: api.trace.getTracer('mine') });
    expect(tracers.at(-1)).toEqual(['mine']);
    expect(tracers).toHaveLength(2);
  });

  it.each([{}, { api: {} }, { api: keptApi().api, tracr: 1 }])('reject %j', (options) => {
    expect(() => createOpenTelemetryTraces(options as never)).toThrow(
      expect.objectContaining({ code: 'InvalidOptions' }) as Error,
    );
  });
});
