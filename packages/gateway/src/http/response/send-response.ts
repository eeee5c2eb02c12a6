import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends a web response over Node's own, and takes what is left of the request off the connection. */
export function sendResponse(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): void {
  // The globals stay what they are: other code lives in this process, too.
  const listener = getRequestListener(() => response, { overrideGlobalObjects: false });
  Promise.resolve(listener(incoming, outgoing)).catch(() => outgoing.destroy());
}
