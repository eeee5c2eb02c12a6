import type { Socket } from 'node:net';

/** What is known of a request whose connection broke before a response began. */
export interface BrokenRequest {
  /** The connection was kept from an earlier request. */
  readonly isReused: boolean;
  /** Bytes have arrived on it since this request was sent. */
  readonly hasHeard: boolean;
  /** Since the request was sent. */
  readonly elapsedMs: number;
  /** Of the connection, as `roundTripOf` has it. */
  readonly roundTripMs: number;
  /** Node's code for the error. */
  readonly code: string | undefined;
}

/** A process that is busy is told late that a connection was closed. */
const LATE_MS = 100;
/** A connection that breaks later was in use, however far away the server is. */
const MOST_MS = 1_000;

/** Codes of a connection that the other end closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Whether the server closed a kept connection just as it was used again, and so has not begun to work on the request. Only
 * then may a request be sent a second time, on a new connection: a new one cannot be stale. What was closed before the
 * request arrived there is known here within a round trip.
 */
export function wasStale({ isReused, hasHeard, elapsedMs, roundTripMs, code }: BrokenRequest): boolean {
  const isAtOnce = elapsedMs < Math.min(LATE_MS + 2 * roundTripMs, MOST_MS);
  return isReused && !hasHeard && isAtOnce && CLOSED.has(code);
}

const roundTrips = new WeakMap<object, number>();

/** Measures the round trip to the server while a socket connects. For one that has not begun to. */
export function timeRoundTrip(socket: Socket): void {
  let begun = performance.now();
  // The name may have to be looked up first, and some addresses do not answer.
  socket.on('connectionAttempt', () => (begun = performance.now()));
  socket.once('connect', () => roundTrips.set(socket, performance.now() - begun));
}

/** The round trip that `timeRoundTrip` measured on a socket, in milliseconds; 0 if it was not measured. */
export function roundTripOf(socket: object | null | undefined): number {
  return (socket && roundTrips.get(socket)) ?? 0;
}

/** For what is made of a socket, such as TLS over it. */
export function copyRoundTrip(from: Socket, to: Socket): void {
  roundTrips.set(to, roundTripOf(from));
}
