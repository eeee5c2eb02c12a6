import type { ModelFailure } from 'skillwright';
import type { TurnEnding } from 'skillwright/host';
import { failureResponse } from '../../upstream/failure-response.ts';
import type { Failure } from '../../upstream/upstream.ts';
import { passedHeaders } from '../../upstream/forwarded-headers.ts';
import type { ProxiedRequest } from './injection.ts';
import type { ProxiedTurn } from './proxied-turn.ts';
import { failureCode } from './upstream-client.ts';

/**
 * Whether the provider may have refused the request only because of the gateway's tools. Can be true only in the first
 * round, if the client sent no tools itself.
 */
export function isRefusedForTools({ failure, rounds }: TurnEnding, { format, body }: ProxiedRequest): boolean {
  const answer = failure?.kind === 'status' ? failure.answer : undefined;
  if (answer === undefined || rounds > 1 || format.toolNames(body).length > 0) return false;
  // A request that continues a response by id is not repeated without tools: it may need the id that only the provider
  // knows.
  if (format.keptAnswer?.idIn(body) !== undefined) return false;
  return format.mayRefuseTools?.(answer.status, Buffer.from(answer.body).toString()) ?? false;
}

/**
 * The response to a turn of which nothing was sent: the provider's own response, unchanged, or else a description of
 * the failure.
 */
export function failedAnswer(
  ending: TurnEnding,
  own: Readonly<Record<string, string>>,
  { context, request, upstream, parts: { stopping } }: ProxiedTurn,
): Response {
  const answer = ending.failure?.answer;
  if (answer !== undefined && isOfModel(answer)) return providerAnswer(answer, own);
  const failure = stopping.aborted ? SHUTTING_DOWN : failureOf(ending, upstream.id);
  const response = failureResponse(request.format.name, failure, context.get('requestId'));
  for (const [name, value] of Object.entries(own)) response.headers.set(name, value);
  return response;
}

/** The failure if the client is gone: only the log and the metrics use it. */
const GIVEN_UP: Failure = { code: 'RequestEnded', status: 499, message: 'The client cancelled the request.' };

const SHUTTING_DOWN: Failure = { code: 'ShuttingDown', status: 503, message: 'The gateway is shutting down.' };

function failureOf({ reason, failure, error }: TurnEnding, upstream: string): Failure {
  if (failure?.kind === 'cancelled' || reason === 'cancelled') return GIVEN_UP;
  const isLate = reason === 'max-time' || failure?.kind === 'timeout';
  const told = error ?? 'The model did not answer.';
  const isNamed = failure === undefined || told.includes(`'${upstream}'`);
  const message = isNamed ? told : `The upstream '${upstream}' failed. ${told}`;
  if (isLate) return { code: 'UpstreamTimeout', status: 504, message };
  return { code: failure === undefined ? 'UpstreamUnreachable' : failureCode(failure), status: 502, message };
}

/** Whether a client of the model API can read the response. It cannot read an HTML page with a success status. */
function isOfModel({ status, headers }: NonNullable<ModelFailure['answer']>): boolean {
  return status >= 300 || /\bjson\b/i.test(headers['content-type'] ?? '');
}

/** Statuses whose responses have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function providerAnswer(
  { status, headers, body }: NonNullable<ModelFailure['answer']>,
  own: Readonly<Record<string, string>>,
): Response {
  return new Response(BODILESS.has(status) ? null : (body as Uint8Array<ArrayBuffer>), {
    status: status >= 200 && status <= 599 ? status : 502,
    headers: { ...passedHeaders(headers), 'content-type': headers['content-type'] ?? 'application/json', ...own },
  });
}
