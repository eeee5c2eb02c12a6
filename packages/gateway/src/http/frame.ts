import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Flights } from './flights.ts';
import type { GatewayContext, GatewayEnv } from './gateway-env.ts';
import type { GatewayLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { onResponseEnd } from './response-end.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface FrameParts {
  readonly log: GatewayLog;
  readonly metrics: Metrics;
  readonly flights: Flights;
}

/** What every request goes through, around all else: its id, the log, the numbers. */
export function createFrame({ log, metrics, flights }: FrameParts): MiddlewareHandler<GatewayEnv> {
  const requests = metrics.counter('skillwright_http_requests_total', 'Requests that were answered.', [
    'method',
    'route',
    'status',
  ]);
  const seconds = metrics.histogram('skillwright_http_request_seconds', 'Time until an answer was sent.', SECONDS, [
    'route',
  ]);
  metrics.gauge('skillwright_http_requests_under_way', 'Requests that are being answered.', () => flights.underWay);

  return async (context, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(context);
    context.set('requestId', requestId);
    const land = flights.begin();
    try {
      await next();
    } finally {
      const route = routeOf(context);
      // A provider's own id of the request is the better one to ask it by.
      if (context.env.outgoing?.headersSent !== true && !context.res.headers.has(REQUEST_ID_HEADER))
        setHeader(context, REQUEST_ID_HEADER, requestId);
      onResponseEnd(context, () => {
        land();
        const ms = performance.now() - startedAt;
        const method = METHODS.has(context.req.method) ? context.req.method : 'other';
        const { status } = context.res;
        requests.add(1, method, route, String(status));
        seconds.observe(ms / 1000, route);
        const apiKeyId = context.get('caller')?.apiKeyId;
        log.info({ requestId, method, path: context.req.path, status, ms: Math.round(ms), apiKeyId }, 'request');
      });
    }
  };
}

/**
 * The pattern of what handled the request, in the braces of OpenAPI; never the path itself: there are as many paths as
 * clients like.
 */
function routeOf(context: GatewayContext): string {
  const pattern = routePath(context);
  if (pattern === '' || pattern === '/*' || pattern === '*') return 'none';
  return pattern.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, '{$1}');
}

/** Answers of others, such as those of `fetch`, have headers that cannot be changed. */
function setHeader(context: GatewayContext, name: string, value: string): void {
  try {
    context.res.headers.set(name, value);
  } catch {
    context.header(name, value);
  }
}
