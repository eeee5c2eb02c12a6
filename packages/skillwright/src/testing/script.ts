import type { StopReason, Usage } from '../spec/wire.ts';
import type { Conversation } from './conversation.ts';

/** A tool call that the model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** What the tool is called with. Default `{}`. */
  readonly arguments?: unknown;
  /**
   * The arguments as the model writes them, instead of `arguments`: whatever it takes to be malformed, such as JSON that
   * stops halfway. Formats that send arguments as a value (Anthropic without streaming, Gemini) send what such a
   * provider would: `{}`, and `MALFORMED_FUNCTION_CALL`.
   */
  readonly argumentsText?: string;
  /** Default a new one for every call. `null`: the call comes without an id. */
  readonly id?: string | null;
}

/** What goes wrong with a turn. */
export type ScriptedFault =
  /** An error instead of the turn, in the provider's shape. */
  | {
      readonly type: 'status';
      /** Such as 429, 500, 503 or 529. */
      readonly status: number;
      /** Seconds for a `retry-after` header. Default none. */
      readonly retryAfter?: number;
      readonly message?: string;
    }
  /** The connection ends before the turn does. Of a response that is not streamed, half is sent. */
  | {
      readonly type: 'cut';
      /** Frames of the stream that are sent whole. Default 0. */
      readonly afterFrames?: number;
      /**
       * What the last bytes cut through: half of the next frame, or the first character of the rest that takes several
       * bytes (half of the next frame, when there is none). Default nothing.
       */
      readonly within?: 'frame' | 'character';
      /** `reset` breaks the connection; `end` closes it as if all were said. Default `reset`. */
      readonly by?: 'reset' | 'end';
    }
  /** After these frames nothing comes, and the connection stays open. Without `afterFrames` not even headers come. */
  | { readonly type: 'stall'; readonly afterFrames?: number };

/** One turn of the model, in no provider's shape. An empty one is an answer without content. */
export interface ScriptedTurn {
  /** Comes first, with signatures where a provider signs it. */
  readonly reasoning?: string;
  readonly text?: string;
  /** After the text, in this order. */
  readonly calls?: readonly ScriptedCall[];
  /** Default estimates. What is given here is told as it is. */
  readonly usage?: Partial<Usage>;
  /** Default `tool-calls` where there are calls, else `end`. `error`: the provider fails after having said the rest. */
  readonly stop?: StopReason;
  readonly fault?: ScriptedFault;
  /** Milliseconds before each frame of a stream, or before a whole response. Default 0. */
  readonly delayMs?: number;
  /** Characters of text, reasoning or arguments in a frame. Default 12. */
  readonly frameLength?: number;
}

/** Decides the next turn from the conversation so far. */
export type Respond = (conversation: Conversation) => ScriptedTurn | Promise<ScriptedTurn>;
