import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as an upstream received it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface UpstreamServer {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

/** Writes a response once the whole request has arrived. */
export type Answer = (request: SeenRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** Starts a provider on Node's server, closed after the test. */
export async function startUpstream(answer: Answer): Promise<UpstreamServer> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = incoming;
      const request = { method, url, headers, rawHeaders, body: Buffer.concat(chunks) };
      seen.push(request);
      answer(request, response, incoming);
    });
  };
  let opened = 0;
  const server = createServer(listener);
  server.on('connection', () => (opened += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, port, seen, connections: () => opened, close };
}

/** A provider that answers every request with the same JSON. */
export function answerJson(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}
