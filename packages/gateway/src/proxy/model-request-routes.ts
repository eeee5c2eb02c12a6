import { Hono } from 'hono';
import type { GatewayEnv } from '../http/gateway-env.ts';
import { tellFailures } from '../upstream/failure-response.ts';
import { answerRequest } from './answer-request.ts';
import { GEMINI_CALLS, geminiCall, PLAIN_CALLS } from './model-calls.ts';
import { createPassThroughRoutes } from './pass-through/pass-through-routes.ts';
import type { ProxyParts } from './pass-through/pass-through.ts';

/** The routes of every endpoint that the gateway shares with model providers. */
export function createModelRequestRoutes(parts: ProxyParts): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  routes.route('/', createProxy(parts));
  routes.route('/', createPassThroughRoutes(parts));
  return routes;
}

/** The routes for model requests, in four formats. */
function createProxy(parts: ProxyParts): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  const proxy = parts.guard('proxy');
  routes.onError(tellFailures(({ req: { path } }) => PLAIN_CALLS.get(path)?.format ?? 'gemini', parts.log));
  for (const [path, asked] of PLAIN_CALLS) routes.post(path, proxy, (context) => answerRequest(context, asked, parts));
  for (const path of GEMINI_CALLS)
    routes.post(path, proxy, (context) => answerRequest(context, geminiCall(context.req.param('call') ?? ''), parts));
  return routes;
}
