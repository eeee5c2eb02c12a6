import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { GatewayContext, GatewayEnv } from '../http/gateway-env.ts';
import { methodNotAllowed } from '../http/response/problem.ts';
import type { GatewayParts } from '../parts.ts';
import { createOpenApi } from './openapi.ts';
import { readRequest } from './request/read-request.ts';
import { REST_ROUTES } from './route-list.ts';
import type { Change, RestRoute } from './rest-route.ts';

/** The limit of a request under `/api`: a parsed body takes many times the memory of its text. */
const MAX_BODY_BYTES = 8_388_608;

/** The routes under `/api`, and the route `/openapi.json`, which describes them. */
export function createRestRoutes(parts: GatewayParts): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  // Fixed paths come first: `/api/skills/install` does not mean a skill with the id `install`.
  const paths = [...new Set(REST_ROUTES.map(({ path }) => path))];
  paths.sort((one, other) => namesIn(one) - namesIn(other));
  for (const path of paths) {
    const here = REST_ROUTES.filter((route) => route.path === path);
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of here)
      routes.on(route.method.toUpperCase(), pattern, parts.guard(...route.scopes), (context) =>
        answer(context, route, parts),
      );
    const methods = here.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    routes.all(pattern, (context) => methodNotAllowed(context, methods));
  }
  let openApi: string | undefined;
  routes.get('/openapi.json', (context) => {
    openApi ??= JSON.stringify(createOpenApi(REST_ROUTES));
    return context.body(openApi, 200, { 'content-type': 'application/json' });
  });
  return routes;
}

function namesIn(path: string): number {
  return path.split('{').length - 1;
}

async function answer(context: GatewayContext, route: RestRoute, parts: GatewayParts): Promise<Response> {
  const { limits } = parts.config;
  const read = await readRequest(context, route, { ...limits, bodyBytes: Math.min(limits.bodyBytes, MAX_BODY_BYTES) });
  const caller = context.get('caller');
  const result = await route.handle({
    ...read,
    caller,
    context,
    parts,
    record: (change) => writeAudit(context, route, parts, change),
  });
  if (result instanceof Response) return result;
  return Response.json(result, { status: route.answer.status ?? 200, headers: { 'cache-control': 'no-store' } });
}

async function writeAudit(
  context: GatewayContext,
  { action }: RestRoute,
  { store, now }: GatewayParts,
  { targetId = null, before = null, after = null }: Change,
): Promise<void> {
  if (action === undefined) return;
  await store.audit.add({
    id: randomUUID(),
    action,
    targetId,
    apiKeyId: context.get('caller').apiKeyId,
    requestId: context.get('requestId'),
    createdAt: now(),
    before,
    after,
  });
}
