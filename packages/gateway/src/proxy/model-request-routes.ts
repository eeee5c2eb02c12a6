import { Hono } from 'hono';
import type { GatewayEnv } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';
import { createPassThroughRoutes } from './pass-through/pass-through-routes.ts';
import { createPassThrough } from './pass-through/pass-through.ts';
import { createProxy } from './create-proxy.ts';

/** Everything that providers of models serve. */
export function createModelRequestRoutes(parts: GatewayParts): Hono<GatewayEnv> {
  const passThrough = createPassThrough(parts);
  const routes = new Hono<GatewayEnv>();
  routes.route('/', createProxy({ ...parts, passThrough }));
  routes.route('/', createPassThroughRoutes({ ...parts, passThrough }));
  return routes;
}
