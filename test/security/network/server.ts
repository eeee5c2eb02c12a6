import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server as RawServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that a test started, and its counters. It ends with the test. */
export interface TestServer {
  readonly port: number;
  /** The address the server has, as `host:port`. */
  readonly authority: string;
  /** How many connections were accepted. */
  readonly connections: () => number;
  /** Settles when no connection is left. */
  allClosed(): Promise<void>;
}

/** An HTTP server. `host` is a loopback address; several servers of one test may share a port on different ones. */
export async function startServer(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<TestServer> {
  return watch(createServer(listener), host, port);
}

/** A server whose protocol `accept` implements. */
export async function startRawServer(accept: (socket: Socket) => void, host = '127.0.0.1'): Promise<TestServer> {
  return watch(createRawServer(accept), host, 0);
}

/** Tracks the connections of any server that is not listening yet. */
export async function watch(server: Server | RawServer, host: string, port: number): Promise<TestServer> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    if (server.listening) await once(server, 'close');
  });
  const { port: given } = server.address() as AddressInfo;
  return {
    port: given,
    authority: `${host}:${given}`,
    connections: () => connections,
    async allClosed() {
      while (open.size > 0) await Promise.race([...open].map((socket) => closed(socket)));
    },
  };
}

/** Unlike `once`, ignores errors on the way. */
function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
  });
}
