import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireFormatName } from '../spec/wire.ts';
import { createExchanges, type RecordedRequest } from './server/recorded-requests.ts';
import { basePathOf } from './server/routes.ts';
import { assertOptions, type ScriptedModelOptions } from './scripted-model-options.ts';

/** A model that says what a script tells it to, behind HTTP, in the shapes of real providers. */
export interface ScriptedModel {
  /** Such as `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** The requests so far, refused ones too, the oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** What a client of a format wants as its base URL. `openrouter`: the same format as OpenRouter serves it. */
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
  // A connection that a client keeps for later is closed by `close`, never under the client's next request.
  server.keepAliveTimeout = 0;
  // Tests see all that a client sends.
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
