import type { RequestContext } from '../../http/request-context.ts';
import type { UpstreamCall } from '../../upstream/call-upstream.ts';
import type { Failure, UpstreamPlace } from '../../upstream/upstream.ts';
import { forwardedOf, type RawHeaders } from '../../upstream/forwarded-headers.ts';
import { isPlainPath } from '../../upstream/upstream-path.ts';

/** The upstream request for a client's request. */
export function callFor(
  context: RequestContext,
  place: UpstreamPlace,
  body: Uint8Array | undefined,
): UpstreamCall | Failure {
  const { path, query } = targetOf(context);
  if (!isPlainPath(path)) return notPlain(path);
  const forwarded = forwardedOf(rawHeadersOf(context), query, place.forwardsKeys);
  const { headers } = forwarded;
  if (!forwarded.bringsKey) headers.push(...place.keyHeaders);
  return { method: context.req.method, path: place.pathFor(path) + forwarded.query, headers, body };
}

/** The target as the client wrote it, because parsing a URL may change its spelling. */
export function targetOf({ env, req }: RequestContext): { path: string; query: string } {
  const given = env.incoming?.url ?? '';
  const target = given.startsWith('/') ? given : req.url.replace(/^[^/]*\/\/[^/?]*/, '');
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at) };
}

export function rawHeadersOf({ env, req }: RequestContext): RawHeaders {
  return env.incoming?.rawHeaders ?? [...(req.raw?.headers ?? [])].flat();
}

function notPlain(path: string): Failure {
  const message = `The path '${path.slice(0, 100)}' is ambiguous. Write it without dots and escapes.`;
  return { code: 'RouteNotFound', status: 404, message };
}
