import { Hono } from 'hono';
import type { GatewayEnv } from '../http/gateway-env.ts';
import { METRICS_TYPE } from '../http/metrics/metrics.ts';
import { isFromHere } from '../http/peer.ts';
import type { GatewayParts } from '../parts.ts';

/** Numbers for Prometheus. Programs on this machine need no key for them. */
export function createMetricsRoutes({ metrics, guard }: Pick<GatewayParts, 'metrics' | 'guard'>): Hono<GatewayEnv> {
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  metrics.gauge('nodejs_heap_size_used_bytes', 'Memory of JavaScript.', () => process.memoryUsage().heapUsed);
  const routes = new Hono<GatewayEnv>();
  const manage = guard('manage');
  const unlessFromHere: typeof manage = (context, next) => (isFromHere(context) ? next() : manage(context, next));
  routes.get('/metrics', unlessFromHere, async (context) =>
    context.text(await metrics.render(), 200, { 'content-type': METRICS_TYPE }),
  );
  return routes;
}
