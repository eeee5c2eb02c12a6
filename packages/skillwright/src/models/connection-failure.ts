import { NetworkError } from '../spec/errors/error.ts';
import type { ModelFailure } from '../spec/model.ts';
import type { ModelSettings } from './model-options.ts';

/**
 * Codes of system errors after which a retry may succeed. An unknown name, a wrong port or a bad certificate would fail
 * again.
 */
const PASSING_REASONS: ReadonlySet<unknown> = new Set([
  // The connection closed without a reason.
  undefined,
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

const TIMEOUTS: Readonly<Record<string, string>> = {
  connect: "did not accept a connection within %. Check that it is up, or raise 'connectTimeoutMs'",
  headers: "did not start its response within %. If it needs longer, raise 'timeoutMs'",
  request: "did not finish its response within %. Use streaming, or raise 'timeoutMs'",
  idle: "sent no data for % during its response. If such a pause is expected, raise 'idleTimeoutMs'",
};

/** The failure to report when a request got no response, or an incomplete one. */
export function toConnectionFailure(error: unknown, settings: ModelSettings): ModelFailure {
  const { host } = settings.address.url;
  if (!NetworkError.isInstance(error))
    return failure('connection', `The request to the model server '${host}' failed: ${String(error)}.`, false);
  const { code, data, message } = error;
  if (code === 'RequestCancelled') return failure('cancelled', message, false);
  if (code === 'RequestTimeout') {
    const what = (TIMEOUTS[String(data.phase)] ?? 'took longer than %').replace('%', `${String(data.timeoutMs)} ms`);
    return failure('timeout', `The model server '${host}' ${what}.`, true);
  }
  if (code !== 'RequestFailed') return { ...failure('connection', message, false), code };
  const isPassing = PASSING_REASONS.has(data.reason);
  return failure('connection', `${message} ${isPassing ? 'Try again.' : whatToCheck(settings)}`, isPassing);
}

function whatToCheck({ address: { url } }: ModelSettings): string {
  const certificate = url.protocol === 'https:' ? ", and 'ca' if its certificate is one of your own" : '';
  return `Check that a server runs at '${url.origin}'${certificate}.`;
}

/** Like `toConnectionFailure`, but as an error, for code that reads a response. */
export function toConnectionError(error: unknown, settings: ModelSettings): NetworkError {
  const { message } = toConnectionFailure(error, settings);
  const { code, data } = NetworkError.isInstance(error) ? error : { code: 'RequestFailed' as const, data: {} };
  return new NetworkError(code, message, { data, cause: error });
}

function failure(kind: ModelFailure['kind'], message: string, isPassing: boolean): ModelFailure {
  return { kind, message, isPassing };
}
