import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends a web response through Node's response, and drains the rest of the request. */
export function sendResponse(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): void {
  // Leave the global `Request` and `Response` unchanged, because other code runs in this process.
  const listener = getRequestListener(() => response, { overrideGlobalObjects: false });
  Promise.resolve(listener(incoming, outgoing)).catch(() => outgoing.destroy());
}
