import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { GatewayConfig } from '../../config/config.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { GatewayLog } from '../../http/log/log.ts';
import { REQUEST_ID_HEADER } from '../../http/log/request-id.ts';
import type { GatewayMetrics } from '../../http/metrics/gateway-metrics.ts';
import { createSentAnswers, type SentAnswers } from '../../http/response/sent-answers.ts';
import { createAfterReads, type Together } from '../../http/together.ts';
import type { GatewayParts } from '../../parts.ts';
import { type CallUnderWay, callUpstream, type UpstreamTimes } from '../../upstream/call-upstream.ts';
import { CallsUnderWay } from '../../upstream/calls-under-way.ts';
import { type ErrorBody, readErrorBody, type WholeErrorBody } from '../../upstream/error-body.ts';
import { failureResponse } from '../../upstream/failure-response.ts';
import { isSecret, redactHeaders, redactText } from '../../upstream/key-redaction.ts';
import { type Failure, isFailure, type Upstream, type UpstreamPlace } from '../../upstream/upstream.ts';
import { returnedOf } from '../../upstream/forwarded-headers.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';
import { type OnBytes, sendOn } from './pass-through-body.ts';
import { callFor } from './pass-through-call.ts';
import { askDemo } from './pass-through-demo.ts';

/** The response for the client, made from the upstream's. */
interface PassedAnswer {
  readonly answer: UpstreamAnswer;
  /** The reason phrase, without the operator's key. */
  readonly phrase: string;
  /** Headers added to the upstream's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether middleware may have set headers, such as CORS ones. */
  readonly mergesHeaders: boolean;
  readonly sentAnswers: SentAnswers;
  readonly afterReads: Together;
  readonly onBytes?: OnBytes | undefined;
}

/** The headers for the client, and the body if the response is an error that may repeat the operator's key. */
interface PassedBody {
  readonly returned: string[];
  readonly error: ErrorBody | undefined;
}

/** The response of an upstream or of the demo model, without its body. */
export type SeenAnswer = Omit<UpstreamAnswer, 'message' | 'statusMessage'>;

export interface PassThroughOptions {
  /** The decompressed body of the request. Default: no body. */
  readonly body?: Uint8Array | undefined;
  /** Whether the upstream may get the request twice, as in `UpstreamCall`. */
  readonly isRepeatable?: boolean | undefined;
  /** Headers added to the response, such as the reason why it has no skills. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Called before the upstream's response is passed on. The function that it returns receives the bytes of the body.
   */
  readonly onAnswer?: ((answer: SeenAnswer) => OnBytes | undefined) | undefined;
}

/**
 * Passes a request and its response on byte for byte, as they arrive. Never rejects: a failure is reported to the
 * client in the upstream's format.
 */
export type PassThrough = (
  context: RequestContext,
  upstream: Upstream,
  options?: PassThroughOptions,
) => Promise<Response>;

/** The parts from which the proxy's routes are made, including the one function that passes requests on. */
export interface ProxyParts extends GatewayParts {
  readonly passThrough: PassThrough;
}

export interface PassThroughParts {
  readonly config: Pick<GatewayConfig, 'allowedOrigins'>;
  readonly log: GatewayLog;
  readonly counted: GatewayMetrics;
  /** Aborts all running requests. */
  readonly stopping: AbortSignal;
  readonly times?: UpstreamTimes;
}

const SHUTTING_DOWN: Failure = { code: 'ShuttingDown', status: 503, message: 'The gateway is shutting down.' };

export function createPassThrough({ config, log, counted, stopping, times }: PassThroughParts): PassThrough {
  const sentAnswers = createSentAnswers();
  const afterReads = createAfterReads();
  const mergesHeaders = config.allowedOrigins.length > 0;
  const underWay = new CallsUnderWay();
  stopping.addEventListener('abort', () => underWay.endAll());

  const ask = async (
    context: RequestContext,
    place: UpstreamPlace,
    { body, isRepeatable, headers = {}, onAnswer }: PassThroughOptions,
  ): Promise<Response | Failure> => {
    const wanted = callFor(context, place, body);
    if (isFailure(wanted)) return wanted;
    const call = callUpstream(place, { ...wanted, isRepeatable }, times);
    const leave = underWay.add(call);
    endWithClient(context, call);
    const answer = await call.answer;
    if (isFailure(answer)) {
      leave();
      return stopping.aborted ? SHUTTING_DOWN : answer;
    }
    answer.onceClosed(leave);
    try {
      const onBytes = onAnswer?.(answer);
      const { apiKey } = place;
      const hidesKey = isSecret(apiKey);
      const { statusMessage, message } = answer;
      const phrase = hidesKey ? redactText(statusMessage, apiKey) : statusMessage;
      const raw = returnedOf(message.rawHeaders);
      const returned = hidesKey ? redactHeaders(raw, apiKey) : raw;
      const passed = { answer, phrase, headers, mergesHeaders, sentAnswers, afterReads, onBytes };
      if (!hidesKey || answer.statusCode < 400) return answerWith(context, passed, { returned, error: undefined });
      const error = await readErrorBody(answer, returned, apiKey);
      if (error !== undefined) return answerWith(context, passed, { returned: error.headers, error });
      call.end();
      return unreadableError(place, answer.statusCode);
    } catch (error) {
      // End the call, because nobody would read the response.
      call.end();
      throw error;
    }
  };

  return async (context, upstream, options = {}) => {
    const { id, format, place } = upstream;
    const answer = await (place === undefined ? askDemo(context, upstream, options) : ask(context, place, options));
    if (!isFailure(answer)) {
      if (answer.status >= 400) counted.upstreamFailure(id, String(answer.status));
      return answer;
    }
    if (answer.status >= 500 && !stopping.aborted) counted.upstreamFailure(id, answer.code);
    const requestId = context.get('requestId');
    if (answer.status >= 500) log.warn({ requestId, upstream: id, code: answer.code }, answer.message);
    return failureResponse(format, answer, requestId);
  };
}

/** The body may contain the operator's key. */
function unreadableError({ id }: UpstreamPlace, status: number): Failure {
  const message = `The upstream '${id}' sent an error ${status} whose body cannot be decompressed. Ask the operator to check it.`;
  return { code: 'UpstreamUnreachable', status: 502, message };
}

/** Ends the upstream call when the client disconnects, so that nobody pays for an unread response. */
function endWithClient({ env: { outgoing }, req }: RequestContext, call: CallUnderWay): void {
  if (outgoing === undefined) req.raw?.signal.addEventListener('abort', () => call.end());
  else if (outgoing.closed) call.end();
  else outgoing.once('close', () => outgoing.writableFinished || call.end());
}

/** Responds through Node's own response if there is one, otherwise with a web response. */
function answerWith(context: RequestContext, passed: PassedAnswer, { returned, error }: PassedBody): Response {
  const { answer, phrase, headers, mergesHeaders, sentAnswers, afterReads, onBytes } = passed;
  const { outgoing } = context.env;
  if (!hasHeader(returned, REQUEST_ID_HEADER)) returned.push(REQUEST_ID_HEADER, context.get('requestId'));
  if (outgoing === undefined) {
    return toWebResponse(context, passed, { returned, error });
  }
  if (mergesHeaders && context.newResponse !== undefined)
    context.newResponse(null, 200, headers).headers.forEach((value, name) => returned.push(name, value));
  else for (const name in headers) returned.push(name, headers[name] ?? '');
  outgoing.writeHead(answer.statusCode, phrase, returned);
  if (error !== undefined && 'bytes' in error) sendError(error, outgoing);
  else sendOn(error?.stream ?? answer.message, outgoing, { afterReads, onBytes });
  return sentAnswers(statusOf(answer));
}

function sendError({ bytes, breaksOff }: WholeErrorBody, outgoing: ServerResponse): void {
  if (breaksOff) outgoing.write(bytes, () => outgoing.destroy());
  else outgoing.end(bytes);
}

function toWebResponse(
  context: RequestContext,
  { answer, headers, onBytes }: PassedAnswer,
  { returned, error }: PassedBody,
): Response {
  const status = statusOf(answer);
  const { message } = answer;
  const hasBody = context.req.method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304;
  if (onBytes !== undefined) message.on('data', onBytes);
  if (!hasBody) message.resume();
  const body = hasBody ? webBody(message, error) : null;
  const response = new Response(body, { status, headers });
  for (let index = 0; index < returned.length; index += 2)
    response.headers.append(returned[index] ?? '', returned[index + 1] ?? '');
  return response;
}

function webBody(message: Readable, error: ErrorBody | undefined): Uint8Array<ArrayBuffer> | ReadableStream {
  if (error === undefined) return Readable.toWeb(message) as ReadableStream;
  if ('stream' in error) return Readable.toWeb(error.stream) as ReadableStream;
  return error.breaksOff ? (Readable.toWeb(message) as ReadableStream) : (error.bytes as Uint8Array<ArrayBuffer>);
}

/** Web responses cannot have a status outside of HTTP's range. */
function statusOf({ statusCode }: UpstreamAnswer): number {
  return statusCode >= 200 && statusCode <= 599 ? statusCode : 502;
}

function hasHeader(raw: readonly string[], name: string): boolean {
  return raw.some((text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name);
}
