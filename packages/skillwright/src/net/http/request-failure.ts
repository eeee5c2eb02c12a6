import { NetworkError, SkillwrightError, systemCode } from '../../spec/errors/error.ts';

/**
 * The error to report for a failed request: the reason why it was ended, or the coded error that caused it, or a coded
 * error made from any other cause.
 */
export function toRequestFailure(error: unknown, host: string, signal?: AbortSignal): Error {
  if (signal?.aborted === true) return signal.reason as Error;
  if (SkillwrightError.isInstance(error)) return error;
  const { code, message } = describe(error);
  if (code === 'HPE_HEADER_OVERFLOW')
    return new NetworkError(
      'ResponseTooLarge',
      `The response headers of host '${host}' are larger than the limit. If that is expected, raise 'maxHeaderBytes'.`,
      { data: { host }, cause: error },
    );
  const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return new NetworkError('RequestFailed', `The request to host '${host}' failed: ${reason}.`, {
    data: { host, ...(code === undefined ? {} : { reason: code }) },
    cause: error,
  });
}

export function closedEarly(host: string): NetworkError {
  return new NetworkError('RequestFailed', `Host '${host}' closed the connection before it answered.`, {
    data: { host },
  });
}

export function neverAnswered(host: string, interim: number): NetworkError {
  return new NetworkError(
    'RequestFailed',
    `Host '${host}' sent more than ${interim} interim responses (status 1xx), but no final one.`,
    { data: { host, reason: 'TooManyInterimResponses' } },
  );
}

export function timedOut(host: string, timeoutMs: number): NetworkError {
  return new NetworkError(
    'RequestTimeout',
    `The request to host '${host}' did not finish within ${timeoutMs} ms. If it needs longer, raise 'timeoutMs'.`,
    { data: { host, timeoutMs, phase: 'request' } },
  );
}

export function notAnswered(host: string, timeoutMs: number): NetworkError {
  return new NetworkError(
    'RequestTimeout',
    `Host '${host}' did not start its response within ${timeoutMs} ms. If it needs longer, raise 'headersTimeoutMs'.`,
    { data: { host, timeoutMs, phase: 'headers' } },
  );
}

export function fellSilent(host: string, timeoutMs: number): NetworkError {
  return new NetworkError(
    'RequestTimeout',
    `Host '${host}' sent no data for ${timeoutMs} ms during its response. If such a pause is expected, raise 'idleTimeoutMs'.`,
    { data: { host, timeoutMs, phase: 'idle' } },
  );
}

export function cancelled(host: string, reason: unknown): NetworkError {
  return new NetworkError('RequestCancelled', `The request to host '${host}' was cancelled by its signal.`, {
    data: { host },
    cause: reason,
  });
}

export function clientClosed(host: string): NetworkError {
  return new NetworkError(
    'RequestCancelled',
    `The request to host '${host}' was cancelled because its client was closed. Create a new client for further requests.`,
    { data: { host } },
  );
}

function describe(error: unknown): { readonly code?: string; readonly message: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = systemCode(error);
  // If several addresses all fail, Node's error has no message.
  const message = error.message === '' ? 'none of its addresses accepts connections' : error.message;
  return { message, ...(code === undefined ? {} : { code }) };
}
