import type { StopReason, Usage } from '../wire.ts';

/** An event of an agent while it works. `round` counts requests to the model from 0. */
export type AgentEvent =
  | { readonly type: 'round-start'; readonly round: number }
  /** The model's output: in pieces if it streams, otherwise a whole round's text at once. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'round-end'; readonly round: number; readonly stop: StopReason; readonly usage: Usage | undefined }
  | {
      readonly type: 'tool-start';
      readonly callId: string;
      readonly toolName: string;
      /** The arguments as the model wrote them. */
      readonly arguments: string;
    }
  | {
      readonly type: 'tool-end';
      readonly callId: string;
      readonly toolName: string;
      /** The result that the model gets. */
      readonly result: string;
      readonly isError: boolean;
      readonly durationMs: number;
      /** The id of the run that the call started, if it started one. */
      readonly executionId: string | undefined;
    }
  /** The model failed and is asked again after a pause. */
  | {
      readonly type: 'retry';
      readonly round: number;
      /** The number of the next attempt; the first retry is 2. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: string;
    }
  /** `compact` threw, or did not return a list of messages: the history stays unchanged. */
  | { readonly type: 'compact-failed'; readonly round: number; readonly error: string }
  | { readonly type: 'end'; readonly reason: string };

/** Receives events synchronously; what it throws is ignored. */
export type AgentEventListener = (event: AgentEvent) => void;
