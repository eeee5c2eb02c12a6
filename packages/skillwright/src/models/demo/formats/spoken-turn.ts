import { createHash } from 'node:crypto';
import type { StopReason, Usage } from '../../../spec/wire.ts';

/** A tool call that a model makes. */
export interface PlannedCall {
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

/** One turn of a model, in no provider's shape. An empty one is an answer without content. */
export interface PlannedTurn {
  /** Comes first, with signatures where a provider signs it. */
  readonly reasoning?: string;
  readonly text?: string;
  /** After the text, in this order. */
  readonly calls?: readonly PlannedCall[];
  /** Default estimates. What is given here is told as it is. */
  readonly usage?: Partial<Usage>;
  /** Default `tool-calls` where there are calls, else `end`. `error`: the provider fails after having said the rest. */
  readonly stop?: StopReason;
  /** Characters of text, reasoning or arguments in a frame. Default 12. */
  readonly frameLength?: number;
}

export interface SpokenCall {
  /** `undefined` for a call without one. */
  readonly id: string | undefined;
  readonly name: string;
  readonly argumentsText: string;
}

/** A turn with everything decided, so that every format only has to shape it. */
export interface SpokenTurn {
  /** What ids are made of: another one for every turn of a server. */
  readonly serial: string;
  /** Seconds since 1970. */
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
  /** How the format's call ids begin. */
  readonly callPrefix: string;
  /** Characters of the request, for an estimate of its tokens. */
  readonly requestLength: number;
}

export function speak(turn: PlannedTurn, place: TurnPlace): SpokenTurn {
  const { text = '', reasoning = '', frameLength = 12 } = turn;
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: call.id === null ? undefined : (call.id ?? `${place.callPrefix}${place.serial}_${index + 1}`),
    name: call.name,
    argumentsText: argumentsOf(call),
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

function argumentsOf(call: PlannedCall): string {
  return call.argumentsText ?? JSON.stringify(call.arguments ?? {});
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** The text in pieces of `length` characters, none of which is cut in two. */
export function pieces(text: string, length: number): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, index) => characters.slice(index * length, (index + 1) * length).join(''));
}

/** What a provider signs reasoning with: the same text always gets the same signature. */
export function signatureOf(text: string): string {
  return createHash('sha256').update('served reasoning\n').update(text).digest('base64');
}

/** The same for a whole step: its reasoning and the calls that it led to. */
export function stepSignature({ reasoning, calls }: SpokenTurn): string {
  return signatureOf([reasoning, ...calls.map(({ name }) => name)].join('\n'));
}
