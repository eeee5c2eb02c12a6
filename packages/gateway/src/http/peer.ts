import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../config/loopback.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Matches headers that proxies add: the name contains one of these words, or belongs to one of the families below. The
 * login families name the user that a proxy has logged in. A forwarded request does not count as local, even if the
 * proxy runs on this machine.
 */
const FORWARDING_WORD =
  /(?:^|-)(?:forward|forwarded(?:for)?|proxy|via|(?:client|peer|real|remote|socket|source|user)?ips?|addr|address)(?:-|$)/;
const FORWARDING_FAMILY =
  /^(?:x-(?:akamai|appengine|arr|azure|envoy|original|ssl|varnish)|akamai|cdn|cf|cloudfront|fastly|fly|front-end|ssl-client|tailscale)(?:-|$)|^x-(?:scheme|(?:amz-cf|amzn-trace|vercel)-id)$/;
const LOGIN_FAMILY =
  /^(?:(?:x-)?remote-(?:user|groups?|name|email)|x-(?:auth-request|authentik|webauth|pomerium|goog-iap|goog-authenticated-user|ms-client-principal|ms-token-aad|amzn-(?:oidc|mtls|tls)))(?:-|$)/;

/** Node 22 may drop headers beyond this many, and one of them may be a proxy's. */
const MOST_HEADERS = 1_000;

/** Whether a program on this machine sent the request directly. False if that is uncertain. */
export function isFromHere(context: RequestContext): boolean {
  const { incoming } = context.env;
  const address = incoming?.socket.remoteAddress;
  if (incoming === undefined || address === undefined || !isLoopback(address)) return false;
  if (incoming.rawHeaders.length >= 2 * MOST_HEADERS || !isAskedForHere(incoming.url ?? '')) return false;
  return forwardingHeader(incoming.headers) === undefined;
}

/**
 * The name of a header that shows that a proxy forwarded the request; `undefined` if there is none. A Host other than
 * this machine counts, too: many proxies add no header but keep their client's Host, and a local client sends localhost
 * or a loopback address.
 */
export function forwardingHeader(headers: IncomingHttpHeaders): string | undefined {
  if (headers.host !== undefined && !isLoopback(headers.host.replace(/:\d{1,5}$/, '').replace(/\.$/, '')))
    return 'host';
  return Object.keys(headers).find(isForwardingHeader);
}

/** Whether proxies add a header of this lower-case name. */
export function isForwardingHeader(name: string): boolean {
  // Some servers treat underscores as hyphens.
  const folded = name.replaceAll('_', '-');
  return FORWARDING_WORD.test(folded) || FORWARDING_FAMILY.test(folded) || LOGIN_FAMILY.test(folded);
}

/** Whether a request's target is a path. Clients send a whole URL only to a proxy. */
function isAskedForHere(target: string): boolean {
  if (target.startsWith('/') || target === '*') return true;
  return URL.canParse(target) && isLoopback(new URL(target).hostname);
}
