import { SkillwrightError } from '../spec/errors/error.ts';
import { WIRE_FORMATS, type WireFormatName } from '../spec/wire.ts';
import type { Strictness } from './server/format-request.ts';
import type { Conversation } from '../models/demo/formats/conversation.ts';
import type { PlannedCall, PlannedTurn } from '../models/demo/formats/spoken-turn.ts';

/** Options of `createScriptedModel`. */
export interface ScriptedModelOptions {
  /** The model's turns, one for each accepted request, in the order the requests come. Or `respond`. */
  readonly script?: readonly ScriptedTurn[];
  /** What happens once the script is used up: a 400 that says so, or the last turn again. Default `fail`. */
  readonly afterScript?: 'fail' | 'repeat';
  /** Decides each turn by the conversation: for several conversations at a time, or turns that depend on results. */
  readonly respond?: Respond;
  /** Formats that are served; paths of others are not found. Default all four. */
  readonly formats?: readonly WireFormatName[];
  /** The only key that is accepted. Default any, as long as there is one. */
  readonly apiKey?: string;
  /** The only models there are. Default any; the list of models has one, `scripted`. */
  readonly models?: readonly string[];
  /** `off` takes any request that can be read at all. Default every check. */
  readonly strictness?: Partial<Strictness> | 'off';
  /** Requests and answers that are remembered; older ones are forgotten. Default 10,000. */
  readonly remembered?: number;
  /** Default a free one. */
  readonly port?: number;
}

export function assertOptions(options: ScriptedModelOptions): void {
  const { script, respond, formats, remembered } = options;
  if ((script === undefined) === (respond === undefined)) {
    throw invalid('A scripted model takes either script or respond: give it exactly one of them.');
  }
  if (script?.length === 0 && options.afterScript === 'repeat') {
    throw invalid('A scripted model that repeats its last turn needs at least one: script is empty.');
  }
  const unknown = formats?.find((format) => !WIRE_FORMATS.includes(format));
  if (unknown !== undefined) {
    throw invalid(`A scripted model cannot speak '${unknown}'. Its formats are: ${WIRE_FORMATS.join(', ')}.`);
  }
  if (remembered !== undefined && !(Number.isSafeInteger(remembered) && remembered > 0)) {
    throw invalid(`The option remembered of a scripted model is a whole number from 1 on, not ${String(remembered)}.`);
  }
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', message);
}

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
