import type { ModelFailure, TurnEnding } from 'skillwright/host';
import { failureResponse } from '../upstream/failure-response.ts';
import type { Failure } from '../upstream/failure.ts';
import { passedHeaders } from '../upstream/forwarded-headers.ts';
import type { ProxiedRequest } from './injection.ts';

interface FailedRequest {
  readonly request: ProxiedRequest;
  readonly requestId: string;
  /** The id of the upstream that was asked. */
  readonly upstream: string;
  readonly stopping: AbortSignal;
}

/** For a turn of which nothing was sent: what the provider answered, as it came, or else what happened. */
export function failedAnswer(
  ending: TurnEnding,
  own: Readonly<Record<string, string>>,
  { request, requestId, upstream, stopping }: FailedRequest,
): Response {
  const answer = ending.failure?.answer;
  if (answer !== undefined) return providerAnswer(answer, own);
  const failure = stopping.aborted ? SHUTTING_DOWN : failureOf(ending, upstream);
  const response = failureResponse(request.format.name, failure, requestId);
  for (const [name, value] of Object.entries(own)) response.headers.set(name, value);
  return response;
}

const SHUTTING_DOWN: Failure = { code: 'ShuttingDown', status: 503, message: 'The gateway is shutting down.' };

function failureOf({ reason, failure, error }: TurnEnding, upstream: string): Failure {
  const isLate = reason === 'max-time' || failure?.kind === 'timeout';
  const told = error ?? 'The model did not answer.';
  const message = failure === undefined ? told : `The upstream '${upstream}' failed. ${told}`;
  return isLate
    ? { code: 'UpstreamTimeout', status: 504, message }
    : { code: 'UpstreamUnreachable', status: 502, message };
}

/** Answers without a body have no place for one. */
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
