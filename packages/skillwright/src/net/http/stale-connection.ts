import type { Socket } from 'node:net';

/** What is known about a request whose connection broke before a response began. */
export interface BrokenRequest {
  /** Whether the connection was kept from an earlier request. */
  readonly isReused: boolean;
  /** Whether bytes have arrived on the connection since this request was sent. */
  readonly hasHeard: boolean;
  /** Milliseconds since the request was sent. */
  readonly elapsedMs: number;
  /** The connection's round trip, from `roundTripOf`. */
  readonly roundTripMs: number;
  /** Node's code for the error. */
  readonly code: string | undefined;
}

/** Added to the round trip, because a busy process notices a closed connection late. */
const LATE_MS = 100;
/** If a connection breaks later than this, it was not stale, however distant the server is. */
const MOST_MS = 1_000;

/** Error codes of a connection that the other end closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Whether the server closed a kept connection just as the client reused it. The server has then not begun to process
 * the request. Only then may the client send the request again, on a new connection, which cannot be stale. If the
 * server closed the connection before the request arrived, the client learns of it within a round trip.
 */
export function wasStale({ isReused, hasHeard, elapsedMs, roundTripMs, code }: BrokenRequest): boolean {
  const isAtOnce = elapsedMs < Math.min(LATE_MS + 2 * roundTripMs, MOST_MS);
  return isReused && !hasHeard && isAtOnce && CLOSED.has(code);
}

const roundTrips = new WeakMap<object, number>();

/** Measures the round trip to the server while a socket connects. Call it before the socket starts connecting. */
export function timeRoundTrip(socket: Socket): void {
  let begun = performance.now();
  // Measure from the last attempt: the name may have to be resolved first, and some addresses do not answer.
  socket.on('connectionAttempt', () => (begun = performance.now()));
  socket.once('connect', () => roundTrips.set(socket, performance.now() - begun));
}

/** The round trip that `timeRoundTrip` measured on a socket, in milliseconds; 0 if it was not measured. */
export function roundTripOf(socket: object | null | undefined): number {
  return (socket && roundTrips.get(socket)) ?? 0;
}

/** Copies the round trip to a socket that wraps another, such as TLS. */
export function copyRoundTrip(from: Socket, to: Socket): void {
  roundTrips.set(to, roundTripOf(from));
}
