import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireFormatName } from '../spec/wire.ts';
import { createExchanges, type RecordedRequest } from './server/recorded-requests.ts';
import { basePathOf } from './server/routes.ts';
import { assertOptions, type ScriptedModelOptions } from './scripted-model-options.ts';

/** A scripted model behind HTTP that answers in the shapes of real providers. */
export interface ScriptedModel {
  /** The server's URL, such as `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** The requests so far, oldest first, including refused ones. */
  readonly requests: readonly RecordedRequest[];
  /** The base URL for a client of a format. `openrouter`: for a client of OpenRouter's variant of the format. */
  baseUrl(format: WireFormatName, provider?: 'openrouter'): string;
  /** Breaks every open connection and frees the port. Safe to call again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a scripted model on a loopback address; close it when the test is over. */
export async function createScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  assertOptions(options);
  const exchanges = createExchanges(options);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void exchanges.handle(request, response);
  });
  // Idle connections are closed only by `close`, never while a client sends its next request.
  server.keepAliveTimeout = 0;
  // Lets tests see every header that a client sends.
  server.maxHeadersCount = 0;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  return {
    url,
    requests: exchanges.requests,
    baseUrl: (format, provider) => `${url}${basePathOf(format, provider ?? 'own')}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}
