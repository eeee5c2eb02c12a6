import { createHash } from 'node:crypto';
import { NetworkError, type ModelClient, type ModelFailure } from 'skillwright';
import { wireFormat, type WireBody } from 'skillwright/wire';
import { KEY_START } from '../../auth/key-text.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { GatewayLog } from '../../http/log/log.ts';
import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { noResponseMessage } from '../../upstream/call-upstream.ts';
import { headersForClient, queryForClient } from '../../upstream/forwarded-headers.ts';
import { isRedirect, redirectFailure } from '../../upstream/redirect.ts';
import type { Upstream, UpstreamPlace } from '../../upstream/upstream.ts';
import { rawHeadersOf, targetOf } from '../pass-through/pass-through-call.ts';

/** Sends a client's request to its upstream. */
export interface UpstreamClient {
  /** The client's headers that go to the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly client: ModelClient;
}

/** Uses the client's own key for the provider, if it sends one and the upstream has `forwardKeys`. */
export function upstreamClient(
  context: RequestContext,
  upstream: Upstream,
  { model, log }: { readonly model: string; readonly log: GatewayLog },
): UpstreamClient {
  const { req } = context;
  const { place, format } = upstream;
  if (place === undefined) return { headers: {}, client: upstream.client(model) };
  const { headers, bringsKey } = headersForClient(rawHeadersOf(context), place);
  const key = place.forwardsKeys && !bringsKey ? providerKey(req.query('key') ?? req.query('$key')) : undefined;
  const withoutKey = bringsKey || key !== undefined;
  const onFailure = (failure: ModelFailure): void =>
    log.warn(
      { requestId: context.get('requestId'), upstream: upstream.id, code: failureCode(failure) },
      failure.message,
    );
  const client = withAddress(withOwnWords(upstream.client(model, { withoutKey }), place, onFailure), context);
  if (key === undefined) return { headers, client };
  // Take only the key, because the client that sends the request sets the other headers.
  const { 'content-type': _, ...keyHeaders } = wireFormat(format).target({ model, stream: false, apiKey: key }).headers;
  return { headers: { ...headers, ...keyHeaders }, client };
}

/** The metrics code of a failure without a response. */
export function failureCode({ kind }: Pick<ModelFailure, 'kind'>): GatewayErrorCode {
  // A redirect is the only status whose response is withheld: see `withOwnWords`.
  if (kind === 'status') return 'UpstreamRedirected';
  return kind === 'timeout' ? 'UpstreamTimeout' : 'UpstreamUnreachable';
}

/**
 * Wraps a client so that its failures tell the caller only what happened. Where and why it happened is written to the
 * operator's log.
 */
function withOwnWords(
  client: ModelClient,
  place: UpstreamPlace,
  onFailure: (failure: ModelFailure) => void,
): ModelClient {
  const { id } = place;
  return {
    ...client,
    async send(request) {
      const reply = await client.send(request);
      if (reply.ok)
        return { ...reply, chunks: chunksInOwnWords(reply.chunks, { id, signal: request.signal, onFailure }) };
      const { answer } = reply.failure;
      if (answer !== undefined && isRedirect(answer.status)) {
        const { message } = redirectFailure(place, answer.headers['location']);
        const failure: ModelFailure = { kind: 'status', message, isPassing: false };
        onFailure(failure);
        return { ok: false, failure };
      }
      if (answer !== undefined || reply.failure.kind === 'cancelled') return reply;
      onFailure(reply.failure);
      const message =
        reply.failure.kind === 'timeout'
          ? `The upstream '${id}' did not answer in time. Try again later.`
          : noResponseMessage(id, reply.failure.code);
      return { ...reply, failure: { ...reply.failure, message } };
    },
  };
}

interface OwnWords {
  readonly id: string;
  /** The signal of the request. */
  readonly signal: AbortSignal;
  readonly onFailure: (failure: ModelFailure) => void;
}

/** Rewrites errors of a body so that they do not reveal the upstream's address. */
function chunksInOwnWords(chunks: AsyncIterable<Uint8Array>, { id, signal, onFailure }: OwnWords): typeof chunks {
  const tell = (error: unknown): never => {
    if (signal.aborted || !NetworkError.isInstance(error)) throw error;
    const { code, message } = error;
    const isLate = code === 'RequestTimeout';
    onFailure({ kind: isLate ? 'timeout' : 'connection', message, isPassing: true });
    const what = isLate ? 'stopped sending its response' : 'did not send its whole response';
    throw new NetworkError(code, `The upstream '${id}' ${what}. Try again.`, { cause: error });
  };
  return {
    [Symbol.asyncIterator]() {
      const own = chunks[Symbol.asyncIterator]();
      return {
        next: () => own.next().catch(tell),
        return: async () => (await own.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** Sends each request with the query and the API version of the client's own request. */
function withAddress(client: ModelClient, context: RequestContext): ModelClient {
  const { path, query } = targetOf(context);
  const added = { query: queryForClient(query), version: /^\/(v\d\w*)\//.exec(path)?.[1] };
  const keyFor = createIdempotencyKeys();
  return {
    ...client,
    send: (request) => client.send({ ...request, ...added, headers: keyFor(request.headers, request.body) }),
  };
}

const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * Gives each round its own idempotency key. Providers answer each key only once, so rounds after the first use a key
 * derived from the client's.
 */
function createIdempotencyKeys(): (
  headers: Readonly<Record<string, string>> | undefined,
  body: WireBody,
) => Readonly<Record<string, string>> | undefined {
  let first: string | undefined;
  return (headers, body) => {
    const given = headers?.[IDEMPOTENCY_KEY];
    if (given === undefined) return headers;
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 16);
    first ??= digest;
    return digest === first ? headers : { ...headers, [IDEMPOTENCY_KEY]: `${given}-${digest}` };
  };
}

/** The provider's key from the URL, if it is valid in a header and is not a gateway key. */
function providerKey(given: string | undefined): string | undefined {
  return given === undefined || given.includes(KEY_START) || !/^[\x21-\x7e]+$/.test(given) ? undefined : given;
}
