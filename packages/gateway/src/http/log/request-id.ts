import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../request-context.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

/** The client's own id if it is safe to log, otherwise a new one. */
export function requestIdOf({ req }: Pick<RequestContext, 'req'>): string {
  const given = req.header(REQUEST_ID_HEADER);
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
