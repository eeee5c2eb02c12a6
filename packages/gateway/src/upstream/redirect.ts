import type { Failure, UpstreamPlace } from './upstream.ts';

/** Whether clients would follow a response with this status. 304 only says that nothing has changed. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}

/** The error in place of a redirect, because the client's HTTP library would follow it with the gateway key. */
export function redirectFailure(
  { id, origin }: Pick<UpstreamPlace, 'id' | 'origin'>,
  location: string | readonly string[] | undefined,
): Failure {
  const message = `The upstream '${id}' redirects ${targetOf(location, origin)}, and the gateway follows no redirects. Ask the operator to check its \`baseUrl\`.`;
  return { code: 'UpstreamRedirected', status: 502, message };
}

/**
 * Names only the origin of the target, because the rest of a URL may be secret. Does not name the upstream's own
 * address, which may be secret too.
 */
function targetOf(location: string | readonly string[] | undefined, origin: string): string {
  if (location === undefined) return 'without a target';
  const url = typeof location === 'string' ? URL.parse(location, origin) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return 'to something other than an http or https URL';
  return url.origin === origin ? 'to another path of the same origin' : `to '${url.origin.slice(0, 300)}'`;
}
