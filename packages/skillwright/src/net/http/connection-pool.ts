import { Agent, type ClientRequest, request as requestPlain } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import type { AddressGuard, ConnectionTarget } from '../address/host-addresses.ts';
import { Exchange, type Opening, type OutgoingRequest } from './exchange.ts';
import { type ConnectionOptions, openConnection, PROBE_MS } from './open-connection.ts';
import { clientClosed, toRequestFailure } from './request-failure.ts';

/** Sends requests, and keeps their connections open for later requests to the same host and port. */
export interface ConnectionPool {
  send(request: OutgoingRequest): Exchange;
  /** Closes every connection and opens no more. Safe to call again. */
  close(): void;
}

export interface ConnectionPoolOptions extends Omit<ConnectionOptions, 'guard'> {
  /** The guard that checks the addresses of a target; `undefined` for a trusted target. */
  readonly guardOf: (target: ConnectionTarget) => AddressGuard | undefined;
  readonly maxHeaderBytes: number;
  /** Milliseconds until an idle connection is closed. A server may ask for a shorter time. */
  readonly keptMs: number;
}

/** How many idle connections are kept for each host and port. */
const MAX_KEPT = 1_024;
/** Methods whose requests have a `content-length` even without a body. */
const HAS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { keptMs, maxHeaderBytes } = options;
  /** Connections that are being opened, with their hosts. */
  const openings = new Map<AbortController, string>();
  let isClosed = false;
  const open: OpenSocket = async ({ host = '', port = 0, opening = {} }, secure) => {
    const stop = new AbortController();
    opening.stop = stop;
    openings.set(stop, host);
    if (isClosed) stop.abort(clientClosed(host));
    try {
      const target = { host, port, secure };
      return await openConnection(target, stop.signal, { ...options, guard: options.guardOf(target) });
    } finally {
      openings.delete(stop);
    }
  };
  const keeping = { keepAlive: true, keepAliveMsecs: PROBE_MS, timeout: keptMs, maxFreeSockets: MAX_KEPT };
  const kept = { 'http:': new PlainAgent(keeping, open), 'https:': new TlsAgent(keeping, open) };
  const unkept = { 'http:': new PlainAgent({}, open), 'https:': new TlsAgent({}, open) };
  const start = (outgoing: OutgoingRequest, opening: Opening): ClientRequest => {
    const { method, path, body, needsNewConnection = false } = outgoing;
    const { protocol, host, port, authority } = outgoing.url;
    const agent = (needsNewConnection ? unkept : kept)[protocol];
    const headers = ['host', authority, 'connection', needsNewConnection ? 'close' : 'keep-alive', ...outgoing.headers];
    if (body !== undefined || HAS_BODY.has(method)) headers.push('content-length', String(body?.byteLength ?? 0));
    const limits = { maxHeaderSize: maxHeaderBytes, insecureHTTPParser: false };
    const settings: object = { agent, protocol, host, port, path, method, headers, opening, ...limits };
    const request = protocol === 'https:' ? requestSecure(settings) : requestPlain(settings);
    // Turn off the limit on the number of headers, beyond which Node silently drops them. Their total size is limited
    // anyway.
    request.maxHeadersCount = 0;
    return request;
  };
  const dropKept = ({ url: { protocol } }: OutgoingRequest): void => {
    for (const sockets of Object.values(kept[protocol].freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  };
  const explain = (error: unknown, host: string): Error =>
    isClosed ? clientClosed(host) : toRequestFailure(error, host);
  const starter = { start, dropKept, explain };
  return {
    send: (outgoing) => new Exchange(outgoing, starter),
    close() {
      isClosed = true;
      for (const [stop, host] of openings) stop.abort(clientClosed(host));
      for (const agent of [...Object.values(kept), ...Object.values(unkept)]) agent.destroy();
    },
  };
}

/** The options that Node passes to `createConnection`: the request's, including our own. */
interface SocketRequest {
  readonly host?: string;
  readonly port?: number;
  readonly opening?: Opening;
}

type OpenSocket = (request: SocketRequest, secure: boolean) => Promise<Duplex>;
type SocketCallback = (error: Error | null, socket: Duplex) => void;

/** An agent that opens its connections with `openConnection`. */
class PlainAgent extends Agent {
  readonly #open: OpenSocket;

  constructor(options: object, open: OpenSocket) {
    super(options);
    this.#open = open;
  }

  override createConnection(request: SocketRequest, callback: SocketCallback = () => {}): undefined {
    void handOver(this.#open(request, false), callback);
  }
}

/** Like `PlainAgent`, for https. */
class TlsAgent extends SecureAgent {
  readonly #open: OpenSocket;

  constructor(options: object, open: OpenSocket) {
    super(options);
    this.#open = open;
  }

  override createConnection(request: SocketRequest, callback: SocketCallback = () => {}): undefined {
    void handOver(this.#open(request, true), callback);
  }
}

async function handOver(opened: Promise<Duplex>, callback: SocketCallback): Promise<void> {
  let socket: Duplex;
  try {
    socket = await opened;
  } catch (error) {
    (callback as (failure: unknown) => void)(error);
    return;
  }
  callback(null, socket);
}
