import type { ClientRequest, IncomingMessage } from 'node:http';
import { systemCode } from '../../spec/errors/error.ts';
import { closedEarly, fellSilent, neverAnswered, notAnswered } from './request-failure.ts';
import type { RequestUrl } from './request-url.ts';
import { roundTripOf, wasStale } from './stale-connection.ts';

/** A request, ready to be sent. */
export interface OutgoingRequest {
  /** The address of the server. */
  readonly url: Pick<RequestUrl, 'protocol' | 'host' | 'port' | 'authority'>;
  /** The path from the root of the host, with the query. */
  readonly path: string;
  readonly method: string;
  /**
   * Names and values in turn, sent in this order and spelling. The client adds `host`, `connection` and
   * `content-length`.
   */
  readonly headers: readonly string[];
  readonly body?: Uint8Array | undefined;
  /**
   * Whether the server may get the request twice. If true, a request that fails on a stale kept connection is sent once
   * more, on a new connection.
   */
  readonly isRepeatable: boolean;
  /** Whether to use a separate connection, which is never stale and is closed afterward. Default false. */
  readonly needsNewConnection?: boolean;
  /** Milliseconds until the response begins. `Infinity` for no limit. */
  readonly headersTimeoutMs: number;
  /** Milliseconds without a byte of the body while the reader waits. `Infinity` for no limit. */
  readonly idleTimeoutMs: number;
}

/** A connection that is being opened for a request. */
export interface Opening {
  /** Aborts the attempt to connect. */
  stop?: AbortController;
}

/** The parts of the pool that an exchange uses. */
export interface RequestStarter {
  /** Starts a request; its body is not written yet. Throws if the path or a header is invalid. */
  start(request: OutgoingRequest, opening: Opening): ClientRequest;
  /** Closes the idle connections that this request could use. */
  dropKept(request: OutgoingRequest): void;
  /** The coded error for a failed request. */
  explain(error: unknown, host: string): Error;
}

/**
 * The most interim responses (status 1xx) before the response. Servers rarely send any, and then only every few
 * seconds.
 */
const MAX_INTERIM = 100;

/** A request in progress and its response. */
export class Exchange {
  /**
   * The response as the server sent it, whatever its status, once its headers have arrived. Rejects with a coded error
   * if there is no response. Read its body, or end the exchange.
   */
  readonly response: Promise<IncomingMessage>;
  readonly #outgoing: OutgoingRequest;
  readonly #starter: RequestStarter;
  readonly #opening: Opening = {};
  #resolve: (message: IncomingMessage) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #request: ClientRequest | undefined;
  #message: IncomingMessage | undefined;
  #answerTimer: NodeJS.Timeout | undefined;
  #isOver = false;
  #sentAt = 0;
  #heardBefore = 0;

  constructor(outgoing: OutgoingRequest, starter: RequestStarter) {
    this.#outgoing = outgoing;
    this.#starter = starter;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { url, headersTimeoutMs } = outgoing;
    if (headersTimeoutMs !== Infinity)
      this.#answerTimer = setTimeout(() => this.end(notAnswered(url.host, headersTimeoutMs)), headersTimeoutMs).unref();
    this.#start(outgoing.isRepeatable);
  }

  /** Aborts the request or the response body with this error. Safe to call again. */
  end(reason: Error): void {
    if (this.#message !== undefined) {
      this.#message.destroy(reason);
      return;
    }
    this.#fail(reason);
    this.#opening.stop?.abort(reason);
    this.#request?.destroy();
  }

  #start(mayRepeat: boolean): void {
    const outgoing = this.#outgoing;
    let request: ClientRequest;
    try {
      request = this.#starter.start(outgoing, this.#opening);
    } catch (error) {
      this.#break(error);
      return;
    }
    this.#request = request;
    this.#sentAt = performance.now();
    request.once('socket', (socket) => (this.#heardBefore = socket.bytesRead));
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) this.end(neverAnswered(outgoing.url.host, MAX_INTERIM));
    });
    request.once('response', (message) => this.#receive(message));
    request.on('error', (error) => {
      if (this.#request !== request) return;
      if (!mayRepeat || this.#isOver || !this.#wasStale(request, error)) return this.#break(error);
      // Other idle connections may be stale too, so the retry needs a new connection. A new connection is never stale,
      // so a request is repeated at most once.
      this.#starter.dropKept(outgoing);
      this.#start(false);
    });
    // An unexpected protocol switch (101) closes the request with neither a response nor an error.
    request.once('close', () => {
      if (this.#request === request && !this.#isOver) this.#break(closedEarly(outgoing.url.host));
    });
    request.end(outgoing.body);
  }

  #wasStale(request: ClientRequest, error: Error): boolean {
    return wasStale({
      isReused: request.reusedSocket,
      hasHeard: request.socket?.bytesRead !== this.#heardBefore,
      elapsedMs: performance.now() - this.#sentAt,
      roundTripMs: roundTripOf(request.socket),
      code: systemCode(error),
    });
  }

  #receive(message: IncomingMessage): void {
    clearTimeout(this.#answerTimer);
    this.#isOver = true;
    this.#message = message;
    // A body that nobody reads may fail without a listener.
    message.on('error', ignore);
    // End the request with the response: if the server has not read the whole request, the connection and the rest of
    // the body would otherwise stay in memory.
    const request = this.#request;
    message.once('end', () => {
      if (request?.writableFinished === false) request.destroy();
    });
    const { url, idleTimeoutMs } = this.#outgoing;
    this.#resolve(message);
    if (idleTimeoutMs === Infinity) return;
    // A body that arrived with its headers is complete when this microtask runs, and needs no timer.
    queueMicrotask(() => {
      if (!message.complete && !message.destroyed)
        limitSilence(message, idleTimeoutMs, () => fellSilent(url.host, idleTimeoutMs));
    });
  }

  #break(error: unknown): void {
    if (!this.#isOver) this.#fail(this.#starter.explain(error, this.#outgoing.url.host));
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#answerTimer);
    this.#reject(error);
  }
}

function ignore(): void {}

/** Fails a body that sends no byte for this long while its reader waits. */
function limitSilence(message: IncomingMessage, timeoutMs: number, failure: () => Error): void {
  const { socket } = message;
  // The socket restarts this timer with every byte, and fires it once.
  const restart = (): void => void socket.setTimeout(timeoutMs);
  const ring = (): void => {
    if (isWaitedFor(message)) message.destroy(failure());
    else restart();
  };
  restart();
  socket.on('timeout', ring);
  message.on('resume', restart);
  message.once('close', () => socket.off('timeout', ring));
}

/** Whether a reader waits for bytes that have not arrived. */
function isWaitedFor(message: IncomingMessage): boolean {
  if (message.complete || message.readableLength > 0) return false;
  return message.readableFlowing !== false || message.listenerCount('readable') > 0;
}
