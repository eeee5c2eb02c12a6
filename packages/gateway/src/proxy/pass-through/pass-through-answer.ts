import { Readable } from 'node:stream';
import type { Together } from '../../http/together.ts';
import type { Exchange } from '../../http/exchange.ts';
import { REQUEST_ID_HEADER } from '../../http/log/request-id.ts';
import type { SentAnswers } from '../../http/response/sent-answers.ts';
import { returnedOf } from '../../upstream/forwarded-headers.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';
import { sendOn, type OnBytes } from './pass-through-body.ts';

/** The client's answer to an upstream's. */
export interface PassedAnswer {
  readonly message: UpstreamAnswer;
  /** Added to those of the upstream. */
  readonly headers: Readonly<Record<string, string>>;
  /** Middleware may have set headers, too, such as those for pages of other sites. */
  readonly mergesHeaders: boolean;
  readonly sentAnswers: SentAnswers;
  readonly afterReads: Together;
  readonly onBytes?: OnBytes | undefined;
}

/** Over Node's own response where there is one, else as a web response. */
export function answerWith(context: Exchange, answer: PassedAnswer): Response {
  const { message, headers, mergesHeaders, sentAnswers, afterReads, onBytes } = answer;
  const { outgoing } = context.env;
  const returned = returnedOf(message.rawHeaders);
  if (!hasHeader(returned, REQUEST_ID_HEADER)) returned.push(REQUEST_ID_HEADER, context.get('requestId'));
  if (outgoing === undefined) {
    return toWebResponse(context, answer, returned);
  }
  if (mergesHeaders && context.newResponse !== undefined)
    context.newResponse(null, 200, headers).headers.forEach((value, name) => returned.push(name, value));
  else for (const name in headers) returned.push(name, headers[name] ?? '');
  outgoing.writeHead(message.statusCode, message.statusMessage, returned);
  sendOn(message, outgoing, { afterReads, onBytes });
  return sentAnswers(statusOf(message));
}

function toWebResponse(
  context: Exchange,
  { message, headers, onBytes }: PassedAnswer,
  returned: readonly string[],
): Response {
  const status = statusOf(message);
  const hasBody = context.req.method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304;
  const readable = message.toReadable();
  if (onBytes !== undefined) readable.on('data', onBytes);
  if (!hasBody) readable.resume();
  const body = hasBody ? (Readable.toWeb(readable) as ReadableStream) : null;
  const response = new Response(body, { status, headers });
  for (let index = 0; index < returned.length; index += 2)
    response.headers.append(returned[index] ?? '', returned[index + 1] ?? '');
  return response;
}

/** What is outside of HTTP's range cannot be told in a web response. */
function statusOf({ statusCode }: UpstreamAnswer): number {
  return statusCode >= 200 && statusCode <= 599 ? statusCode : 502;
}

function hasHeader(raw: readonly string[], name: string): boolean {
  return raw.some((text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name);
}
