import type { ModelFailure } from '../../spec/model.ts';
import type { AssistantTurn, ToolCall, ToolResult, Usage, WireBody, WireEvent, WireFrame } from '../../spec/wire.ts';
import type { ModelFormat } from '../../spec/formats/model-format.ts';
import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';

/** Bounds that end a turn, however long its model would go on. */
export interface TurnBounds {
  /** Rounds in which calls are run. The calls of one more are answered with an error, and one more request winds up. */
  readonly maxRounds: number;
  /** Input and output of all rounds together. */
  readonly maxTokens: number;
  /** How often one and the same call may fail. */
  readonly maxRepeats: number;
  /** Calls of one round that are run; those after them are answered with an error. */
  readonly maxCalls: number;
  /** Characters of the arguments of one call that is run here. */
  readonly maxArguments: number;
  /**
   * Requests that one round may take: a model that fails is asked again, unless somebody has seen part of its answer. The
   * first round of a client's request takes one: clients try again by themselves.
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

/** A bound that was reached. */
export type SpentBound = 'max-turns' | 'max-tokens' | 'max-time' | 'repeated-failures';

/**
 * Why a turn ended. `client-calls`: the model called tools that are not run here. `length`, `refusal` and
 * `content-filter` are the provider's; `other` is a reason of its own. `empty`: the model said nothing.
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

/** What happens to a turn, told to its engine. */
export type TurnInput =
  /** Part of a streamed answer. */
  | { readonly type: 'chunk'; readonly bytes: Uint8Array }
  /** The stream is over, whole or cut. */
  | { readonly type: 'chunks-end' }
  /** A whole answer; `answer` is what it was read from. */
  | {
      readonly type: 'response';
      readonly response: unknown;
      readonly answer?: ModelFailure['answer'] | undefined;
    }
  /** `isFinal`: there is no time to ask again. */
  | { readonly type: 'failure'; readonly failure: ModelFailure; readonly isFinal?: boolean | undefined }
  /** The answers to every call of the last `execute`, in any order. */
  | { readonly type: 'results'; readonly results: readonly ToolResult[] }
  /** What an agent that works for this one has used. */
  | { readonly type: 'bill'; readonly usage: Usage }
  /** A bound outside was reached: nothing more is run, and the model may wind up. */
  | { readonly type: 'spend'; readonly bound: SpentBound }
  /** Nobody waits any longer. `results` are those of calls that were answered all the same. */
  | {
      readonly type: 'stop';
      readonly reason: 'cancelled' | 'max-time';
      /** Why nobody waits, for people. */
      readonly message?: string | undefined;
      readonly results?: readonly ToolResult[] | undefined;
      /** The requested round was not sent. */
      readonly isUnsent?: boolean | undefined;
    };

/** What is to be done for a turn. */
export type TurnEffect =
  | {
      readonly type: 'ask';
      readonly body: WireBody;
      /** From 0. */
      readonly round: number;
      /** From 1. */
      readonly attempt: number;
      /** How long to wait before. */
      readonly delayMs: number;
      /** Why it is asked again. */
      readonly failure?: ModelFailure | undefined;
    }
  | { readonly type: 'execute'; readonly calls: readonly ToolCall[]; readonly round: number }
  /** Calls that are not run, and what they are answered instead. */
  | { readonly type: 'refuse'; readonly calls: readonly RefusedCall[] }
  /** What the model says, as it says it. */
  | { readonly type: 'hear'; readonly event: WireEvent }
  /** For the client's stream. */
  | { readonly type: 'write'; readonly frames: readonly WireFrame[] }
  /** A round was answered; told before what follows from it. */
  | { readonly type: 'round'; readonly round: number; readonly turn: AssistantTurn }
  /** The turn is over; whatever has to be true when the client knows is made true now. Then come its last frames. */
  | { readonly type: 'settle'; readonly ending: TurnEnding }
  | { readonly type: 'end'; readonly ending: TurnEnding };

/** A call that is not run. */
export interface RefusedCall {
  readonly call: ToolCall;
  /** Why, in words for the model. */
  readonly reason: string;
}

/** A round in which calls were answered here. */
export interface TurnStep {
  readonly turn: AssistantTurn;
  /** In the order of the calls; those of a client's tools have none. */
  readonly results: readonly ToolResult[];
}

/** How a turn ended: what the model said last, a history to go on from, and the usage. */
export interface TurnEnding {
  readonly reason: TurnEndReason;
  /** What the model said last. */
  readonly text: string;
  readonly turn: AssistantTurn | undefined;
  /** The request that would go on from here: its history is valid, whatever happened. */
  readonly body: WireBody;
  /** The usage of all rounds, and of agents that worked for this one: the bill. */
  readonly usage: Usage | undefined;
  readonly lastUsage: Usage | undefined;
  /** Requests that were sent, however often each. */
  readonly rounds: number;
  readonly steps: readonly TurnStep[];
  /** What a client got, as one turn: what it will send back, however its rounds came about. */
  readonly clientTurn: AssistantTurn | undefined;
  /** For a client that does not stream: one answer out of all rounds. */
  readonly response: WireBody | undefined;
  /** The provider's own bytes, where they say just what `response` does. */
  readonly rawResponse: Uint8Array | undefined;
  /** What went wrong, for `model-error` and bounds. */
  readonly error: string | undefined;
  readonly failure: ModelFailure | undefined;
  /** Whether part of the answer has gone to the client's stream. */
  readonly hasWritten: boolean;
}

/** A client between whom and the model the turn happens. */
export interface TurnClient {
  /** Makes the client's answer: the same format as the turn's. */
  readonly format: ProxyFormat;
  readonly includesUsage: boolean;
  readonly clientBody: WireBody;
  readonly framing?: 'sse' | 'json-array' | undefined;
  /** The client wants text in a structure: of the rounds before the last it gets none. */
  readonly holdsText?: boolean | undefined;
  /** Fields of ours for the end of the answer, beside the provider's. Default none. */
  readonly extension?: ((ending: Pick<TurnEnding, 'rounds' | 'lastUsage'>) => WireBody | undefined) | undefined;
}

export interface TurnOptions {
  readonly format: ModelFormat;
  /** The first request. */
  readonly body: WireBody;
  readonly stream: boolean;
  /** Tools that are run here. Calls of others are the client's, and end the turn. Default: all. */
  readonly isOurs?: ((tool: string) => boolean) | undefined;
  readonly bounds?: Partial<TurnBounds> | undefined;
  /** Makes one answer for a client out of all rounds. Default: there is no client but the caller. */
  readonly client?: TurnClient | undefined;
  /** Somebody sees what the model says as it says it: a round that was seen in part is not requested again. */
  readonly isWatched?: boolean | undefined;
  /** Takes keys out of what a provider says went wrong. */
  readonly redact?: ((text: string) => string) | undefined;
}
