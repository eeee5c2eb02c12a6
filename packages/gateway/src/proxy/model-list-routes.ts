import { Hono } from 'hono';
import type { WireFormatName } from 'skillwright/wire';
import type { GatewayContext, GatewayEnv } from '../http/gateway-env.ts';
import type { ProxyParts } from './pass-through/pass-through.ts';
import { callersFormat, dialectOf } from '../upstream/dialects/dialect.ts';
import { failureResponse, tellFailures } from '../upstream/failure-response.ts';
import { createModelLists } from '../upstream/model-lists.ts';
import { DEMO_MODEL } from '../upstream/upstreams.ts';

/** The available models, in the caller's dialect. */
export function createModelRoutes(parts: ProxyParts): Hono<GatewayEnv> {
  const { config, guard, log, now, upstreams, passThrough } = parts;
  const routes = new Hono<GatewayEnv>();
  routes.onError(tellFailures(formatAt, log));
  const proxy = guard('proxy');
  const lists = createModelLists(upstreams, {
    now,
    limits: config.limits,
    onFailure: (upstream, reason) => log.warn({ upstream, reason }, 'listing the models of an upstream failed'),
  });

  const list = async (context: GatewayContext): Promise<Response> => {
    const dialect = dialectOf(formatAt(context));
    return context.json(dialect.listBody(await lists.of(dialect)) as object);
  };
  /** Describes a single model. Uses its provider's own description if there is one. */
  const describe = async (context: GatewayContext): Promise<Response> => {
    const model = context.req.param('model') ?? '';
    const format = formatAt(context);
    const dialect = dialectOf(format);
    if (model === DEMO_MODEL) return context.json(dialect.describe(model).entry as object);
    const upstream = dialect.formats.map((one) => upstreams.route(one, model)).find((found) => found !== undefined);
    if (upstream !== undefined) return passThrough(context, upstream);
    return failureResponse(format, upstreams.unknownModel(format, model), context.get('requestId'));
  };
  routes.get('/v1/models', proxy, list);
  routes.get('/v1/models/:model{.+}', proxy, describe);
  routes.get('/v1beta/models', proxy, list);
  routes.get('/v1beta/models/:model{.+}', proxy, describe);
  return routes;
}

function formatAt({ req }: GatewayContext): WireFormatName {
  return req.path.startsWith('/v1beta/') ? 'gemini' : callersFormat((name) => req.header(name));
}
