import type { IncomingMessage, ServerResponse, IncomingHttpHeaders } from 'node:http';
import type { Conversation } from '../../models/demo/formats/conversation.ts';
import { textOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { createServerMemory } from '../../models/demo/formats/server-memory.ts';
import type { WireFormatName } from '../../spec/wire.ts';
import { keyOf } from './authentication.ts';
import { createDecide, jsonReply, type Reply } from '../decision.ts';
import type { FormatRequest } from './format-request.ts';
import { sendReply, type RequestEnding } from './reply.ts';
import { readBody, type ReadBody } from './request-body.ts';
import { routeOf, type Route } from './routes.ts';
import type { ScriptedTurn, ScriptedModelOptions } from '../scripted-model-options.ts';

/** A request that a scripted model received. */
export interface RecordedRequest {
  readonly format: WireFormatName;
  /** The path, including the query. */
  readonly path: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as received. */
  readonly text: string;
  /** The body as an object; empty when the body is not a JSON object. */
  readonly body: JsonRecord;
  /** The conversation that the body contains; `undefined` for a request that was refused before it could be read. */
  readonly conversation: Conversation | undefined;
  /** Why the request was refused, if it was. */
  readonly refusal: Refusal | undefined;
  /** The script's reply, including faults. */
  readonly turn: ScriptedTurn | undefined;
  /** Settles when the exchange is over. Never rejects. */
  readonly ended: Promise<RequestEnding>;
}

interface Exchanges {
  readonly requests: readonly RecordedRequest[];
  /** Answers one request. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const DEFAULT_REMEMBERED = 10_000;

export function createExchanges(options: ScriptedModelOptions): Exchanges {
  const { formats, models = ['scripted'], strictness, remembered = DEFAULT_REMEMBERED } = options;
  const requests: RecordedRequest[] = [];
  const memory = createServerMemory(remembered);
  const decide = createDecide(options);
  let received = 0;

  async function converse(route: Route, incoming: IncomingMessage, read: ReadBody, requestId: string): Promise<Reply> {
    const url = urlOf(incoming);
    const { format } = route.server;
    const { headers } = incoming;
    const request: FormatRequest = {
      body: read.json,
      headers,
      model: route.model ?? textOf(read.json.model),
      stream: route.stream ?? read.json.stream === true,
      provider: route.provider,
      framing: format === 'gemini' && url.searchParams.get('alt') !== 'sse' ? 'json-array' : 'sse',
      memory,
      strictness: { resultOrder: 'calls', signatures: 'required', ...(strictness === 'off' ? {} : strictness) },
    };
    const { reply, ...decided } = await decide({ request, route, read, requestId, key: keyOf(headers, url, format) });
    const path = url.pathname + url.search;
    const { promise, resolve } = Promise.withResolvers<RequestEnding>();
    requests.push({ format, path, headers, text: read.text, body: read.json, ...decided, ended: promise });
    if (requests.length > remembered) requests.shift();
    return { ...reply, onEnd: resolve };
  }

  return {
    requests,
    handle: async (incoming, response) => {
      received += 1;
      const requestId = `req_${received}`;
      const route = routeOf(urlOf(incoming).pathname);
      // If reading fails, the client disconnected while sending, so there is nobody to answer.
      const read = await readBody(incoming).catch(() => undefined);
      if (read === undefined) return;
      const isServed =
        route !== undefined && incoming.method === 'POST' && formats?.includes(route.server.format) !== false;
      const reply = isServed ? await converse(route, incoming, read, requestId) : otherReply(incoming, models);
      const headers = { ...reply.headers, 'x-request-id': requestId, 'request-id': requestId };
      const ending = await sendReply(response, { status: reply.status, headers }, reply.plan, reply.delayMs);
      reply.onEnd?.(ending);
    },
  };
}

/** Answers requests that are not for a model. */
function otherReply({ method, headers, url }: IncomingMessage, models: readonly string[]): Reply {
  const path = urlOf({ url }).pathname;
  const list = method === 'GET' ? modelList(path, headers, models) : undefined;
  if (list !== undefined) return jsonReply(200, list);
  return jsonReply(404, { error: { code: 404, message: `There is nothing at ${method ?? ''} ${path}.` } });
}

/** Only the path and the query matter, not the host. */
function urlOf({ url = '/' }: Pick<IncomingMessage, 'url'>): URL {
  return URL.parse(url, 'http://localhost') ?? new URL('http://localhost');
}

/** The list of models in the caller's dialect; `undefined` for any other path. */
function modelList(path: string, headers: IncomingHttpHeaders, models: readonly string[]): unknown {
  if (path === '/v1beta/models') return { models: models.map(geminiModel) };
  if (path !== '/v1/models' && path !== '/api/v1/models') return undefined;
  if (headers['anthropic-version'] !== undefined) {
    const data = models.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
    }));
    return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
  }
  const data = models.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'scripted' }));
  return { object: 'list', data };
}

function geminiModel(id: string): unknown {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}
