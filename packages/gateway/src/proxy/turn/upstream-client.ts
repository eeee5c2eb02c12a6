import { createHash } from 'node:crypto';
import { NetworkError, type ModelClient, type ModelFailure } from 'skillwright';
import { wireFormat, type WireBody } from 'skillwright/wire';
import { KEY_START } from '../../auth/key-text.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { GatewayLog } from '../../http/log/log.ts';
import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { headersForClient, queryForClient } from '../../upstream/forwarded-headers.ts';
import { isRedirect, redirectFailure } from '../../upstream/redirect.ts';
import type { Upstream, UpstreamPlace } from '../../upstream/upstream.ts';
import { rawHeadersOf, targetOf } from '../pass-through/pass-through-call.ts';

/** What talks to an upstream for a client's request. */
export interface UpstreamClient {
  /** Of the client's request, those for the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly client: ModelClient;
}

/** With the client's own key for the provider, where it brings one and the upstream is configured so. */
export function upstreamClient(
  context: RequestContext,
  upstream: Upstream,
  { model, log }: { readonly model: string; readonly log: GatewayLog },
): UpstreamClient {
  const { req } = context;
  const { place, format } = upstream;
  if (place === undefined) return { headers: {}, client: upstream.client(model) };
  const { headers, bringsKey } = headersForClient(rawHeadersOf(context), place);
  const key = place.forwardsKeys && !bringsKey ? providerKey(req.query('key')) : undefined;
  const withoutKey = bringsKey || key !== undefined;
  const onFailure = (failure: ModelFailure): void =>
    log.warn(
      { requestId: context.get('requestId'), upstream: upstream.id, code: failureCode(failure) },
      failure.message,
    );
  const client = withAddress(withOwnWords(upstream.client(model, { withoutKey }), place, onFailure), context);
  if (key === undefined) return { headers, client };
  // Nothing but the key: the client that sends it has the other headers.
  const { 'content-type': _, ...keyHeaders } = wireFormat(format).target({ model, stream: false, apiKey: key }).headers;
  return { headers: { ...headers, ...keyHeaders }, client };
}

/** Codes of failures without an answer, as the metrics have them. */
export function failureCode({ kind }: Pick<ModelFailure, 'kind'>): GatewayErrorCode {
  // The only status whose answer is withheld: see `withOwnWords`.
  if (kind === 'status') return 'UpstreamRedirected';
  return kind === 'timeout' ? 'UpstreamTimeout' : 'UpstreamUnreachable';
}

/** A client that tells those who ask what happened, and the operator where and why. */
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
          : `The upstream '${id}' gave no answer. Try again, or ask the operator to check it.`;
      return { ...reply, failure: { ...reply.failure, message } };
    },
  };
}

interface OwnWords {
  readonly id: string;
  /** Of the request. */
  readonly signal: AbortSignal;
  readonly onFailure: (failure: ModelFailure) => void;
}

/** A body that breaks with what clients may know: not with the address of the upstream. */
function chunksInOwnWords(chunks: AsyncIterable<Uint8Array>, { id, signal, onFailure }: OwnWords): typeof chunks {
  const tell = (error: unknown): never => {
    if (signal.aborted || !NetworkError.isInstance(error)) throw error;
    const { code, message } = error;
    const isLate = code === 'RequestTimeout';
    onFailure({ kind: isLate ? 'timeout' : 'connection', message, isPassing: true });
    const what = isLate ? 'sent nothing more in time' : 'did not send all of it';
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

/** Asks where the client of the gateway asked: with its query, and for its version of the API. */
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

/** A provider answers one key once, and rounds are several requests: each after the first has a key made of the client's. */
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

/** A key in the address that a header can hold, and that is not one of the gateway's. */
function providerKey(given: string | undefined): string | undefined {
  return given === undefined || given.includes(KEY_START) || !/^[\x21-\x7e]+$/.test(given) ? undefined : given;
}
