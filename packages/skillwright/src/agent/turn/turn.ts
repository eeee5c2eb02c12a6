import type { ModelFailure } from '../../spec/model.ts';
import type { AssistantTurn, ToolCall, ToolResult, Usage, WireBody, WireEvent, WireFrame } from '../../spec/wire.ts';
import type { ModelFormat } from '../../spec/formats/model-format.ts';
import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';

/** Limits that end a turn, however long its model would continue. */
export interface TurnBounds {
  /**
   * Rounds in which calls are run. The calls of one more round are answered with an error, and one more request lets
   * the model finish.
   */
  readonly maxRounds: number;
  /** Input and output tokens of all rounds together. */
  readonly maxTokens: number;
  /** How often the same call may fail. */
  readonly maxRepeats: number;
  /** How many calls of one round are run; the rest are answered with an error. */
  readonly maxCalls: number;
  /** The longest arguments, in characters, of a call that runs here. */
  readonly maxArguments: number;
  /**
   * Attempts for each round: a failed request is retried unless the client has seen part of the response. The first
   * round of a client's request gets one attempt, because clients retry by themselves.
   */
  readonly maxAttempts: number;
}

export const DEFAULT_TURN_BOUNDS: TurnBounds = {
  maxRounds: 24,
  maxTokens: Number.POSITIVE_INFINITY,
  maxRepeats: 3,
  maxCalls: 128,
  maxArguments: 1_048_576,
  maxAttempts: 3,
};

/** A limit that was reached. */
export type SpentBound = 'max-turns' | 'max-tokens' | 'max-time' | 'repeated-failures';

/**
 * Why a turn ended. `client-calls`: the model called tools that do not run here. `length`, `refusal` and
 * `content-filter` come from the provider; `other` is a reason specific to it. `empty`: the model said nothing.
 */
export type TurnEndReason =
  | 'end'
  | 'empty'
  | 'length'
  | 'refusal'
  | 'content-filter'
  | 'other'
  | 'client-calls'
  | 'cancelled'
  | 'model-error'
  | SpentBound;

/** An event of a turn, as its engine gets it. */
export type TurnInput =
  /** Part of a streamed response. */
  | { readonly type: 'chunk'; readonly bytes: Uint8Array }
  /** The stream ended, complete or cut off. */
  | { readonly type: 'chunks-end' }
  /** A complete response. `answer` is the provider's answer that `response` was parsed from. */
  | {
      readonly type: 'response';
      readonly response: unknown;
      readonly answer?: ModelFailure['answer'] | undefined;
    }
  /** `isFinal`: there is no time for a retry. */
  | { readonly type: 'failure'; readonly failure: ModelFailure; readonly isFinal?: boolean | undefined }
  /** The results of every call of the last `execute`, in any order. */
  | { readonly type: 'results'; readonly results: readonly ToolResult[] }
  /** The usage of an agent that a call of this turn started. */
  | { readonly type: 'bill'; readonly usage: Usage }
  /** An external limit was reached: no more calls are run, and the model may finish. */
  | { readonly type: 'spend'; readonly bound: SpentBound }
  /** The caller gave up. `results` has the results of calls that ended nevertheless. */
  | {
      readonly type: 'stop';
      readonly reason: 'cancelled' | 'max-time';
      /** Why the caller gave up, for people. */
      readonly message?: string | undefined;
      readonly results?: readonly ToolResult[] | undefined;
      /** The request of the current round was never sent. */
      readonly isUnsent?: boolean | undefined;
    };

/** A step that the engine asks its caller to carry out. */
export type TurnEffect =
  | {
      readonly type: 'ask';
      readonly body: WireBody;
      /** The number of the round, from 0. */
      readonly round: number;
      /** The number of the attempt in this round, from 1. */
      readonly attempt: number;
      /** How many milliseconds to wait before the request. */
      readonly delayMs: number;
      /** Why the request is retried. */
      readonly failure?: ModelFailure | undefined;
    }
  | { readonly type: 'execute'; readonly calls: readonly ToolCall[]; readonly round: number }
  /** Calls that are not run, and their results. */
  | { readonly type: 'refuse'; readonly calls: readonly RefusedCall[] }
  /** The model's output, as it streams. */
  | { readonly type: 'hear'; readonly event: WireEvent }
  /** Frames to write to the client's stream. */
  | { readonly type: 'write'; readonly frames: readonly WireFrame[] }
  /** The model answered a round. Comes before the effects that follow from its answer. */
  | { readonly type: 'round'; readonly round: number; readonly turn: AssistantTurn }
  /**
   * The turn is over; only the client's last frames follow. Do now whatever must be done before the client learns of
   * the end.
   */
  | { readonly type: 'settle'; readonly ending: TurnEnding }
  | { readonly type: 'end'; readonly ending: TurnEnding };

/** A call that is not run. */
export interface RefusedCall {
  readonly call: ToolCall;
  /** Why the call is not run, in words for the model. */
  readonly reason: string;
}

/** A round whose calls were answered here. */
export interface TurnStep {
  readonly turn: AssistantTurn;
  /** Results in the order of the calls. Calls of a client's tools have none. */
  readonly results: readonly ToolResult[];
}

/** How a turn ended: the model's last text, a history to continue from, and the usage. */
export interface TurnEnding {
  readonly reason: TurnEndReason;
  /** The model's last text. */
  readonly text: string;
  readonly turn: AssistantTurn | undefined;
  /** The request that would continue from here: its history is valid, whatever happened. */
  readonly body: WireBody;
  /** The usage of all rounds, and of the agents that calls of this turn started. */
  readonly usage: Usage | undefined;
  readonly lastUsage: Usage | undefined;
  /** Requests that were sent; retries are not counted. */
  readonly rounds: number;
  readonly steps: readonly TurnStep[];
  /**
   * Everything that the client received in all rounds, as one turn. The client sends this turn back with its next
   * request.
   */
  readonly clientTurn: AssistantTurn | undefined;
  /** One response made from all rounds, for a client that does not stream. */
  readonly response: WireBody | undefined;
  /** The provider's own bytes, if they have the same content as `response`. */
  readonly rawResponse: Uint8Array | undefined;
  /** What went wrong, for `model-error` and limits. */
  readonly error: string | undefined;
  readonly failure: ModelFailure | undefined;
  /** Whether part of the response was written to the client's stream. */
  readonly hasWritten: boolean;
}

/** The client, if the turn runs between a client and the model. */
export interface TurnClient {
  /** Makes the client's response, in the turn's format. */
  readonly format: ProxyFormat;
  readonly includesUsage: boolean;
  readonly clientBody: WireBody;
  readonly framing?: 'sse' | 'json-array' | undefined;
  /** The client wants structured output: it gets no text from rounds before the last. */
  readonly holdsText?: boolean | undefined;
  /** Our own fields for the end of the response, beside the provider's. Default none. */
  readonly extension?: ((ending: Pick<TurnEnding, 'rounds' | 'lastUsage'>) => WireBody | undefined) | undefined;
}

export interface TurnOptions {
  readonly format: ModelFormat;
  /** The first request. */
  readonly body: WireBody;
  readonly stream: boolean;
  /** Tools that run here. Calls of other tools are the client's and end the turn. Default: all. */
  readonly isOurs?: ((tool: string) => boolean) | undefined;
  readonly bounds?: Partial<TurnBounds> | undefined;
  /** Makes one response for a client from all rounds. Default: there is no client apart from the caller. */
  readonly client?: TurnClient | undefined;
  /** The caller shows the model's output as it streams, so a partly shown round is not requested again. */
  readonly isWatched?: boolean | undefined;
  /** Removes keys from a provider's error text. */
  readonly redact?: ((text: string) => string) | undefined;
}
