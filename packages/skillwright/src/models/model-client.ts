import { CONNECTION_HEADERS } from '../net/http/connection-headers.ts';
import { createHttpClient, type HttpClient } from '../net/http/http-client.ts';
import type { HttpResponse } from '../net/http/http-response.ts';
import { NetworkError } from '../spec/errors/error.ts';
import type { ModelClient, ModelReply, ModelRequest } from '../spec/model.ts';
import { toConnectionError, toConnectionFailure } from './connection-failure.ts';
import { urlBelow } from './model-address.ts';
import { readOptions, type ModelClientOptions, type ModelSettings } from './model-options.ts';
import { toStatusFailure } from './status-failure.ts';

const MAX_ERROR_BYTES = 65_536;
const ERROR_BODY_MS = 10_000;
const ABOUT_THE_BODY: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/**
 * Creates an HTTP client for a model. It sends nothing before the first request, reads no environment variable and
 * follows no redirect.
 */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const settings = readOptions(options);
  const { allow, resolve, ca, connectTimeoutMs } = settings;
  const http = settings.http ?? createHttpClient({ allow, resolve, ca, connectTimeoutMs });
  return {
    format: settings.format.name,
    model: settings.model,
    send: (request) => send(http, request, settings),
    redact: (text) => settings.redactor.redactText(text),
    close: async () => {
      if (settings.http === undefined) await http.close();
    },
  };
}

async function send(http: HttpClient, request: ModelRequest, settings: ModelSettings): Promise<ModelReply> {
  try {
    const response = await ask(http, request, settings);
    if (isAnswer(response)) return toReply(response, settings);
    const { status } = response;
    const body = await readRefusal(response);
    return { ok: false, failure: toStatusFailure({ status, headers: headersOf(response), body }, settings) };
  } catch (error) {
    return { ok: false, failure: toConnectionFailure(error, settings) };
  }
}

function ask(
  http: HttpClient,
  { body, stream, signal, headers: own, query = '', version }: ModelRequest,
  { format, model, apiKey, address, headers, timeoutMs, idleTimeoutMs, maxBytes }: ModelSettings,
): Promise<HttpResponse> {
  const target = format.target({ model, stream, apiKey });
  // Do not compress streams: their parts would arrive in larger pieces, and so later.
  const accepted = stream
    ? { accept: 'text/event-stream, application/json', 'accept-encoding': 'identity' }
    : { accept: 'application/json' };
  // A version in the base URL takes precedence.
  const decided = /\/(v\d\w*)$/.exec(address.path)?.[1] ?? version;
  const path = decided === undefined ? target.path : target.path.replace(/^\/v\d\w*(?=\/)/, `/${decided}`);
  return http.request(urlBelow(address, query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`), {
    method: 'POST',
    headers: { ...accepted, ...target.headers, ...headers, ...own },
    body: JSON.stringify(body),
    signal,
    timeoutMs: stream ? Infinity : timeoutMs,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs,
    maxBytes,
    redirect: 'manual',
    // Cut a long error response: it still says what went wrong.
    truncate: true,
    // Retry only if the connection closed before the server could begin with the request.
    isRepeatable: true,
  });
}

/** Whether a response can come from a model. An HTML page means that something else is at this address. */
function isAnswer({ status, headers }: HttpResponse): boolean {
  return status >= 200 && status < 300 && !/^\s*text\/html\b/i.test(headers['content-type'] ?? '');
}

function toReply(response: HttpResponse, settings: ModelSettings): ModelReply {
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* response.body;
      if (response.truncated) throw tooLarge(settings);
    } catch (error) {
      throw toConnectionError(error, settings);
    }
  }
  return { ok: true, status: response.status, headers: headersOf(response), chunks: read() };
}

function tooLarge({ address: { url }, maxBytes }: ModelSettings): NetworkError {
  return new NetworkError(
    'ResponseTooLarge',
    `The response of the model server '${url.host}' is larger than ${maxBytes} bytes. If that is expected, raise 'maxBytes'.`,
    { data: { host: url.host, maxBytes } },
  );
}

/**
 * The part of an error response's body that arrives in time. The rest is not needed, because the status already tells
 * that the request failed. Throws only if the request is cancelled.
 */
async function readRefusal(response: HttpResponse): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const timer = setTimeout(() => response.discard(), ERROR_BODY_MS);
  let size = 0;
  try {
    for await (const part of response.body) {
      parts.push(part.subarray(0, MAX_ERROR_BYTES - size));
      size += part.length;
      if (size >= MAX_ERROR_BYTES) break;
    }
  } catch (error) {
    if (NetworkError.isInstance(error) && error.code === 'RequestCancelled') throw error;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(parts);
}

/** Drops the headers of the connection and of the body's encoding, because the body is passed on decoded. */
function headersOf({ headers }: HttpResponse): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.filter(([name]) => !CONNECTION_HEADERS.has(name) && !ABOUT_THE_BODY.has(name)));
}
