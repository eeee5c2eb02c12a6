import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from '../../../packages/skillwright/src/net/http/http-client.ts';

/** A client that may reach its test's servers and is closed with the test. */
export function localClient(options: HttpClientOptions = {}): HttpClient {
  const created = createHttpClient({ allow: ['127.0.0.1'], timeoutMs: 20_000, ...options });
  onTestFinished(() => created.close());
  return created;
}

/** The beginning of a response that a test writes byte by byte. */
export const OK = 'HTTP/1.1 200 OK\r\n';

/** Writes as long as anybody reads. */
export function writeForEver(socket: Socket, piece: string | Buffer): void {
  const more = (): void => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** Responds as soon as any data has arrived. */
export function onRequest(socket: Socket, answer: () => void): void {
  socket.on('error', () => {}).once('data', answer);
}
