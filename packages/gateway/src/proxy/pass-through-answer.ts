import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { StatusCode } from 'hono/utils/http-status';
import type { GatewayContext } from '../http/gateway-env.ts';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import { returnedOf } from '../upstream/forwarded-headers.ts';

/** Tells Node's adapter that it need not send anything. */
const SENT_HEADER = 'x-hono-already-sent';

/** The client's answer to an upstream's: over Node's own response where there is one, else as a web response. */
export function answerWith(
  context: GatewayContext,
  message: IncomingMessage,
  headers: Readonly<Record<string, string>>,
): Response {
  const { outgoing } = context.env;
  const returned = returnedOf(message.rawHeaders);
  if (!hasHeader(returned, REQUEST_ID_HEADER)) returned.push(REQUEST_ID_HEADER, context.get('requestId'));
  if (outgoing === undefined) return toWebResponse(context, message, returned, headers);
  const sent = context.newResponse(null, statusOf(message), { ...headers, [SENT_HEADER]: 'true' });
  // Those of other middleware among them, such as for pages of other sites.
  sent.headers.forEach((value, name) => {
    if (name !== SENT_HEADER) returned.push(name, value);
  });
  outgoing.writeHead(message.statusCode ?? 502, message.statusMessage ?? '', returned);
  sendOn(message, outgoing);
  return sent;
}

/** No faster than the client reads. An answer that breaks off breaks off for the client, too. */
function sendOn(message: IncomingMessage, outgoing: ServerResponse): void {
  let hasBegun = false;
  message.on('data', (chunk: Uint8Array) => {
    hasBegun = true;
    if (!outgoing.write(chunk)) message.pause();
  });
  message.once('end', () => outgoing.end());
  message.once('error', () => outgoing.destroy());
  outgoing.on('drain', () => message.resume());
  // The headers go with the first bytes of the body if they came together, and do not wait for them otherwise.
  setImmediate(() => {
    if (!hasBegun && !outgoing.writableEnded) outgoing.flushHeaders();
  });
}

function toWebResponse(
  context: GatewayContext,
  message: IncomingMessage,
  returned: readonly string[],
  own: Readonly<Record<string, string>>,
): Response {
  const status = statusOf(message);
  const hasBody = context.req.method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304;
  if (!hasBody) message.resume();
  const body = hasBody ? (Readable.toWeb(message) as ReadableStream) : null;
  const response = context.newResponse(body, status, { ...own });
  for (let index = 0; index < returned.length; index += 2)
    response.headers.append(returned[index] ?? '', returned[index + 1] ?? '');
  return response;
}

/** What is outside of HTTP's range cannot be told in a web response. */
function statusOf({ statusCode = 502 }: IncomingMessage): StatusCode {
  return (statusCode >= 200 && statusCode <= 599 ? statusCode : 502) as StatusCode;
}

function hasHeader(raw: readonly string[], name: string): boolean {
  return raw.some((text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name);
}
