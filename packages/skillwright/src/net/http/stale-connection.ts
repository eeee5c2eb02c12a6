/** What is known of a request whose connection broke before a response began. */
export interface BrokenRequest {
  /** The connection was kept from an earlier request. */
  readonly isReused: boolean;
  /** Bytes have arrived on it since this request was sent. */
  readonly hasHeard: boolean;
  /** Since the request was sent. */
  readonly elapsedMs: number;
  /** Of the error, as Node or undici names it. */
  readonly code: string | undefined;
}

/** A connection that was closed before it was used again breaks within this time; one that breaks later was in use. */
const STALE_MS = 1_000;

/** Codes of a connection that the other end closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * Whether the server closed a kept connection just as it was used again, and so has not begun to work on the request. Only
 * then may a request be sent a second time, on a new connection: a new one cannot be stale.
 */
export function wasStale({ isReused, hasHeard, elapsedMs, code }: BrokenRequest): boolean {
  return isReused && !hasHeard && elapsedMs < STALE_MS && CLOSED.has(code);
}
