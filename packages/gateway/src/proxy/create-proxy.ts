import { Hono } from 'hono';
import { parseExact, wireFormat, type WireBody, type WireFormatName } from 'skillwright/wire';
import type { GatewayContext, GatewayEnv } from '../http/gateway-env.ts';
import { parseJson, readBody } from '../http/request-body.ts';
import type { GatewayParts } from '../parts.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { failureResponse, tellFailures } from '../upstream/failure-response.ts';
import { keepAnswerOf } from './answer-owner.ts';
import { answerTurn } from './answer-turn.ts';
import { inject, type Injected, type ProxiedRequest } from './injection.ts';
import type { PassThrough } from './pass-through.ts';
import type { TurnLimits } from './proxied-turn.ts';
import { readSkillHeaders } from './skill-headers.ts';
import { skippedHeader } from './turn-report.ts';
import { createTurnTrace } from './turn-trace.ts';
import { upstreamClient } from './upstream-client.ts';

export interface ProxyParts extends GatewayParts {
  readonly passThrough: PassThrough;
}

/** What the path of a request says about it. */
interface Asked {
  readonly format: WireFormatName;
  /** Where the path names it; otherwise the body does. */
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

const GEMINI_CALLS = ['/v1beta/models/:call', '/v1/models/:call'].map(
  (path) => `${path}{.+:(?:generateContent|streamGenerateContent)}`,
);

/** Requests to models, in four formats: with skills where some fit, otherwise as they came. */
export function createProxy(parts: ProxyParts): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  const proxy = parts.guard('proxy');
  routes.onError(tellFailures(formatAt, parts.log));
  routes.post('/v1/chat/completions', proxy, (context) => answer(context, { format: 'openai-chat' }, parts));
  routes.post('/v1/responses', proxy, (context) => answer(context, { format: 'openai-responses' }, parts));
  routes.post('/v1/messages', proxy, (context) => answer(context, { format: 'anthropic-messages' }, parts));
  for (const path of GEMINI_CALLS)
    routes.post(path, proxy, (context) => {
      const [, model, method] = /^(.+):(\w+)$/.exec(context.req.param('call') ?? '') ?? [];
      return answer(context, { format: 'gemini', model, stream: method === 'streamGenerateContent' }, parts);
    });
  return routes;
}

async function answer(context: GatewayContext, asked: Asked, parts: ProxyParts): Promise<Response> {
  const bytes = await readBody(context, parts.config.limits);
  const body = parseJson(bytes, parseExact);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new GatewayError('InvalidJson', 'The body is no JSON object.');
  const request = requestOf(context, asked, body as WireBody);
  const upstream = parts.upstreams.route(asked.format, request.model);
  if (upstream === undefined) {
    const failure = parts.upstreams.unknownModel(asked.format, request.model);
    return failureResponse(asked.format, failure, context.get('requestId'));
  }
  const injected = await injectSafely(context, request, { ...parts, upstream: upstream.id });
  const passOn = (skipped: string, given?: WireBody): Promise<Response> =>
    parts.passThrough(context, upstream, {
      body: given === undefined ? bytes : Buffer.from(JSON.stringify(given)),
      headers: skippedHeader(skipped),
      onAnswer: keepAnswerOf(request, upstream, parts),
    });
  if ('skipped' in injected) return passOn(injected.skipped, injected.body);
  const { headers, client } = upstreamClient(context, upstream, request.model);
  return answerTurn(context, {
    request,
    injection: injected.injection,
    model: client,
    upstream: upstream.id,
    trace: createTurnTrace({ request, injection: injected.injection, model: client }, parts),
    counted: parts.counted,
    ledger: parts.ledger,
    limits: turnLimits(parts),
    log: parts.log,
    stopping: parts.stopping,
    requestId: context.get('requestId'),
    framing: framingOf(context, request),
    headers,
    passOn,
  });
}

function requestOf(
  context: GatewayContext,
  { format, model, stream }: Asked,
  body: WireBody,
): ProxiedRequest & { readonly model: string } {
  return {
    format: wireFormat(format),
    body,
    model: model ?? (typeof body['model'] === 'string' ? body['model'] : ''),
    stream: stream ?? body['stream'] === true,
    tenant: context.get('caller').tenant,
    headers: readSkillHeaders(context),
  };
}

/** A proxy that cannot remember still proxies. */
async function injectSafely(
  context: GatewayContext,
  request: ProxiedRequest,
  parts: ProxyParts & { readonly upstream: string },
): Promise<Injected> {
  const { store, skills, ledger, log, upstream } = parts;
  try {
    return await inject(request, {
      host: skills,
      ledger,
      isEnabled: store.settings.current.skillsEnabled,
      upstream,
      allowed: await parts.requestSkills({ ...request.headers, tenant: request.tenant }),
    });
  } catch (error) {
    log.error({ requestId: context.get('requestId'), err: error }, 'skills could not be added to a request');
    return { skipped: 'skills could not be added' };
  }
}

/** How the client reads a stream: Gemini's is one JSON array unless it asks for events. */
function framingOf({ req }: GatewayContext, { format }: ProxiedRequest): 'sse' | 'json-array' {
  return format.name === 'gemini' && req.query('alt') !== 'sse' ? 'json-array' : 'sse';
}

function turnLimits({ config }: ProxyParts): TurnLimits {
  const { skillRounds, skillMs, skillTokens, skillGraceMs, keepAliveMs } = config.limits;
  return {
    maxRounds: skillRounds,
    maxTimeMs: skillMs,
    maxTokens: skillTokens,
    graceMs: skillGraceMs,
    keepAliveMs,
  };
}

function formatAt({ req }: GatewayContext): WireFormatName {
  if (req.path.startsWith('/v1/messages')) return 'anthropic-messages';
  if (req.path.startsWith('/v1/responses')) return 'openai-responses';
  return req.path.startsWith('/v1/chat') ? 'openai-chat' : 'gemini';
}
