import type { TraceEvent, TraceType, DataOf } from '../spec/events/trace.ts';
import type { Usage } from '../spec/wire.ts';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;
const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const count: Check = (value) => number(value) && (value as number) >= 0;
const texts: Check = (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const USAGE = { input: count, output: count, cachedInput: count, cacheWrite: count, reasoning: count } satisfies {
  readonly [Field in keyof Usage]: Check;
};
const usage: Check = (value) => hasFields(value, USAGE);
const RUN = { runId: text, turnIndex: count } satisfies Fields;
const PARENT = ['parentRunId', 'parentCallId'] as const;

const DATA: {
  readonly [Type in TraceType]: {
    readonly [Field in keyof Omit<DataOf<Type>, keyof typeof RUN | (typeof PARENT)[number]>]: Check;
  };
} = {
  skill_activated: { skillName: text, trigger: text, context: record, score: orNull(number), reasons: texts },
  skill_loaded: { skillName: text, trigger: text, bytes: count },
  tool_call: {
    callId: text,
    toolName: text,
    arguments: text,
    result: text,
    isError: flag,
    durationMs: count,
    executionId: orNull(text),
  },
  tool_error: {
    callId: text,
    toolName: text,
    error: text,
    code: orNull(text),
    isRetrySafe: flag,
    guidedBy: orNull(text),
  },
  llm_call: {
    model: text,
    format: text,
    stream: flag,
    stop: orNull(text),
    usage: orNull(usage),
    calls: texts,
    durationMs: count,
    firstTokenMs: orNull(count),
    attempts: count,
    error: orNull(text),
  },
  run_end: { reason: text, rounds: count, usage: orNull(usage), error: orNull(text) },
};

/** Whether any value is a trace event with all its required fields. */
export function isTraceEvent(value: unknown): value is TraceEvent {
  if (!hasFields(value, { type: text, timestamp: isMoment, data: record })) return false;
  const { type, data } = value as { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  if (!PARENT.every((name) => data[name] === undefined || text(data[name]))) return false;
  return Object.hasOwn(DATA, type) && hasFields(data, { ...RUN, ...(DATA as Readonly<Record<string, Fields>>)[type] });
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function hasFields(value: unknown, fields: Fields): boolean {
  if (!record(value)) return false;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields).every(([name, check]) => Object.hasOwn(given, name) && check(given[name]));
}
