import { Hono } from 'hono';
import { VERSION } from 'skillwright';
import type { GatewayEnv } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';

/** For whatever watches the process: alive, and able to work. Both say nothing that is not for everybody. */
export function createHealthRoutes({ store, log }: Pick<GatewayParts, 'store' | 'log'>): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  routes.get('/health', (context) => context.json({ status: 'ok', version: VERSION }));
  routes.get('/ready', async (context) => {
    try {
      await store.check();
      return context.json({ status: 'ready' });
    } catch (error) {
      log.error({ err: error }, 'the store does not answer');
      return context.json({ status: 'unavailable' }, 503);
    }
  });
  return routes;
}
