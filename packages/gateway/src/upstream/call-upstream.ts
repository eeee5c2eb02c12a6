import { wasStale } from 'skillwright/host';
import type { Dispatcher } from 'undici';
import type { Failure } from './failure.ts';
import { isRedirect, redirectFailure } from './redirect.ts';
import { UpstreamAnswer } from './upstream-answer.ts';
import type { Connection } from './upstream-pool.ts';
import type { UpstreamPlace } from './upstream.ts';

export interface UpstreamCall {
  readonly method: string;
  /** From the root of the host, with the query. */
  readonly path: string;
  /** Names and values in turn; those of `host` and `content-length` are added. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array | undefined;
  /**
   * The upstream may get it twice. What it may not goes over a new connection, which cannot be stale. Default: with any method
   * but DELETE.
   */
  readonly isRepeatable?: boolean | undefined;
}

export interface UpstreamTimes {
  /** For resolving the host, connecting and TLS. Default 10,000. */
  readonly connectMs?: number;
  /** Until an answer begins. Default 600,000. */
  readonly answerMs?: number;
  /** Without a byte of an answer that has begun and is being read. Default 300,000. */
  readonly idleMs?: number;
}

/** A request that was sent. */
export interface CallUnderWay {
  /** As soon as the headers are there, or why there are none. Never rejects. */
  readonly answer: Promise<UpstreamAnswer | Failure>;
  /** Ends it at once, the answer's body too. Safe to call again. */
  end(): void;
}

/** Sends a request to an upstream and to nowhere else: a redirect is a failure. */
export function callUpstream(place: UpstreamPlace, call: UpstreamCall, times: UpstreamTimes = {}): CallUnderWay {
  const { connectMs = 10_000, answerMs = 600_000, idleMs = 300_000 } = times;
  return new Call(place, call, { connectMs, answerMs, idleMs });
}

type Reason = 'ended' | 'connect' | 'answer';

const givenUp = (): DOMException => new DOMException('The request was given up.', 'AbortError');

/** Undici's names for what we say in our own words. */
const TIMEOUTS: ReadonlyMap<string | undefined, Reason> = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
  ['UND_ERR_HEADERS_TIMEOUT', 'answer'],
]);

/** What undici breaks a connection with whose other end speaks no HTTP. */
const NO_HTTP = new Set(['HTTPParserError', 'AssertionError']);

class Call implements CallUnderWay, Dispatcher.DispatchHandler {
  readonly answer: Promise<UpstreamAnswer | Failure>;
  readonly #place: UpstreamPlace;
  readonly #call: UpstreamCall;
  readonly #times: Required<UpstreamTimes>;
  #resolve: (answer: UpstreamAnswer | Failure) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #connection: Connection | undefined;
  #received: UpstreamAnswer | undefined;
  #reason: Reason | undefined;
  #connecting: NodeJS.Timeout | undefined;
  #isReused = false;
  #sentAt = 0;
  #piecesBefore = 0;

  constructor(place: UpstreamPlace, call: UpstreamCall, times: Required<UpstreamTimes>) {
    this.#place = place;
    this.#call = call;
    this.#times = times;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const { isRepeatable = call.method !== 'DELETE' } = call;
    this.#start(isRepeatable ? place.pool.take() : place.pool.takeUnopened());
  }

  end(): void {
    this.#giveUp('ended');
  }

  #start(connection: Connection): void {
    const { host } = this.#place;
    const { method, path, headers, body = null } = this.#call;
    const { connectMs, answerMs, idleMs } = this.#times;
    this.#controller = undefined;
    const timeouts = { headersTimeout: answerMs, bodyTimeout: idleMs };
    this.#connection = connection;
    // One that is not open has to be made first.
    this.#isReused = connection.isOpen;
    this.#sentAt = performance.now();
    this.#piecesBefore = connection.gulps.pieces;
    if (!this.#isReused) this.#connecting = setTimeout(() => this.#giveUp('connect'), connectMs);
    connection.dispatch({ method, path, headers: ['host', host, ...headers], body, ...timeouts }, this);
  }

  #giveUp(reason: Reason): void {
    clearTimeout(this.#connecting);
    this.#reason ??= reason;
    if (this.#controller === undefined) this.#resolve(toFailure(this.#place, this.#reason, undefined, this.#times));
    else this.#controller.abort(givenUp());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#connecting);
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(givenUp());
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    code: number,
    headers: Record<string, string | string[] | undefined>,
    message = '',
  ): void {
    // Of those that announce another there may be any number.
    if (code < 200) return;
    if (isRedirect(code)) {
      this.#resolve(redirectFailure(this.#place, headers['location']));
      controller.abort(givenUp());
      return;
    }
    const raw = (controller.rawHeaders ?? []) as readonly Buffer[];
    this.#received = new UpstreamAnswer(controller, { code, message }, raw, headers);
    if (this.#received.isEventStream) this.#connection?.gulps.start();
    this.#resolve(this.#received);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#connection?.gulps.took(chunk.length);
    this.#received?.push(chunk);
  }

  onResponseEnd(): void {
    this.#connection?.gulps.stop();
    this.#received?.close('whole');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    clearTimeout(this.#connecting);
    this.#connection?.gulps.stop();
    if (this.#received !== undefined) {
      this.#received.close(error);
      return;
    }
    this.#reason ??= TIMEOUTS.get(error.code);
    // A new one cannot be stale: so this happens once.
    if (this.#reason === undefined && this.#wasStale(error)) this.#start(this.#place.pool.takeUnopened());
    else this.#resolve(toFailure(this.#place, this.#reason, error, this.#times));
  }

  #wasStale({ code }: NodeJS.ErrnoException): boolean {
    return wasStale({
      isReused: this.#isReused,
      hasHeard: this.#connection?.gulps.pieces !== this.#piecesBefore,
      elapsedMs: performance.now() - this.#sentAt,
      roundTripMs: this.#connection?.roundTripMs ?? 0,
      code,
    });
  }
}

function toFailure(
  { id }: UpstreamPlace,
  reason: Reason | undefined,
  error: NodeJS.ErrnoException | undefined,
  { connectMs, answerMs }: Required<UpstreamTimes>,
): Failure {
  if (reason === 'ended') return { code: 'RequestEnded', status: 499, message: 'The request was given up.' };
  if (error !== undefined && NO_HTTP.has(error.name)) {
    const message = `The upstream '${id}' gave an answer that is no HTTP. Ask the operator to check its address.`;
    return { code: 'UpstreamUnreachable', status: 502, message };
  }
  if (reason === undefined) {
    const message = `The upstream '${id}' gave no answer (${error?.code ?? 'no reason'}). Try again, or ask the operator to check it.`;
    return { code: 'UpstreamUnreachable', status: 502, message };
  }
  const what = reason === 'connect' ? `was not reached within ${connectMs} ms` : `did not answer within ${answerMs} ms`;
  return { code: 'UpstreamTimeout', status: 504, message: `The upstream '${id}' ${what}. Try again later.` };
}
