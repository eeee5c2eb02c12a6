import { Hono } from 'hono';
import { VERSION } from 'skillwright';
import type { GatewayEnv } from '../http/gateway-env.ts';
import { toGatewayError } from '../http/response/problem.ts';
import type { GatewayParts } from '../parts.ts';
import { GATEWAY_ERROR_DATA } from '../spec/error-data.ts';
import { METRICS_TYPE } from '../http/metrics/metrics.ts';
import { isFromHere } from '../http/peer.ts';

/**
 * Probes for monitoring: whether the process runs, and whether it can work. Both are public, so neither names a file.
 */
export function createHealthRoutes({ store, log }: Pick<GatewayParts, 'store' | 'log'>): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  routes.get('/health', (context) => context.json({ status: 'ok', version: VERSION }));
  routes.get('/ready', async (context) => {
    try {
      await store.check();
      return context.json({ status: 'ready' });
    } catch (error) {
      log.error({ err: error }, 'the store does not respond');
      const { code } = toGatewayError(error);
      // Do not return the error's message, because it names files.
      return context.json({ status: 'unavailable', code, reason: GATEWAY_ERROR_DATA[code].title }, 503);
    }
  });
  return routes;
}

/** Metrics for Prometheus. Programs on this machine need no key for them. */
export function createMetricsRoutes({ metrics, guard }: Pick<GatewayParts, 'metrics' | 'guard'>): Hono<GatewayEnv> {
  metrics.gauge('process_resident_memory_bytes', 'Memory used by the process.', () => process.memoryUsage.rss());
  metrics.gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  const routes = new Hono<GatewayEnv>();
  const manage = guard('manage');
  const unlessFromHere: typeof manage = (context, next) => (isFromHere(context) ? next() : manage(context, next));
  routes.get('/metrics', unlessFromHere, async (context) =>
    context.text(await metrics.render(), 200, { 'content-type': METRICS_TYPE }),
  );
  return routes;
}
