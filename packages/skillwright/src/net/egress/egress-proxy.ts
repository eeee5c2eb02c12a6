import { chmodSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as sendRequest,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { NetworkError, SkillwrightError, messageOf } from '../../spec/errors/error.ts';
import { resolveBySystem, type ResolveHost } from '../address/host-addresses.ts';
import { CONNECTION_HEADERS, namedByConnection } from '../http/connection-headers.ts';
import { type ConnectionOptions, openConnection } from '../http/open-connection.ts';
import { parseRequestUrl, type RequestUrl } from '../http/request-url.ts';
import { createAllowList } from './allow-list.ts';
import type { EgressRules } from './egress-rules.ts';

/** A request that the proxy refused. */
export interface EgressDenial {
  /** The requested host and port, or as much of the request as can be shown. */
  readonly target: string;
  readonly reason: string;
}

/** Options of `createEgressProxy`. */
export interface EgressProxyOptions {
  readonly rules: EgressRules;
  /** Hosts that may be reached although they are not public, like the guarded client's `allow`. */
  readonly private?: readonly string[] | undefined;
  /** Resolves host names. Default: the system's resolver. The addresses are checked in any case. */
  readonly resolve?: ResolveHost | undefined;
  readonly connectTimeoutMs?: number | undefined;
  onDenied(denial: EgressDenial): void;
}

/** An HTTP proxy on a Unix socket: `CONNECT`, and plain requests with the whole URL. */
export interface EgressProxy {
  /** Listens at a path. Everyone who can reach the path may use the proxy. */
  listen(path: string): Promise<void>;
  /** Ends every connection. Safe to call again. */
  close(): void;
  keepAlive(kept: boolean): void;
}

/** The response to a refused request. */
interface Refusal {
  readonly status: 400 | 403 | 502;
  readonly message: string;
}

type Opened = { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly refusal: Refusal };

const CONNECT_MS = 10_000;
const MAX_CONNECTIONS = 128;
const MAX_SHOWN = 100;
const AUTHORITY = /^[^/?#\\]+:\d{1,5}$/;
const STATUS_WORDS = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' } as const;

/**
 * Starts a proxy that lets sandboxed programs reach only the listed hosts. The proxy resolves names itself, checks
 * every address and connects to a checked one, so that no name leads to this machine or its network.
 */
export function createEgressProxy(options: EgressProxyOptions): EgressProxy {
  const closing = new AbortController();
  const connection: ConnectionOptions = {
    guard: { resolve: options.resolve ?? resolveBySystem, allow: createAllowList(options.private ?? []) },
    timeoutMs: options.connectTimeoutMs ?? CONNECT_MS,
  };
  const sockets = new Set<Duplex>();
  const hold = (socket: Duplex): void => {
    sockets.add(socket);
    // A connection that fails is closed; there is nothing else to do.
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  };
  const open = async (url: RequestUrl): Promise<Opened> => {
    const target = `${url.host}:${url.port}`;
    const deny = (reason: string): Opened => {
      options.onDenied({ target, reason });
      return { ok: false, refusal: { status: 403, message: `Access to ${target} was refused: ${reason}` } };
    };
    if (!options.rules.permits(url.host, url.port)) return deny('it is not on the list of allowed hosts.');
    try {
      const socket = await openConnection({ ...url, secure: false }, closing.signal, connection);
      hold(socket);
      return { ok: true, socket };
    } catch (error) {
      if (SkillwrightError.isInstance(error) && error.code === 'AddressNotAllowed') return deny(reasonOf(error));
      return { ok: false, refusal: { status: 502, message: `${target} could not be reached: ${messageOf(error)}` } };
    }
  };
  const misunderstand = (text: string, message: string): Refusal => {
    options.onDenied({ target: text.slice(0, MAX_SHOWN), reason: message });
    return { status: 400, message };
  };
  const read = (url: string, text: string): RequestUrl | Refusal => {
    try {
      return parseRequestUrl(url);
    } catch (error) {
      return misunderstand(text, messageOf(error));
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = request.url ?? '';
    const url = read(text, text);
    if (!('host' in url)) return refuse(response, url);
    if (url.protocol !== 'http:')
      return refuse(response, misunderstand(text, 'For https, open a tunnel with CONNECT.'));
    const opened = await open(url);
    if (opened.ok) forward(request, response, url, opened.socket);
    else refuse(response, opened.refusal);
  };
  const lead = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const text = request.url ?? '';
    const url = AUTHORITY.test(text)
      ? read(`http://${text}/`, text)
      : misunderstand(text, 'CONNECT needs a host and a port, such as example.com:443.');
    if (!('host' in url)) return refuseTunnel(client, url);
    const opened = await open(url);
    if (opened.ok) tunnel(client, opened.socket, head);
    else refuseTunnel(client, opened.refusal);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.maxConnections = MAX_CONNECTIONS;
  // Keep every header: their total size is limited.
  server.maxHeadersCount = 0;
  server.on('connection', hold);
  server.on('connect', (request, client: Duplex, head) => void lead(request, client, head));
  server.on('clientError', (_error, client) =>
    refuseTunnel(client, { status: 400, message: 'This is not a valid HTTP request.' }),
  );
  return {
    async listen(path) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
      chmodSync(path, 0o777);
    },
    close() {
      closing.abort(new NetworkError('RequestCancelled', 'The proxy was closed.'));
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    keepAlive: (kept) => void server[kept ? 'ref' : 'unref'](),
  };
}

function tunnel(client: Duplex, socket: Socket, head: Buffer): void {
  // The client may have disconnected while the host was resolved.
  if (client.destroyed) return void socket.destroy();
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) socket.write(head);
  for (const [one, other] of [
    [client, socket],
    [socket, client],
  ] as const) {
    one.once('close', () => other.destroy());
    one.pipe(other);
  }
}

function forward(request: IncomingMessage, response: ServerResponse, url: RequestUrl, socket: Socket): void {
  if (response.destroyed) return void socket.destroy();
  const onward = sendRequest({
    method: request.method ?? 'GET',
    path: url.path,
    headers: { ...onwardHeaders(request), host: new URL(url.href).host, connection: 'close' },
    setHost: false,
    createConnection: () => socket,
  });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', onwardRawHeaders(answer.rawHeaders));
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  onward.on('error', (error) =>
    refuse(response, { status: 502, message: `The connection to ${url.host} failed: ${error.message}` }),
  );
  response.once('close', () => socket.destroy());
  request.on('error', () => onward.destroy());
  request.pipe(onward);
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${message}\n`);
}

function refuseTunnel(client: Duplex, { status, message }: Refusal): void {
  if (!client.writable) return void client.destroy();
  const body = `${message}\n`;
  client.end(
    `HTTP/1.1 ${status} ${STATUS_WORDS[status]}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Why an address is refused, without the advice for users of the guarded client. */
function reasonOf(error: SkillwrightError): string {
  const { address, kind } = error.data;
  return typeof address === 'string'
    ? `its address ${address} is not public${typeof kind === 'string' ? ` (${kind})` : ''}.`
    : error.message;
}

/** The request headers for the server. The proxy frames the body again, and the caller sets `host`. */
function onwardHeaders({ headers, rawHeaders }: IncomingMessage): OutgoingHttpHeaders {
  const named = namedByConnection(rawHeaders);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isHandedOn(name, named) && name !== 'host'));
}

/** The response headers for the program; repeated headers stay repeated. */
function onwardRawHeaders(headers: readonly string[]): string[] {
  const named = namedByConnection(headers);
  return headers.filter((_, index) => isHandedOn((headers[index - (index % 2)] ?? '').toLowerCase(), named));
}

function isHandedOn(name: string, named: ReadonlySet<string>): boolean {
  return !CONNECTION_HEADERS.has(name) && !named.has(name);
}
