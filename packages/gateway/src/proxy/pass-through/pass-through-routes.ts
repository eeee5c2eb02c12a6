import { Hono } from 'hono';
import { wireFormat, type WireFormatName } from 'skillwright/wire';
import type { GatewayContext, GatewayEnv } from '../../http/gateway-env.ts';
import { objectIn, parseChecked, readAnyJson, readBody } from '../../http/body/request-body.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import { failureResponse, tellFailures } from '../../upstream/failure-response.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { keepConversationOf } from '../stored/answer-owner.ts';
import { assertNames, assertReach, reachAnswer } from '../stored/kept-reach.ts';
import type { ProxyParts } from './pass-through.ts';
import { storedAnswer } from '../stored/stored-answer.ts';

const ID = '/v1/responses/:id{[A-Za-z0-9][A-Za-z0-9_.-]*}';
const RESPONSE_PATHS = [ID, `${ID}/:part{[a-z_]+}`];

/**
 * The path of a conversation. Paths of its items are not supported, because they would show hidden items from turns
 * with skills.
 */
const CONVERSATION = '/v1/conversations/:id{[A-Za-z0-9][A-Za-z0-9_.-]*}';

const RESPONSES = wireFormat('openai-responses');

/** The model and the body of a request, as far as the request has them. */
interface Sent {
  readonly model: string | undefined;
  readonly bytes: Uint8Array | undefined;
}

/** Finds the upstream for a request, by the name of its model if it names one. */
type Find = (model: string | undefined) => Upstream | undefined;

/** Requests without skills: token counts, embeddings, stored responses and conversations. */
export function createPassThroughRoutes(parts: ProxyParts): Hono<GatewayEnv> {
  const { config, guard, ledger, log, upstreams, passThrough } = parts;
  const routes = new Hono<GatewayEnv>();
  routes.onError(tellFailures(formatAt, log));
  const proxy = guard('proxy');

  const passTo = async (context: GatewayContext, upstream: Upstream | undefined, sent: Sent): Promise<Response> => {
    if (upstream !== undefined) return passThrough(context, upstream, { body: sent.bytes });
    const format = formatAt(context);
    return failureResponse(format, upstreams.unknownModel(format, sent.model), context.get('requestId'));
  };
  const pass = async (context: GatewayContext, find: Find): Promise<Response> => {
    const json = hasBody(context) ? await readAnyJson(context, config.limits) : undefined;
    const model = modelIn(json?.value);
    return passTo(context, find(model), { model, bytes: json?.bytes });
  };
  /** Passes on a request whose path names its model, without parsing the body. */
  const passUnread = async (context: GatewayContext, model: string, find: Find): Promise<Response> => {
    const bytes = hasBody(context) ? await readBody(context, config.limits) : undefined;
    return passTo(context, find(model), { model, bytes });
  };
  /** Passes on a request that continues a stored response, with the id that its provider knows. */
  const passKnown = async (context: GatewayContext): Promise<Response> => {
    const json = parseChecked(await readBody(context, config.limits), config.limits);
    const body = objectIn(json.value);
    await assertReach(context.get('caller'), { format: RESPONSES, body }, ledger);
    const keptId = RESPONSES.keptAnswer?.idIn(body);
    const known = keptId === undefined ? undefined : await ledger.findAnswer(context.get('caller').tenant, keptId);
    const lastId = known?.answer.ids.at(-1);
    const home = upstreams.all.find(({ id: upstream }) => upstream === known?.answer.upstream);
    const model = modelIn(json.value);
    const upstream = model === undefined ? (home ?? stored(model)) : stored(model);
    if (upstream === undefined || lastId === undefined || lastId === keptId)
      return passTo(context, upstream, { model, bytes: json.bytes });
    const changed = RESPONSES.keptAnswer?.replace(body, lastId) ?? body;
    return passTo(context, upstream, { model, bytes: Buffer.from(JSON.stringify(changed)) });
  };
  const byModel =
    (...formats: readonly WireFormatName[]): Find =>
    (model = '') =>
      formats.map((format) => upstreams.route(format, model)).find((upstream) => upstream !== undefined);
  /** A stored response is identified only by its id, so the first upstream that may have it is asked. */
  const stored: Find = (model) =>
    model === undefined
      ? upstreams.all.find(({ format }) => format === 'openai-responses')
      : upstreams.route('openai-responses', model);
  const keeper = (): Upstream => {
    const upstream = stored(undefined);
    if (upstream !== undefined) return upstream;
    const message = 'No upstream keeps conversations: add one of the format openai-responses to `upstreams`.';
    throw new GatewayError('RouteNotFound', message);
  };

  routes.post('/v1/messages/count_tokens', proxy, (context) => pass(context, byModel('anthropic-messages')));
  routes.post('/v1/embeddings', proxy, (context) => pass(context, byModel('openai-chat', 'openai-responses')));
  routes.on(['GET', 'POST', 'DELETE'], RESPONSE_PATHS, proxy, async (context) => {
    const id = context.req.param('id') ?? '';
    if (NO_IDS.has(id)) return passKnown(context);
    const own = await reachAnswer(context.get('caller'), id, { ledger, code: 'RouteNotFound' });
    if (own !== undefined) return storedAnswer(context, { id, ...own }, parts);
    if (stored(undefined) === undefined)
      throw new GatewayError('RouteNotFound', `There is no response '${id.slice(0, 100)}'.`);
    return pass(context, stored);
  });
  routes.post('/v1/conversations', proxy, async (context) => {
    const caller = context.get('caller');
    const json = hasBody(context) ? parseChecked(await readBody(context, config.limits), config.limits) : undefined;
    if (json !== undefined) await assertReach(caller, { format: RESPONSES, body: objectIn(json.value) }, ledger);
    const onAnswer = keepConversationOf(caller.tenant, parts);
    return passThrough(context, keeper(), { body: json?.bytes, isRepeatable: false, onAnswer });
  });
  routes.on(['GET', 'POST', 'DELETE'], CONVERSATION, proxy, async (context) => {
    await assertNames(context.get('caller'), [{ kind: 'conversation', id: context.req.param('id') }], ledger);
    const body = hasBody(context) ? await readBody(context, config.limits) : undefined;
    return passThrough(context, keeper(), { body });
  });
  routes.post('/v1beta/models/:call{.+:(?:countTokens|embedContent|batchEmbedContents)}', proxy, (context) =>
    passUnread(context, context.req.param('call').replace(/:\w+$/, ''), byModel('gemini')),
  );
  return routes;
}

/** API paths that could be mistaken for the id of a response. */
const NO_IDS: ReadonlySet<string> = new Set(['input_tokens', 'compact']);

/** Returns the format of a request, which its path determines. */
function formatAt({ req: { path } }: GatewayContext): WireFormatName {
  if (path.startsWith('/v1beta/')) return 'gemini';
  if (path.startsWith('/v1/messages')) return 'anthropic-messages';
  return /^\/v1\/(?:responses|conversations)/.test(path) ? 'openai-responses' : 'openai-chat';
}

/** Whether a request has a body. Some requests need none. */
function hasBody({ env, req }: GatewayContext): boolean {
  if (env.incoming === undefined) return req.raw.body !== null;
  return Number(req.header('content-length') ?? 0) > 0 || req.header('transfer-encoding') !== undefined;
}

function modelIn(body: unknown): string | undefined {
  const model = typeof body === 'object' && body !== null ? (body as { readonly model?: unknown }).model : undefined;
  return typeof model === 'string' ? model : undefined;
}
