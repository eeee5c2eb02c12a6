import { Readable } from 'node:stream';
import type { ModelFailure } from 'skillwright';
import { wireFormat, type WireBody, type WireFormatName } from 'skillwright/wire';
import type { RequestContext } from '../../http/request-context.ts';
import type { Failure, Upstream } from '../../upstream/upstream.ts';
import { DEMO_MODEL } from '../../upstream/upstreams.ts';
import type { OnBytes } from './pass-through-body.ts';
import type { PassThroughOptions } from './pass-through.ts';

/** The demo model's response to a request without skills. It supports only conversations. */
export async function askDemo(
  context: RequestContext,
  upstream: Upstream,
  { body, headers = {}, onAnswer }: PassThroughOptions,
): Promise<Response | Failure> {
  const { path } = context.req;
  const { format } = upstream;
  const { path: endpoint } = wireFormat(format).target({ model: DEMO_MODEL, stream: false, apiKey: '' });
  const isStreamPath = path.endsWith(':streamGenerateContent');
  if (body === undefined || !(isStreamPath || path.endsWith(endpoint))) return notForDemo(path);
  const request = parse(body);
  if (request === undefined) return NOT_JSON;
  const stream = isStreamPath || request.stream === true;
  const reply = await upstream.client(DEMO_MODEL).send({ body: request, stream, signal: signalOf(context) });
  if (!reply.ok) return refusal(reply.failure);
  const isArray = isStreamPath && context.req.query('alt') !== 'sse';
  const onBytes = onAnswer?.({
    statusCode: reply.status,
    isEventStream: stream,
    header: () => undefined,
    onceClosed: () => undefined,
  });
  const seen = onBytes === undefined ? reply.chunks : seenBy(onBytes, reply.chunks);
  const chunks = isArray ? asArray(format, seen) : seen;
  const type = isArray ? { 'content-type': 'application/json; charset=utf-8' } : {};
  return new Response(Readable.toWeb(Readable.from(chunks)) as ReadableStream, {
    status: reply.status,
    headers: { ...reply.headers, ...type, ...headers },
  });
}

const NOT_JSON: Failure = { code: 'InvalidJson', status: 400, message: 'The body is not a JSON object.' };

function parse(body: Uint8Array): WireBody | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null ? (value as WireBody) : undefined;
  } catch {
    return undefined;
  }
}

function signalOf({ env: { outgoing }, req }: RequestContext): AbortSignal {
  const gone = new AbortController();
  if (outgoing === undefined) return req.raw?.signal ?? gone.signal;
  outgoing.once('close', () => gone.abort());
  return gone.signal;
}

function notForDemo(path: string): Failure {
  const message = `The demo model only answers conversations. Use a real model for ${path}.`;
  return { code: 'ModelNotFound', status: 404, message };
}

async function* seenBy(onBytes: OnBytes, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    onBytes(chunk);
    yield chunk;
  }
}

/** The demo model's own error, which is in the format of the request. */
function refusal({ answer, message }: ModelFailure): Response | Failure {
  if (answer === undefined) return { code: 'RequestEnded', status: 499, message };
  return new Response(Buffer.from(answer.body), { status: answer.status, headers: answer.headers });
}

/** Turns server-sent events into one JSON array, which is how Gemini streams by default. */
async function* asArray(format: WireFormatName, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const wire = wireFormat(format);
  const reader = wire.createStreamReader();
  const writer = wire.createStreamWriter({ isHidden: () => false, includesUsage: true, framing: 'json-array' });
  for await (const chunk of chunks)
    for (const step of reader.read(chunk)) for (const { raw } of writer.write(step)) yield Buffer.from(raw);
  for (const step of reader.end()) for (const { raw } of writer.write(step)) yield Buffer.from(raw);
  for (const { raw } of writer.finish()) yield Buffer.from(raw);
}
