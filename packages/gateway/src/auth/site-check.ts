import { isIP } from 'node:net';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../spec/gateway-error.ts';

export interface AllowedSites {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** Refuses requests that a web page of another site made a browser send. */
export type SiteCheck = (context: RequestContext) => void;

/**
 * Prevents DNS rebinding and cross-site requests. A page can point its own name at this machine, but the browser then
 * still sends that name as the Host: only configured names, localhost and IP addresses are accepted. A page can also
 * send requests across sites, but only with an Origin or a `Sec-Fetch-Site` header that gives it away.
 */
export function createSiteCheck({ allowedHosts, allowedOrigins }: AllowedSites): SiteCheck {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(allowedOrigins);
  // Caches the last accepted host, because nearly all requests name the same one.
  let lastOwn: string | undefined;
  return (context) => {
    const host = (context.req.header('host') ?? new URL(context.req.url).host).toLowerCase();
    if (host !== lastOwn && !isOwnHost(host, hosts)) throw foreignHost(host);
    lastOwn = host;
    const origin = context.req.header('origin');
    if (origin === undefined ? isSentAcrossSites(context) : !isOwnOrigin(origin, host) && !origins.has(origin))
      throw foreignOrigin(origin);
  };
}

function isOwnHost(host: string, hosts: ReadonlySet<string>): boolean {
  const name = host.replace(/:\d{1,5}$/, '').replace(/\.$/, '');
  const address = name.replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isIP(address) !== 0 || hosts.has(name) || hosts.has(host);
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * Whether another site made the browser send a request. Following a link does not count, because it changes nothing.
 */
function isSentAcrossSites({ req }: RequestContext): boolean {
  const site = req.header('sec-fetch-site');
  const changesNothing = req.method === 'GET' || req.method === 'HEAD';
  return !changesNothing && (site === 'cross-site' || site === 'same-site');
}

function foreignHost(host: string): GatewayError {
  const shown = host.slice(0, 100);
  const message = `The Host header '${shown}' is not allowed. Use the gateway's address, or add the name to allowedHosts.`;
  return new GatewayError('HostNotAllowed', message, { data: { host: shown } });
}

function foreignOrigin(origin = 'unknown'): GatewayError {
  const shown = origin.slice(0, 100);
  const message = `Web pages from '${shown}' may not use this gateway. An operator can add the origin to allowedOrigins.`;
  return new GatewayError('OriginNotAllowed', message, { data: { origin: shown } });
}
