import type { Conversation } from '../models/demo/formats/conversation.ts';
import type { PlannedCall, PlannedTurn } from '../models/demo/formats/spoken-turn.ts';

/** A tool call that the model makes. */
export type ScriptedCall = PlannedCall;

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
  /** The connection ends before the turn does. A response that is not streamed is sent by half. */
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
export interface ScriptedTurn extends PlannedTurn {
  readonly fault?: ScriptedFault;
  /** Milliseconds before each frame of a stream, or before a whole response. Default 0. */
  readonly delayMs?: number;
}

/** Decides the next turn from the conversation so far. */
export type Respond = (conversation: Conversation) => ScriptedTurn | Promise<ScriptedTurn>;
