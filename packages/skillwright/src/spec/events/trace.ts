import type { ExecutionCode } from '../execution.ts';
import type { StopReason, Usage, WireFormatName } from '../wire.ts';

/** The fields that every trace event has. */
export interface TracedRun {
  /** The id of the agent's run. */
  readonly runId: string;
  /** How many requests the run had sent to the model before the current one. */
  readonly turnIndex: number;
  /** The parent run, for the agent of a skill with `context: fork`. */
  readonly parentRunId?: string;
  /** The call in the parent run that started this run. */
  readonly parentCallId?: string;
}

/** A step of an agent in its trace, in plain JSON. */
export type TraceEvent =
  /** An event triggered a search for skills, and the search chose this skill. */
  | TraceEventOf<
      'skill_activated',
      {
        readonly skillName: string;
        /** The trigger: `tool_call_error`, `task_match`, `explicit_command`, `turn_start`, or any other. */
        readonly trigger: string;
        /** The context of the trigger, with long texts cut. */
        readonly context: Readonly<Record<string, unknown>>;
        readonly score: number | null;
        readonly reasons: readonly string[];
      }
    >
  /** A skill's instructions were added to the conversation. */
  | TraceEventOf<
      'skill_loaded',
      {
        readonly skillName: string;
        /** `load_skill` when the model asked, otherwise the trigger. */
        readonly trigger: string;
        /** The size of the added text. */
        readonly bytes: number;
      }
    >
  | TraceEventOf<
      'tool_call',
      {
        readonly callId: string;
        readonly toolName: string;
        /** The arguments as the model wrote them, cut if long. */
        readonly arguments: string;
        /** The result that the model got, cut if long. */
        readonly result: string;
        readonly isError: boolean;
        readonly durationMs: number;
        /** The id of the run that the call started, if it started one. */
        readonly executionId: string | null;
      }
    >
  | TraceEventOf<
      'tool_error',
      {
        readonly callId: string;
        readonly toolName: string;
        readonly error: string;
        readonly code: ExecutionCode | null;
        /** Whether the model was told to retry in the same turn. */
        readonly isRetrySafe: boolean;
        /** The skill whose guidance was added to the error. */
        readonly guidedBy: string | null;
      }
    >
  | TraceEventOf<
      'llm_call',
      {
        readonly model: string;
        readonly format: WireFormatName;
        readonly stream: boolean;
        readonly stop: StopReason | null;
        readonly usage: Usage | null;
        /** Names of the tools that were called. */
        readonly calls: readonly string[];
        readonly durationMs: number;
        /** Time until the first output, in a stream. */
        readonly firstTokenMs: number | null;
        /** How many attempts the request took, including the successful one. */
        readonly attempts: number;
        readonly error: string | null;
      }
    >
  /** The last event of a run. */
  | TraceEventOf<
      'run_end',
      {
        /** The `reason` of the agent's result: `end` when the model was done. */
        readonly reason: string;
        /** How many requests were sent. */
        readonly rounds: number;
        /** The total of all requests, including those of forked skills. */
        readonly usage: Usage | null;
        readonly error: string | null;
      }
    >;

interface TraceEventOf<Type extends string, Data> {
  readonly type: Type;
  /** The time in ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly data: Data & TracedRun;
}

/** The type of a trace event. */
export type TraceType = TraceEvent['type'];

/** The data of a type of trace event. */
export type DataOf<Type extends TraceType> = Extract<TraceEvent, { type: Type }>['data'];

/** Receives events synchronously; what it throws is ignored. */
export type TraceListener = (event: TraceEvent) => void;
