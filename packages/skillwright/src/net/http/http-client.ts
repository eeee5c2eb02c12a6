import { assertKnownNames } from '../../parse/unknown-option.ts';
import type { IncomingMessage } from 'node:http';
import { createAllowList } from '../egress/allow-list.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { createConnectionPool, type ConnectionPool } from './connection-pool.ts';
import { resolveBySystem, type ResolveHost } from '../address/host-addresses.ts';
import { createHttpResponse, type HttpResponse } from './http-response.ts';
import { isRedirect, nextHop, redirectRefused, type Hop } from './redirect.ts';
import { cancelled, clientClosed, fellSilent, timedOut, toRequestFailure } from './request-failure.ts';
import {
  CLIENT_OPTIONS,
  firstHop,
  readHeaders,
  REQUEST_OPTIONS,
  readNumber,
  readRedirects,
  readTime,
  type HttpRequestOptions,
} from './request-settings.ts';
import { VERSION } from '../../spec/program.ts';

/** Options of `createHttpClient`. */
export interface HttpClientOptions {
  /**
   * Hosts that may be reached although they are not public: `intranet.example`, `127.0.0.1:8080`, `[::1]:8080`,
   * `10.0.0.0/8`.
   */
  readonly allow?: readonly string[] | undefined;
  /** Resolves host names. Default: the system's resolver. The addresses are checked in any case. */
  readonly resolve?: ResolveHost | undefined;
  /** The `user-agent` header. Default `skillwright/<version>`. */
  readonly userAgent?: string | undefined;
  /** Certificates of authorities, in PEM, trusted instead of Node's own. */
  readonly ca?: readonly string[] | undefined;
  /** Milliseconds for resolving, connecting and TLS. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds for everything: redirects and the whole body. `Infinity` for no limit. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Largest body in bytes, both as received and as decompressed. Default 10,485,760. */
  readonly maxBytes?: number | undefined;
  /** Largest response header in bytes. Default 16,384. */
  readonly maxHeaderBytes?: number | undefined;
}

/**
 * Fetches from public hosts and the hosts in `allow` only. Proxies are not supported, and proxy settings in the
 * environment are ignored.
 */
export interface HttpClient {
  /**
   * The response as soon as its headers have arrived, whatever its status. Rejects with a coded error if there is no
   * response. Read or discard its body; an unread body is ended when the request times out.
   */
  request(url: string | URL, options?: HttpRequestOptions): Promise<HttpResponse>;
  /** Ends every request and connection. Safe to call again. */
  close(): Promise<void>;
}

interface ClientDefaults {
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** How long an idle connection is kept. */
const KEPT_MS = 5_000;

/**
 * An HTTP client that reaches only public hosts and the hosts in `allow`. Use it for addresses that a model or a skill
 * chooses.
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  assertKnownNames(options, CLIENT_OPTIONS);
  const guard = { resolve: options.resolve ?? resolveBySystem, allow: createAllowList(options.allow ?? []) };
  const pool = createConnectionPool({
    guardOf: () => guard,
    timeoutMs: readNumber('connectTimeoutMs', options.connectTimeoutMs, 10_000),
    maxHeaderBytes: readNumber('maxHeaderBytes', options.maxHeaderBytes, 16_384),
    keptMs: KEPT_MS,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  return createClientOver(pool, options);
}

/** Creates a client that sends over an existing pool. Closing the client closes the pool. */
export function createClientOver(
  pool: ConnectionPool,
  options: Pick<HttpClientOptions, 'userAgent' | 'timeoutMs' | 'maxBytes'>,
): HttpClient {
  const defaults: ClientDefaults = {
    userAgent: readHeaders({ 'user-agent': options.userAgent ?? `skillwright/${VERSION}` })['user-agent'] ?? '',
    timeoutMs: readTime('timeoutMs', options.timeoutMs, 30_000),
    maxBytes: readNumber('maxBytes', options.maxBytes, 10_485_760),
  };
  const closing = new AbortController();
  return {
    request: async (url, request = {}) => run(pool, url, request, defaults, closing.signal),
    async close() {
      closing.abort();
      pool.close();
    },
  };
}

async function run(
  pool: ConnectionPool,
  url: string | URL,
  options: HttpRequestOptions,
  defaults: ClientDefaults,
  closing: AbortSignal,
): Promise<HttpResponse> {
  assertKnownNames(options, REQUEST_OPTIONS);
  let hop = firstHop(url, options, defaults.userAgent);
  const redirects = readRedirects(options);
  const maxBytes = readNumber('maxBytes', options.maxBytes, defaults.maxBytes);
  const timeoutMs = readTime('timeoutMs', options.timeoutMs, defaults.timeoutMs);
  const headersTimeoutMs = readTime('headersTimeoutMs', options.headersTimeoutMs, Infinity);
  const idleTimeoutMs = readTime('idleTimeoutMs', options.idleTimeoutMs, Infinity);
  const { host } = hop.url;
  const { signal } = options;
  const deadline = createDeadline({
    timeoutMs,
    timeoutError: () => timedOut(host, timeoutMs),
    silence: { timeoutMs: idleTimeoutMs, error: () => fellSilent(hop.url.host, idleTimeoutMs) },
    cancelledBy: [
      { signal: closing, error: () => clientClosed(host) },
      ...(signal === undefined ? [] : [{ signal, error: (reason: unknown) => cancelled(host, reason) }]),
    ],
  });
  try {
    for (let followed = 0; ; followed += 1) {
      const isRepeatable = options.isRepeatable === true || SAFE_METHODS.has(hop.method);
      const message = await answerTo(hop, { pool, deadline, isRepeatable, headersTimeoutMs });
      const { statusCode: status = 0 } = message;
      const { location } = message.headers;
      if (redirects.mode === 'manual' || !isRedirect(status, location))
        return createHttpResponse(message, hop, { maxBytes, truncate: options.truncate ?? false }, deadline);
      message.destroy();
      hop = followRedirect(hop, nextHop(hop, status, location), followed, redirects);
    }
  } catch (error) {
    const failure = toRequestFailure(error, hop.url.host, deadline.signal);
    deadline.dispose();
    throw failure;
  }
}

/** Methods whose requests may always be sent again. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Asking {
  readonly pool: ConnectionPool;
  readonly deadline: Deadline;
  readonly isRepeatable: boolean;
  readonly headersTimeoutMs: number;
}

/** Sends a request. The deadline also ends the reading of the response. */
async function answerTo(
  { url, method, headers, body }: Hop,
  { pool, deadline: { signal }, isRepeatable, headersTimeoutMs }: Asking,
): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const exchange = pool.send({
    url,
    path: url.path,
    method,
    headers: Object.entries(headers).flat(),
    body,
    isRepeatable,
    headersTimeoutMs,
    // The deadline limits the silence of the body instead, because it knows when the caller is waiting for bytes.
    idleTimeoutMs: Infinity,
  });
  signal.addEventListener('abort', () => exchange.end(signal.reason as Error), { once: true });
  return exchange.response;
}

function followRedirect(hop: Hop, next: Hop, followed: number, redirects: ReturnType<typeof readRedirects>): Hop {
  if (redirects.mode === 'error')
    throw redirectRefused(
      hop,
      `to '${next.url.host}', and redirects are turned off. To follow them, pass redirect: 'follow'`,
    );
  if (followed >= redirects.max)
    throw redirectRefused(hop, `once more after ${redirects.max} redirects. If that is expected, raise 'maxRedirects'`);
  return next;
}
