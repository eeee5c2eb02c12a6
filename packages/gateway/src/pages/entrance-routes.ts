import { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { VERSION } from 'skillwright';
import type { GatewayContext, GatewayEnv } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';
import { PAGE_HEADERS } from './docs-routes.ts';
import { ENTRANCE_STYLE, entrancePage, type Entrance } from './entrance-page.ts';

/** What is at the gateway's address itself: a page in a browser, JSON for programs. It needs no key, so it names no skill. */
export function createEntranceRoutes({ store, registry }: Pick<GatewayParts, 'store' | 'registry'>): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  routes.get('/', async (context) => {
    const entrance: Entrance = {
      version: VERSION,
      status: await store.check().then(
        () => 'ready' as const,
        () => 'unavailable' as const,
      ),
      skills: countSkills(registry),
    };
    const headers = { ...PAGE_HEADERS, vary: 'accept' };
    if (accepts(context, PREFERRED) === JSON_TYPE)
      return context.json({ name: 'Skillwright gateway', ...entrance, ...ADDRESSES }, 200, headers);
    const page = await entrancePage(entrance, originOf(context));
    return context.body(page, 200, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  });
  routes.get('/docs/entrance.css', (context) =>
    context.body(ENTRANCE_STYLE, 200, { ...PAGE_HEADERS, 'content-type': 'text/css; charset=utf-8' }),
  );
  return routes;
}

const JSON_TYPE = 'application/json';
/** Browsers ask for HTML by name; most programs take anything. */
const PREFERRED: Parameters<typeof accepts>[1] = {
  header: 'Accept',
  supports: [JSON_TYPE, 'text/html'],
  default: JSON_TYPE,
};

const ADDRESSES = { docs: '/docs', openapi: '/openapi.json', health: '/health' };

/** Skills that are not off and that every key shares, without their older versions. */
function countSkills({ current }: GatewayParts['registry']): number {
  const shared = current.all.filter(({ enabled, apiKeyId }) => enabled && apiKeyId === null);
  return new Set(shared.map(({ name }) => name)).size;
}

/** A proxy in front of the gateway says whether the browser used https. */
function originOf(context: GatewayContext): string {
  const { origin, host } = new URL(context.req.url);
  return context.req.header('x-forwarded-proto') === 'https' ? `https://${host}` : origin;
}
