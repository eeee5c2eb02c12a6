import { Readable } from 'node:stream';
import { parseExact, wireFormat, type WireBody } from 'skillwright/wire';
import { collectStream } from '../../http/body/collect-bytes.ts';
import type { GatewayContext } from '../../http/gateway-env.ts';
import { parseJson } from '../../http/body/request-body.ts';
import type { KeptAnswer } from '../../ledger/ledger-note.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import { callUpstream } from '../../upstream/call-upstream.ts';
import { failureResponse } from '../../upstream/failure-response.ts';
import { isFailure, type Failure, type UpstreamPlace } from '../../upstream/upstream.ts';
import { DEMO_MODEL } from '../../upstream/upstreams.ts';
import { keepNamesOf } from './answer-owner.ts';
import { callFor } from '../pass-through/pass-through-call.ts';
import type { ProxyParts } from '../pass-through/pass-through.ts';
import { isJsonObject } from '../../spec/json-object.ts';
import { storedStream, type AskBytes } from './stored-stream.ts';

/** A stored response that its client requests again. */
export interface OwnAnswer {
  /** The id that the client knows. */
  readonly id: string;
  readonly answer: KeptAnswer;
  /** Names of tools that the client was not shown. */
  readonly tools: readonly string[];
}

/** A provider's response for one part of a stored response. */
interface PartAnswer {
  readonly status: number;
  readonly body: WireBody;
}

const FORMAT = wireFormat('openai-responses');

/**
 * Answers a request for a response that its provider keeps in several parts, one per round. The client gets the single
 * response that it saw at first.
 */
export async function storedAnswer(context: GatewayContext, own: OwnAnswer, parts: ProxyParts): Promise<Response> {
  const { upstreams, passThrough } = parts;
  const upstream = upstreams.all.find(({ id }) => id === own.answer.upstream);
  if (own.answer.upstream === DEMO_MODEL) throw notKept(own);
  if (upstream?.place === undefined) throw gone(own);
  const isAsKept = own.answer.ids.length === 1 && own.tools.length === 0;
  // Keep the ids in the response again, because a background response grows with each request. Do not keep ids in input
  // items, because the client wrote them.
  const isAnswer = context.req.param('part') !== 'input_items';
  if (isAsKept)
    return passThrough(context, upstream, {
      onAnswer: isAnswer ? keepNamesOf(context.get('caller').tenant, parts) : undefined,
    });
  const asked = { place: upstream.place, limits: parts.config.limits };
  if (asksStream(context)) {
    const stream = await storedStream(own, createAskBytes(context, own, asked), context.req.query('starting_after'));
    return isFailure(stream) ? failureResponse(FORMAT.name, stream, context.get('requestId')) : stream;
  }
  const ask = createAsk(context, own, asked);
  const answer = await answerFrom(context, own, ask);
  if (answer === undefined) return passThrough(context, upstream);
  if (isFailure(answer)) return failureResponse(FORMAT.name, answer, context.get('requestId'));
  return Response.json(answer.body, { status: answer.status });
}

type Ask = (id: string) => Promise<PartAnswer | Failure>;

/**
 * The answer, combined from the parts. `undefined` if the provider's own response to the client's id is already right.
 */
async function answerFrom(
  { req }: GatewayContext,
  { id, answer, tools }: OwnAnswer,
  ask: Ask,
): Promise<PartAnswer | Failure | undefined> {
  const isHidden = (tool: string): boolean => tools.includes(tool);
  const part = req.param('part');
  if (req.method === 'DELETE') {
    // Deletes the hidden parts first, so that everything is gone once the client is told so.
    for (const other of answer.ids.filter((known) => known !== id)) await ask(other);
    return undefined;
  }
  if (part === 'input_items') {
    const items = await ask(id);
    return isFailure(items) || items.status !== 200
      ? items
      : { ...items, body: FORMAT.keptAnswer?.visibleInput(items.body, isHidden) ?? items.body };
  }
  const asked = part === undefined ? answer.ids : answer.ids.slice(-1);
  const answers = await Promise.all(asked.map(ask));
  const missing = answers.find((one) => isFailure(one) || one.status !== 200);
  if (missing !== undefined) return missing;
  const isStructured = FORMAT.isStructured(answer.request);
  const rounds = answers.flatMap((one, place) => {
    const hidesText = isStructured && place < answers.length - 1;
    return isFailure(one) ? [] : [{ response: one.body, isHidden, clientBody: answer.request, hidesText }];
  });
  return { status: 200, body: { ...FORMAT.mergeResponses(rounds), id } };
}

interface Place {
  readonly place: UpstreamPlace;
  readonly limits: ProxyParts['config']['limits'];
}

/** Repeats the client's request for another id. */
function createAsk(context: GatewayContext, own: OwnAnswer, asked: Place): Ask {
  const askBytes = createAskBytes(context, own, asked);
  return async (id) => {
    const answer = await askBytes(id);
    if (isFailure(answer)) return answer;
    try {
      return { status: answer.status, body: bodyOf(parseJson(answer.bytes, asked.limits, parseExact)) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return unreadable(asked.place);
    }
  };
}

function createAskBytes(context: GatewayContext, { id: ownId }: OwnAnswer, { place, limits }: Place): AskBytes {
  return async (id) => {
    const wanted = callFor(context, place, undefined);
    if (isFailure(wanted)) return wanted;
    const path = wanted.path.replace(`/${ownId}`, `/${id}`).replace(/([?&])starting_after=[^&]*&?/, '$1');
    const call = callUpstream(place, { ...wanted, path, headers: withoutPacking(wanted.headers) });
    const answer = await call.answer;
    if (isFailure(answer)) return answer;
    try {
      const bytes = await collectStream(Readable.toWeb(answer.message) as ReadableStream<Uint8Array>, limits);
      return { status: answer.statusCode, type: answer.header('content-type'), bytes };
    } catch (error) {
      call.end();
      if (!(error instanceof GatewayError)) throw error;
      return unreadable(place);
    }
  };
}

/** Whether the client asks for a stream. True only for the response itself, because its parts cannot be streamed. */
function asksStream({ req }: GatewayContext): boolean {
  return req.method === 'GET' && req.param('part') === undefined && req.query('stream') === 'true';
}

function unreadable({ id }: UpstreamPlace): Failure {
  const message = `The gateway could not read the answer of the upstream '${id}'. Try again later.`;
  return { code: 'UpstreamUnreachable', status: 502, message };
}

function bodyOf(value: unknown): WireBody {
  if (isJsonObject(value)) return value;
  throw new GatewayError('InvalidJson', "The upstream's answer is not a JSON object.");
}

/** The response is parsed here, so it must not be compressed. */
function withoutPacking(headers: readonly string[]): readonly string[] {
  return headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== 'accept-encoding');
}

function notKept({ id }: OwnAnswer): GatewayError {
  const message = `The response '${id.slice(0, 100)}' came from the demo model, which stores no responses.`;
  return new GatewayError('RouteNotFound', message);
}

function gone({ id, answer }: OwnAnswer): GatewayError {
  const message = `The response '${id.slice(0, 100)}' is stored at the upstream '${answer.upstream}', which is no longer configured.`;
  return new GatewayError('RouteNotFound', message);
}
