import { NetworkError } from 'skillwright';
import type { ForwardedRequest } from 'skillwright/host';
import type { Failure, UpstreamPlace } from './upstream.ts';
import { isRedirect, redirectFailure } from './redirect.ts';
import { UpstreamAnswer } from './upstream-answer.ts';

export interface UpstreamCall extends Omit<ForwardedRequest, 'isRepeatable' | 'headersTimeoutMs' | 'idleTimeoutMs'> {
  /**
   * Whether the gateway may send the request a second time if the upstream closes a reused connection just as the
   * request is sent. Default: true, except for DELETE.
   */
  readonly isRepeatable?: boolean | undefined;
}

export interface UpstreamTimes {
  /** How long to wait for the response to begin, in milliseconds. Default 600,000. */
  readonly answerMs?: number;
  /** How long the body may pause while it is read, in milliseconds. Default 300,000. */
  readonly idleMs?: number;
}

/** A request in progress. */
export interface CallUnderWay {
  /** The response once its headers have arrived, or the failure. Never rejects. */
  readonly answer: Promise<UpstreamAnswer | Failure>;
  /** Aborts the request or the response body. Safe to call again. */
  end(): void;
}

/** Sends a request to an upstream. A redirect is a failure. */
export function callUpstream(place: UpstreamPlace, call: UpstreamCall, times: UpstreamTimes = {}): CallUnderWay {
  const { isRepeatable = call.method !== 'DELETE' } = call;
  const { answerMs = 600_000, idleMs = 300_000 } = times;
  const timeouts = { headersTimeoutMs: answerMs, idleTimeoutMs: idleMs };
  const forwarding = place.http.forward({ ...call, isRepeatable, ...timeouts });
  const end = (): void => forwarding.end(givenUp());
  const answer = forwarding.response.then(
    (message) => {
      const { statusCode = 0 } = message;
      // Node's parser accepts statuses that its server cannot send.
      const isHttp = statusCode >= 100;
      if (isHttp && !isRedirect(statusCode)) return new UpstreamAnswer(message);
      end();
      return isHttp ? redirectFailure(place, message.headers.location) : notHttp(place);
    },
    (error: unknown) => toFailure(place, error),
  );
  return { answer, end };
}

const givenUp = (): NetworkError => new NetworkError('RequestCancelled', 'The client cancelled the request.');

function toFailure({ id }: UpstreamPlace, error: unknown): Failure {
  const { code = 'RequestFailed', data = {} }: Partial<NetworkError> = NetworkError.isInstance(error) ? error : {};
  if (code === 'RequestCancelled')
    return { code: 'RequestEnded', status: 499, message: 'The client cancelled the request.' };
  if (code === 'RequestTimeout') {
    const { phase, timeoutMs } = data;
    const what = phase === 'connect' ? 'did not accept a connection within' : 'did not respond within';
    const message = `The upstream '${id}' ${what} ${String(timeoutMs)} ms. Try again later.`;
    return { code: 'UpstreamTimeout', status: 504, message };
  }
  const reason = typeof data.reason === 'string' ? data.reason : undefined;
  // The error codes of Node's HTTP parser.
  if (reason?.startsWith('HPE_') === true) return notHttp({ id });
  return { code: 'UpstreamUnreachable', status: 502, message: noResponseMessage(id, code, reason) };
}

/** The reason why an upstream did not respond, without the upstream's address. `code` is the code of the error. */
export function noResponseMessage(id: string, code: string | undefined, reason?: string): string {
  if (code === 'ResponseTooLarge')
    return `The upstream '${id}' sent response headers larger than 16 KB, the limit of this gateway. Ask the operator to check it.`;
  return `The upstream '${id}' sent no response${reason === undefined ? '' : ` (${reason})`}. Try again, or ask the operator to check it.`;
}

function notHttp({ id }: Pick<UpstreamPlace, 'id'>): Failure {
  const message = `The upstream '${id}' sent a response that is not HTTP. Ask the operator to check its address.`;
  return { code: 'UpstreamUnreachable', status: 502, message };
}
