import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { RunningRequests } from '../running-requests.ts';
import type { GatewayContext, GatewayEnv } from '../gateway-env.ts';
import type { GatewayLog } from './log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { onResponseEnd } from '../response/response-end.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface FrameParts {
  readonly log: GatewayLog;
  readonly metrics: Metrics;
  readonly runningRequests: RunningRequests;
}

/** A response that was sent or cut off. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The route pattern that matched the path. */
  readonly route: string;
  readonly status: number;
  /** Whether the client received only a part. */
  readonly isCut: boolean;
  /** The id of the caller's key; `undefined` if no guard identified the caller. */
  readonly apiKeyId: string | null | undefined;
}

/** Logs and measures a request. Returns the function to call once it is answered. */
export type Frame = () => (answered: Answered) => void;

export function createFrame({ log, metrics, runningRequests }: FrameParts): Frame {
  const requests = metrics.counter('skillwright_http_requests_total', 'Requests answered.', [
    'method',
    'route',
    'status',
  ]);
  const seconds = metrics.histogram('skillwright_http_request_seconds', 'Time until the response was sent.', SECONDS, [
    'route',
  ]);
  const cuts = metrics.counter('skillwright_http_answers_cut_total', 'Responses that were cut off before completion.', [
    'route',
  ]);
  metrics.gauge('skillwright_http_requests_under_way', 'Requests in progress.', () => runningRequests.underWay);

  return () => {
    const startedAt = performance.now();
    const end = runningRequests.begin();
    return ({ requestId, method: given, path, route, status, isCut, apiKeyId }) => {
      end();
      const ms = performance.now() - startedAt;
      const method = METHODS.has(given) ? given : 'other';
      requests.add(1, method, route, String(status));
      seconds.observe(ms / 1000, route);
      if (isCut) cuts.add(1, route);
      const cut = isCut ? { cut: true } : {};
      log.info({ requestId, method, path, status, ...cut, ms: Math.round(ms), apiKeyId }, 'request');
    };
  };
}

/** Wraps Hono's handling in a frame, and gives every request its id. */
export function framed(frame: Frame): MiddlewareHandler<GatewayEnv> {
  return async (context, next) => {
    const end = frame();
    const requestId = requestIdOf(context);
    context.set('requestId', requestId);
    try {
      await next();
    } finally {
      const route = routeOf(context);
      // A provider's own request id is more useful for support, so it is kept.
      if (context.env.outgoing?.headersSent !== true && !context.res.headers.has(REQUEST_ID_HEADER))
        setHeader(context, REQUEST_ID_HEADER, requestId);
      onResponseEnd(context, () => {
        const { method, path } = context.req;
        const apiKeyId = context.get('caller')?.apiKeyId;
        const ending = endingOf(context.env.outgoing, context.res.status);
        end({ requestId, method, path, route, ...ending, apiKeyId });
      });
    }
  };
}

/** The status to log if the client disconnected before a response. */
const CLIENT_LEFT = 499;

/** How a response with this status ended. */
export function endingOf(
  outgoing: ServerResponse | Http2ServerResponse | undefined,
  status: number,
): Pick<Answered, 'status' | 'isCut'> {
  if (outgoing === undefined || outgoing.writableFinished) return { status, isCut: false };
  return { status: outgoing.headersSent ? status : CLIENT_LEFT, isCut: true };
}

/**
 * The pattern of the matched route, with parameters in braces. Never the path itself, because clients can make up any
 * number of paths.
 */
function routeOf(context: GatewayContext): string {
  const pattern = routePath(context);
  if (pattern === '' || pattern === '/*' || pattern === '*') return 'none';
  return pattern.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, '{$1}');
}

/** Responses from elsewhere, such as `fetch`, have immutable headers. */
function setHeader(context: GatewayContext, name: string, value: string): void {
  try {
    context.res.headers.set(name, value);
  } catch {
    context.header(name, value);
  }
}
