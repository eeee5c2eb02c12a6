import { randomUUID } from 'node:crypto';
import type { GatewayContext } from './gateway-env.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

/** The client's own id where it is harmless in a log, or a new one. */
export function requestIdOf({ req }: GatewayContext): string {
  const given = req.header(REQUEST_ID_HEADER);
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
