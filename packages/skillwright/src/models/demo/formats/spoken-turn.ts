import { createHash } from 'node:crypto';
import type { StopReason, Usage } from '../../../spec/wire.ts';

/** A tool call that a model makes. */
export interface PlannedCall {
  readonly name: string;
  /** The arguments of the call. Default `{}`. */
  readonly arguments?: unknown;
  /**
   * The arguments as the model writes them, instead of `arguments`: use it for malformed arguments, such as JSON that
   * stops halfway. Formats that send arguments as a value (Anthropic without streaming, Gemini) send what such a
   * provider would: `{}`, and `MALFORMED_FUNCTION_CALL`.
   */
  readonly argumentsText?: string;
  /** The id of the call. Default: a new one for every call. `null`: the call has no id. */
  readonly id?: string | null;
}

/** One turn of a model, in a shape that is the same for all formats. An empty turn is a response without content. */
export interface PlannedTurn {
  /** The model's reasoning, which comes first, with a signature if the provider signs reasoning. */
  readonly reasoning?: string;
  readonly text?: string;
  /** The calls, which follow the text in this order. */
  readonly calls?: readonly PlannedCall[];
  /** The reported usage. Default: estimates. */
  readonly usage?: Partial<Usage>;
  /**
   * Why the model stops. Default: `tool-calls` if there are calls, otherwise `end`. `error`: the provider fails after
   * sending the rest.
   */
  readonly stop?: StopReason;
  /** Characters of text, reasoning or arguments in a frame. Default 12. */
  readonly frameLength?: number;
}

export interface SpokenCall {
  /** The id of the call; `undefined` if it has none. */
  readonly id: string | undefined;
  readonly name: string;
  readonly argumentsText: string;
}

/** A turn with every value decided, so that a format only has to shape it. */
export interface SpokenTurn {
  /** Part of every id: different for every turn of a server. */
  readonly serial: string;
  /** When the turn was made, in seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly SpokenCall[];
  readonly usage: Usage;
  readonly stop: StopReason;
  readonly frameLength: number;
}

export interface TurnPlace {
  readonly serial: string;
  readonly model: string;
  /** The prefix of the format's call ids. */
  readonly callPrefix: string;
  /** The length of the request, to estimate its tokens. */
  readonly requestLength: number;
}

export function speak(turn: PlannedTurn, place: TurnPlace): SpokenTurn {
  const { text = '', reasoning = '', frameLength = 12 } = turn;
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: call.id === null ? undefined : (call.id ?? `${place.callPrefix}${place.serial}_${index + 1}`),
    name: call.name,
    argumentsText: call.argumentsText ?? JSON.stringify(call.arguments ?? {}),
  }));
  const spoken = text + reasoning + calls.map(({ name, argumentsText }) => name + argumentsText).join('');
  return {
    serial: place.serial,
    created: Math.floor(Date.now() / 1000),
    model: place.model,
    text,
    reasoning,
    calls,
    usage: {
      input: tokens(place.requestLength),
      output: tokens(spoken.length),
      cachedInput: 0,
      cacheWrite: 0,
      reasoning: tokens(reasoning.length),
      ...turn.usage,
    },
    stop: turn.stop ?? (calls.length > 0 ? 'tool-calls' : 'end'),
    frameLength: Math.max(1, frameLength),
  };
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** The text in pieces of `length` characters, without splitting a character. */
export function pieces(text: string, length: number): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, index) => characters.slice(index * length, (index + 1) * length).join(''));
}

/** A stand-in for a provider's signature of reasoning: the same text always gets the same signature. */
export function signatureOf(text: string): string {
  return createHash('sha256').update('served reasoning\n').update(text).digest('base64');
}

/** The signature of a whole step: its reasoning and the calls after it. */
export function stepSignature({ reasoning, calls }: SpokenTurn): string {
  return signatureOf([reasoning, ...calls.map(({ name }) => name)].join('\n'));
}
