import type { OutgoingRequest } from './exchange.ts';
import type { IncomingMessage } from 'node:http';
import { createAllowList } from '../egress/allow-list.ts';
import { resolveBySystem } from '../address/host-addresses.ts';
import { createConnectionPool } from './connection-pool.ts';
import { createClientOver, type HttpClient } from './http-client.ts';
import { parseRequestUrl } from './request-url.ts';

/** Options of `createProxyClient`. */
export interface ProxyClientOptions {
  /** Milliseconds for resolving, connecting and TLS. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds that an idle connection is kept open. Default 15,000. */
  readonly keptMs?: number | undefined;
}

/** A request that a proxy forwards unchanged. */
export interface ForwardedRequest extends Pick<
  OutgoingRequest,
  'method' | 'path' | 'headers' | 'body' | 'isRepeatable'
> {
  /** Milliseconds until the response begins. Default: no limit. */
  readonly headersTimeoutMs?: number | undefined;
  /** Milliseconds without a byte of the body while a reader waits for one. Default: no limit. */
  readonly idleTimeoutMs?: number | undefined;
}

/** A forwarded request in progress. */
export interface Forwarding {
  /**
   * The response as the server sent it, whatever its status, once its headers have arrived. 1xx responses are skipped.
   * The body is still encoded; read it or call `end`. Rejects with a `NetworkError` if there is no response.
   */
  readonly response: Promise<IncomingMessage>;
  /** Aborts the request or the response body with this error. Safe to call again. */
  end(reason: Error): void;
}

/** A client for one server that the operator configured, at any address. Other hosts must be public. */
export interface ProxyClient extends HttpClient {
  /** Sends a request to the server unchanged, over the same connections as `request`. Redirects are not followed. */
  forward(request: ForwardedRequest): Forwarding;
}

/** Creates a client for the server at `origin`, such as `https://api.example.com`. Connects on its first request. */
export function createProxyClient(origin: string, options: ProxyClientOptions = {}): ProxyClient {
  const server = parseRequestUrl(origin);
  const guard = { resolve: resolveBySystem, allow: createAllowList([]) };
  const pool = createConnectionPool({
    guardOf: ({ host, port }) => (host === server.host && port === server.port ? undefined : guard),
    timeoutMs: options.connectTimeoutMs ?? 10_000,
    maxHeaderBytes: 16_384,
    keptMs: options.keptMs ?? 15_000,
  });
  return {
    ...createClientOver(pool, {}),
    forward: ({ isRepeatable, headersTimeoutMs = Infinity, idleTimeoutMs = Infinity, ...request }) =>
      pool.send({
        ...request,
        url: server,
        isRepeatable,
        needsNewConnection: !isRepeatable,
        headersTimeoutMs,
        idleTimeoutMs,
      }),
  };
}
