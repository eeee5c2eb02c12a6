import { createHash } from 'node:crypto';
import type { StopReason, Usage } from '../spec/wire.ts';
import type { ScriptedCall, ScriptedTurn } from './script.ts';

export interface SpokenCall {
  /** `undefined`: the script wants a call without one. */
  readonly id: string | undefined;
  readonly name: string;
  readonly argumentsText: string;
}

/** A turn of the script with everything decided, so that every format only has to shape it. */
export interface SpokenTurn {
  /** Counts the turns of a server from 1; ids are made of it. */
  readonly number: number;
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
  readonly number: number;
  readonly model: string;
  /** How the format's call ids begin. */
  readonly callPrefix: string;
  /** Characters of the request, for an estimate of its tokens. */
  readonly requestLength: number;
}

export function speak(turn: ScriptedTurn, place: TurnPlace): SpokenTurn {
  const { text = '', reasoning = '', frameLength = 12 } = turn;
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: call.id === null ? undefined : (call.id ?? `${place.callPrefix}${place.number}_${index + 1}`),
    name: call.name,
    argumentsText: argumentsOf(call),
  }));
  const spoken = text + reasoning + calls.map(({ name, argumentsText }) => name + argumentsText).join('');
  return {
    number: place.number,
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

function argumentsOf(call: ScriptedCall): string {
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
  return createHash('sha256').update('scripted reasoning\n').update(text).digest('base64');
}

/** The same for a whole step: its reasoning and the calls that it led to. */
export function stepSignature({ reasoning, calls }: SpokenTurn): string {
  return signatureOf([reasoning, ...calls.map(({ name }) => name)].join('\n'));
}
