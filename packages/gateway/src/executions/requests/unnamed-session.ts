import { randomUUID } from 'node:crypto';

const PREFIX = 'unnamed-';

/** A session id for a conversation that the client did not name. The client's next request gets another one. */
export function unnamedSession(id: string = randomUUID()): string {
  return `${PREFIX}${id}`;
}

/**
 * Returns the session that the client named, or null if it named none. A client that sends a name like the gateway's own
 * has no session either, so it gains nothing.
 */
export function namedSession(id: string | undefined): string | null {
  return id === undefined || id.startsWith(PREFIX) ? null : id;
}
