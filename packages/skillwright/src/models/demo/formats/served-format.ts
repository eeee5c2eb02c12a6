import type { WireFormatName } from '../../../spec/wire.ts';
import type { ReadRequest } from './conversation.ts';
import type { JsonRecord } from './json-values.ts';
import type { ServerMemory } from './server-memory.ts';
import type { SpokenTurn } from './spoken-turn.ts';

/** Why a request is refused, in the provider's words. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The part of the request that is wrong, in formats that name it. */
  readonly param?: string | undefined;
  readonly code?: string | undefined;
}

/** A request as its provider sees it. */
export interface ServedRequest {
  readonly body: JsonRecord;
  readonly model: string;
  readonly stream: boolean;
  /**
   * The simulated provider: the format's own, or OpenRouter, which serves two of the formats with its own additions.
   */
  readonly provider: 'own' | 'openrouter';
  /** How a stream is written: server-sent events, or one JSON array. */
  readonly framing: 'sse' | 'json-array';
  readonly memory: ServerMemory;
}

export interface WholeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * One format as its provider serves it: reads requests and shapes turns. Does not use `wire/`, which does the same from
 * the client's side, so that each checks the other.
 */
export interface ServedFormat {
  readonly format: WireFormatName;
  readonly callPrefix: string;
  /** Reads a request. Never throws: fields that do not match the format are ignored. */
  read(request: ServedRequest): ReadRequest;
  answer(turn: SpokenTurn, request: ServedRequest): WholeAnswer;
  /** Stores what a stateful provider keeps of a turn, before it is sent. */
  keep?(turn: SpokenTurn, request: ServedRequest): void;
  /** The frames of the stream, each as it goes over the wire. */
  frames(turn: SpokenTurn, request: ServedRequest): readonly string[];
  errorBody(
    refusal: Refusal,
    request: Pick<ServedRequest, 'provider' | 'framing' | 'stream'>,
    requestId: string,
  ): unknown;
}

export function sseFrame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
