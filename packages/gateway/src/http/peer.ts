import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../config/loopback.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Proxies add headers with one of these words in their names, or of one of these families. A request that a proxy passes on
 * does not come from this machine, even if the proxy runs on it.
 */
const FORWARDING_WORD =
  /(?:^|-)(?:forwarded|via|(?:client|peer|real|remote|socket|source|user)?ips?|addr|address)(?:-|$)/;
const FORWARDING_FAMILY =
  /^(?:x-(?:akamai|appengine|arr|azure|envoy|original)|akamai|cdn|cf|cloudfront|fastly|fly|tailscale)-|^x-(?:amz-cf|amzn-trace|vercel)-id$/;

/** Node 22 may leave out headers after this many, and one of them may be a proxy's. */
const MOST_HEADERS = 1_000;

/** Whether a program on this machine sent the request itself. False where that cannot be known. */
export function isFromHere(context: RequestContext): boolean {
  const { incoming } = context.env;
  const address = incoming?.socket.remoteAddress;
  if (incoming === undefined || address === undefined || !isLoopback(address)) return false;
  if (incoming.rawHeaders.length >= 2 * MOST_HEADERS || !isAskedForHere(incoming.url ?? '')) return false;
  return forwardingHeader(incoming.headers) === undefined;
}

/**
 * The name of the header that shows that a proxy passed the request on; `undefined` if there is none. Many proxies keep the
 * Host of their own client and add nothing: who connects to this machine's loopback address writes that address or localhost.
 */
export function forwardingHeader(headers: IncomingHttpHeaders): string | undefined {
  if (headers.host !== undefined && !isLoopback(headers.host.replace(/:\d{1,5}$/, '').replace(/\.$/, '')))
    return 'host';
  return Object.keys(headers).find(isForwardingHeader);
}

/** Whether a header, by its lower-case name, is one that proxies add. */
export function isForwardingHeader(name: string): boolean {
  // Some servers read underscores as hyphens.
  const folded = name.replaceAll('_', '-');
  return FORWARDING_WORD.test(folded) || FORWARDING_FAMILY.test(folded);
}

/** Clients write a whole URL to a proxy, not to the server that it names. */
function isAskedForHere(target: string): boolean {
  if (target.startsWith('/') || target === '*') return true;
  return URL.canParse(target) && isLoopback(new URL(target).hostname);
}
