import type { TraceEvent, TraceType } from '../../packages/skillwright/src/spec/events/trace.ts';

type DataOf<Type extends TraceType> = Extract<TraceEvent, { type: Type }>['data'];
type EventOf<Type extends TraceType> = Extract<TraceEvent, { type: Type }>;

const DEFAULTS: { readonly [Type in TraceType]: DataOf<Type> } = {
  skill_activated: {
    runId: 'run-1',
    turnIndex: 0,
    skillName: 'tool-call-error-recovery',
    trigger: 'tool_call_error',
    context: { toolName: 'list_files', error: 'path is required', toolCall: { id: 'call-1' } },
    score: 4.5,
    reasons: ['its tag filesystem is in the tool name'],
  },
  skill_loaded: {
    runId: 'run-1',
    turnIndex: 0,
    skillName: 'tool-call-error-recovery',
    trigger: 'tool_call_error',
    bytes: 812,
  },
  tool_call: {
    runId: 'run-1',
    turnIndex: 0,
    callId: 'call-1',
    toolName: 'list_files',
    arguments: '{}',
    result: 'README.md',
    isError: false,
    durationMs: 20,
    executionId: null,
  },
  tool_error: {
    runId: 'run-1',
    turnIndex: 0,
    callId: 'call-1',
    toolName: 'list_files',
    error: 'path is required',
    code: 'InvalidArguments',
    isRetrySafe: true,
    guidedBy: 'tool-call-error-recovery',
  },
  llm_call: {
    runId: 'run-1',
    turnIndex: 0,
    model: 'a-model',
    format: 'openai-chat',
    stream: false,
    stop: 'end',
    usage: { input: 100, output: 10, cachedInput: 40, cacheWrite: 5, reasoning: 3 },
    calls: [],
    durationMs: 500,
    firstTokenMs: null,
    attempts: 1,
    error: null,
  },
  run_end: {
    runId: 'run-1',
    turnIndex: 0,
    reason: 'end',
    rounds: 1,
    usage: null,
    error: null,
  },
};

/** An event of a trace, this many milliseconds after the first second of 2026. */
export function sampleEvent<Type extends TraceType>(
  type: Type,
  endMs = 0,
  data: Partial<DataOf<Type>> = {},
): EventOf<Type> {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + endMs).toISOString();
  return { type, timestamp, data: { ...DEFAULTS[type], ...data } } as unknown as EventOf<Type>;
}

/** A run in which a call fails and is corrected, and the model answers. */
export function sampleRun(runId = 'run-1', startMs = 0): TraceEvent[] {
  const at = (ms: number): number => startMs + ms;
  const first = { runId, turnIndex: 0 };
  const second = { runId, turnIndex: 1 };
  return [
    sampleEvent('llm_call', at(500), { ...first, stop: 'tool-calls', calls: ['list_files'] }),
    sampleEvent('skill_activated', at(510), first),
    sampleEvent('skill_loaded', at(510), first),
    sampleEvent('tool_error', at(511), first),
    sampleEvent('tool_call', at(512), { ...first, isError: true, result: 'Tool call failed', durationMs: 12 }),
    sampleEvent('llm_call', at(1_100), { ...second, stop: 'tool-calls', calls: ['list_files'] }),
    sampleEvent('tool_call', at(1_130), { ...second, callId: 'call-2', arguments: '{"path":"."}' }),
    sampleEvent('llm_call', at(1_700), { runId, turnIndex: 2 }),
    sampleEvent('run_end', at(1_700), { runId, turnIndex: 2, rounds: 3 }),
  ];
}
