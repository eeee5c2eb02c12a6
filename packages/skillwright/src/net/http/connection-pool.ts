import { Agent, request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import { systemCode } from '../../spec/errors/error.ts';
import { openGuardedConnection, type ConnectionOptions } from './guarded-connection.ts';
import type { Hop } from './redirect.ts';
import { closedEarly } from './request-failure.ts';
import { roundTripOf, wasStale, type BrokenRequest } from './stale-connection.ts';

/** Sends requests over connections that were checked, and keeps those open that may be used again by the same host and port. */
export interface ConnectionPool {
  /**
   * The response as soon as its headers are there. Aborting the signal ends the response, too. What `isRepeatable` (GET
   * and HEAD always are) is sent once more, on a new connection, if the one it was given turns out to be stale.
   */
  send(hop: Hop, signal: AbortSignal, isRepeatable: boolean): Promise<IncomingMessage>;
  close(): void;
}

export interface ConnectionPoolOptions extends ConnectionOptions {
  readonly maxHeaderBytes: number;
}

const IDLE_MS = 5_000;

export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const agents = {
    'http:': guarded(new Agent(AGENT), false, options),
    'https:': guarded(new SecureAgent(AGENT), true, options),
  };
  const send: ConnectionPool['send'] = async (hop, signal, isRepeatable) => {
    signal.throwIfAborted();
    const agent = agents[hop.url.protocol];
    const request = start(hop, agent, signal, options.maxHeaderBytes);
    const explain = watch(request);
    try {
      return await responseOf(request, hop, signal);
    } catch (error) {
      const mayRepeat = isRepeatable || ['GET', 'HEAD'].includes(hop.method);
      if (!mayRepeat || signal.aborted || !wasStale(explain(error))) throw error;
    }
    // Others that were kept may be stale, too.
    dropKept(agent);
    return responseOf(start(hop, agent, signal, options.maxHeaderBytes), hop, signal);
  };
  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const AGENT = { keepAlive: true, timeout: IDLE_MS };

/** What `createConnection` is given: the options of the request, with our own among them. */
interface ConnectionRequest {
  readonly host?: string;
  readonly port?: number;
  readonly guardSignal?: AbortSignal;
}

type ConnectionCallback = (error: Error | null, socket: Duplex) => void;

/** An agent that keeps its connections by host and port, and opens none that is not checked. */
function guarded<T extends Agent>(agent: T, secure: boolean, options: ConnectionOptions): T {
  agent.createConnection = (request: object, callback: ConnectionCallback = () => {}) => {
    const { host = '', port = 0, guardSignal = AbortSignal.abort() } = request as ConnectionRequest;
    void connectFor(callback, () => openGuardedConnection({ host, port, secure }, guardSignal, options));
    return undefined;
  };
  return agent;
}

async function connectFor(callback: ConnectionCallback, open: () => Promise<Duplex>): Promise<void> {
  let socket: Duplex;
  try {
    socket = await open();
  } catch (error) {
    (callback as (failure: unknown) => void)(error);
    return;
  }
  callback(null, socket);
}

function start(
  { url, method, headers: given, body }: Hop,
  agent: Agent,
  signal: AbortSignal,
  maxHeaderSize: number,
): ClientRequest {
  const { protocol, host, port, path } = url;
  const headers = body === undefined ? given : { ...given, 'content-length': body.length };
  const settings = { agent, protocol, host, port, path, method, headers, maxHeaderSize, guardSignal: signal };
  const request = protocol === 'https:' ? requestSecure : requestPlain;
  return request({ ...settings, insecureHTTPParser: false });
}

/** Returns what to ask when the request has failed. */
function watch(request: ClientRequest): (error: unknown) => BrokenRequest {
  const sentAt = performance.now();
  let heardBefore = 0;
  request.once('socket', (socket) => (heardBefore = socket.bytesRead));
  return (error) => ({
    isReused: request.reusedSocket,
    hasHeard: request.socket?.bytesRead !== heardBefore,
    elapsedMs: performance.now() - sentAt,
    roundTripMs: roundTripOf(request.socket),
    code: systemCode(error),
  });
}

function dropKept({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function responseOf(request: ClientRequest, { url, body }: Hop, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const abort = (): void => {
      request.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    request.once('response', (message) => {
      // Whoever reads the body is told; a body nobody reads may fail in silence.
      message.on('error', () => {});
      isAnswered = true;
      resolve(message);
    });
    request.on('error', reject);
    request.once('close', () => {
      signal.removeEventListener('abort', abort);
      if (!isAnswered) reject(closedEarly(url.host));
    });
    request.end(body);
  });
}
