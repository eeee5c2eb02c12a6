import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../config/loopback.ts';
import type { Exchange } from './exchange.ts';

/** Proxies add these headers. A request that a proxy passes on does not come from this machine, even if the proxy runs on it. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
  'fastly-client-ip',
];
const FORWARDING_PREFIXES = ['x-forwarded-', 'x-original-', 'x-envoy-', 'cf-'];

/** Whether a program on this machine sent the request itself. False where that cannot be known. */
export function isFromHere(context: Exchange): boolean {
  const { incoming } = context.env;
  const address = incoming?.socket.remoteAddress;
  if (incoming === undefined || address === undefined || !isLoopback(address)) return false;
  return forwardingHeader(incoming.headers) === undefined;
}

/** The name of the header that shows that a proxy passed the request on; `undefined` if there is none. */
export function forwardingHeader(headers: IncomingHttpHeaders): string | undefined {
  return (
    FORWARDING_HEADERS.find((name) => headers[name] !== undefined) ??
    Object.keys(headers).find((name) => FORWARDING_PREFIXES.some((prefix) => name.startsWith(prefix)))
  );
}
