import { SkillwrightError } from '../spec/errors/error.ts';
import { WIRE_FORMATS, type WireFormatName } from '../spec/wire.ts';
import type { Strictness } from './server/format-request.ts';
import type { Conversation } from '../models/demo/formats/conversation.ts';
import type { PlannedCall, PlannedTurn } from '../models/demo/formats/spoken-turn.ts';

/** Options of `createScriptedModel`. */
export interface ScriptedModelOptions {
  /** The model's turns, one for each accepted request, in order of arrival. Use either this or `respond`. */
  readonly script?: readonly ScriptedTurn[];
  /**
   * What happens after the script's last turn. `fail`: a 400 that says so. `repeat`: the last turn again. Default
   * `fail`.
   */
  readonly afterScript?: 'fail' | 'repeat';
  /** Chooses each turn from the conversation, for concurrent conversations or for turns that depend on results. */
  readonly respond?: Respond;
  /** The formats to serve; paths of other formats return 404. Default all four. */
  readonly formats?: readonly WireFormatName[];
  /** The only accepted API key. Default: any key, but one is required. */
  readonly apiKey?: string;
  /** The only available models. Default: any model; the list of models then contains only `scripted`. */
  readonly models?: readonly string[];
  /** `off` accepts any readable request. Default every check. */
  readonly strictness?: Partial<Strictness> | 'off';
  /** How many requests and answers to remember; older ones are dropped. Default 10,000. */
  readonly remembered?: number;
  /** The port to listen on. Default: any free port. */
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
    throw invalid(`A scripted model has no format '${unknown}'. Its formats are: ${WIRE_FORMATS.join(', ')}.`);
  }
  if (remembered !== undefined && !(Number.isSafeInteger(remembered) && remembered > 0)) {
    throw invalid(
      `The option remembered of a scripted model must be a whole number of at least 1, not ${String(remembered)}.`,
    );
  }
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', message);
}

/** A tool call that the model makes. */
export type ScriptedCall = PlannedCall;

/** A failure to simulate in a turn. */
export type ScriptedFault =
  /** An error instead of the turn, in the provider's shape. */
  | {
      readonly type: 'status';
      /** The HTTP status, such as 429, 500, 503 or 529. */
      readonly status: number;
      /** Seconds for the `retry-after` header. Default: no header. */
      readonly retryAfter?: number;
      readonly message?: string;
    }
  /** The connection ends before the turn does. If the response is not streamed, half of it is sent. */
  | {
      readonly type: 'cut';
      /** How many frames of the stream are sent whole. Default 0. */
      readonly afterFrames?: number;
      /**
       * Where the last bytes are cut: in the middle of the next frame, or within the first multi-byte character of the
       * rest (or in the middle of the next frame if there is none). Default: nowhere.
       */
      readonly within?: 'frame' | 'character';
      /** `reset` breaks the connection; `end` closes it as if the response were complete. Default `reset`. */
      readonly by?: 'reset' | 'end';
    }
  /**
   * The stream stops after `afterFrames` frames and the connection stays open. Without `afterFrames`, not even headers
   * are sent.
   */
  | { readonly type: 'stall'; readonly afterFrames?: number };

/** One turn of the model, in a neutral shape. An empty turn is an answer without content. */
export interface ScriptedTurn extends PlannedTurn {
  readonly fault?: ScriptedFault;
  /** Milliseconds to wait before each frame of a stream, or before a whole response. Default 0. */
  readonly delayMs?: number;
}

/** Decides the next turn from the conversation so far. */
export type Respond = (conversation: Conversation) => ScriptedTurn | Promise<ScriptedTurn>;
