import { Agent, request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import { openGuardedConnection, type ConnectionOptions } from './guarded-connection.ts';
import type { Hop } from './redirect.ts';
import { closedEarly } from './request-failure.ts';

/** Sends requests over connections that were checked, and keeps those open that may be used again by the same host and port. */
export interface Exchange {
  /**
   * The response as soon as its headers are there. Aborting the signal ends the response, too. What `isRepeatable` (GET
   * and HEAD always are) is sent again if the connection it was given turns out to be closed.
   */
  send(hop: Hop, signal: AbortSignal, isRepeatable: boolean): Promise<IncomingMessage>;
  close(): void;
}

export interface ExchangeOptions extends ConnectionOptions {
  readonly maxHeaderBytes: number;
}

const IDLE_MS = 5_000;

export function createExchange(options: ExchangeOptions): Exchange {
  const agents = {
    'http:': guarded(new Agent(AGENT), false, options),
    'https:': guarded(new SecureAgent(AGENT), true, options),
  };
  const send: Exchange['send'] = async (hop, signal, isRepeatable) => {
    const isSentOnce = !isRepeatable && !['GET', 'HEAD'].includes(hop.method);
    for (;;) {
      signal.throwIfAborted();
      const request = start(hop, agents[hop.url.protocol], signal, options.maxHeaderBytes);
      try {
        return await responseOf(request, hop, signal);
      } catch (error) {
        // The server closed a kept connection just as it was used again. Every such try uses one up.
        if (!request.reusedSocket || signal.aborted || isSentOnce) throw error;
      }
    }
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
