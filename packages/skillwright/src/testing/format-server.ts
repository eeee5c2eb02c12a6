import type { IncomingHttpHeaders } from 'node:http';
import type { WireFormatName } from '../spec/wire.ts';
import type { ReadRequest } from './conversation.ts';
import type { JsonRecord } from './json-values.ts';
import type { ServerMemory } from './server-memory.ts';
import type { SpokenTurn } from './spoken-turn.ts';

/** How closely requests are looked at, where real providers differ from each other or from one month to the next. */
export interface Strictness {
  /**
   * Results in the order of their calls. Some providers take any order, none minds this one, and every other order is
   * the mark of a client that loses track.
   */
  readonly resultOrder: 'calls' | 'any';
  /** Reasoning that belongs to tool calls comes back with them, signed, as models that think while using tools want it. */
  readonly signatures: 'required' | 'optional';
}

/** Why a request is refused, in the provider's words. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The part of the request that is wrong, where a format names it. */
  readonly param?: string | undefined;
  readonly code?: string | undefined;
}

/** A request as far as HTTP goes, with its body read. */
export interface FormatRequest {
  readonly body: JsonRecord;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly stream: boolean;
  /** Who is played: the format's own provider, or OpenRouter, which serves two of the formats with its own additions. */
  readonly provider: 'own' | 'openrouter';
  /** How a stream is written: server-sent events, or one JSON array. */
  readonly framing: 'sse' | 'json-array';
  readonly memory: ServerMemory;
  readonly strictness: Strictness;
}

export interface WholeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One format as its provider serves it. Knows nothing of `wire/`: it is the second opinion on it. */
export interface FormatServer {
  readonly format: WireFormatName;
  readonly callPrefix: string;
  /** What the provider would refuse, in the order it would find it. Only the first is ever asked for. */
  refusals(request: FormatRequest): Iterable<Refusal>;
  read(request: FormatRequest): ReadRequest;
  answer(turn: SpokenTurn, request: FormatRequest): WholeAnswer;
  /** What a stateful provider keeps of a turn, before it is sent. */
  keep?(turn: SpokenTurn, request: FormatRequest): void;
  /** The stream, frame by frame, each as it goes over the wire. */
  frames(turn: SpokenTurn, request: FormatRequest): readonly string[];
  errorBody(
    refusal: Refusal,
    request: Pick<FormatRequest, 'provider' | 'framing' | 'stream'>,
    requestId: string,
  ): unknown;
}

export function sseFrame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
