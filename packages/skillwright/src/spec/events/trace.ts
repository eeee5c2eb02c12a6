import type { ExecutionCode } from '../execution.ts';
import type { StopReason, Usage, WireFormatName } from '../wire.ts';

/** The fields that every event of a run has. */
export interface TracedRun {
  /** The run of an agent that the event belongs to. */
  readonly runId: string;
  /** Requests to the model before this one, from 0. */
  readonly turnIndex: number;
  /** The parent run, for the agent of a skill with `context: fork`. */
  readonly parentRunId?: string;
  /** The call of that run. */
  readonly parentCallId?: string;
}

/** A step of an agent in its trace, in plain JSON. */
export type TraceEvent =
  /** An event triggered a search for skills, which chose this one. */
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
  /** Instructions of a skill went into the conversation. */
  | TraceEventOf<
      'skill_loaded',
      {
        readonly skillName: string;
        /** `load_skill` when the model asked, otherwise the trigger. */
        readonly trigger: string;
        /** The size of the text that went into the conversation. */
        readonly bytes: number;
      }
    >
  | TraceEventOf<
      'tool_call',
      {
        readonly callId: string;
        readonly toolName: string;
        /** As the model wrote them, cut. */
        readonly arguments: string;
        /** The result that the model got, cut. */
        readonly result: string;
        readonly isError: boolean;
        readonly durationMs: number;
        /** The run behind it, where there was one. */
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
        /** Whether the model was told to call again in the same turn. */
        readonly isRetrySafe: boolean;
        /** The skill whose guidance went with the error. */
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
        /** Until the first thing said, in a stream. */
        readonly firstTokenMs: number | null;
        /** Requests it took, including the one that was answered. */
        readonly attempts: number;
        readonly error: string | null;
      }
    >
  /** The last event of a run. */
  | TraceEventOf<
      'run_end',
      {
        /** As `reason` of the result: `end` when the model was done. */
        readonly reason: string;
        /** Requests that were sent. */
        readonly rounds: number;
        /** The total of all requests, including those of forked skills. */
        readonly usage: Usage | null;
        readonly error: string | null;
      }
    >;

interface TraceEventOf<Type extends string, Data> {
  readonly type: Type;
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly data: Data & TracedRun;
}

/** The type of a trace event. */
export type TraceType = TraceEvent['type'];

/** Receives events synchronously; what it throws is ignored. */
export type TraceListener = (event: TraceEvent) => void;
