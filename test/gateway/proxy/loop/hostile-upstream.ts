import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../../../packages/skillwright/src/testing/index.ts';
import { UPSTREAM_KEY } from './loop-gateway.ts';
import { startUpstream, type SeenRequest } from '../../upstream-server.ts';

/** How the provider answers a request: with a turn of its model, or with whatever the function sends. */
export type HostileTurn = ScriptedTurn | ((response: ServerResponse) => void);

export interface HostileUpstream extends Pick<ScriptedModel, 'baseUrl'> {
  /** The requests so far. */
  readonly seen: readonly SeenRequest[];
}

/** A provider that answers some requests properly and misbehaves for others. */
export async function startHostileUpstream(turns: readonly HostileTurn[]): Promise<HostileUpstream> {
  const script = turns.filter((turn) => typeof turn !== 'function');
  const model = await createScriptedModel({ script, apiKey: UPSTREAM_KEY });
  onTestFinished(() => model.close());
  const { url, seen } = await startUpstream((request, response) => {
    const turn = turns[seen.length - 1];
    if (typeof turn === 'function') turn(response);
    else void forwardTo(model, request, response);
  });
  return { seen, baseUrl: (format) => model.baseUrl(format).replace(model.url, url) };
}

async function forwardTo(model: ScriptedModel, request: SeenRequest, response: ServerResponse): Promise<void> {
  const given = await askAgain(model, request);
  response.writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' });
  response.end(Buffer.from(await given.arrayBuffer()));
}

/** Sends the same request to a scripted model. */
export function askAgain(model: ScriptedModel, request: SeenRequest): Promise<Response> {
  const { 'content-length': _length, host: _host, connection: _connection, ...headers } = request.headers;
  return fetch(`${model.url}${request.url}`, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: request.body as Uint8Array<ArrayBuffer>,
  });
}
