import { NetworkError } from '../../spec/errors/error.ts';

/** A URL that may be requested: http or https, a plain host, and no credentials. */
export interface RequestUrl {
  readonly protocol: 'http:' | 'https:';
  /** Lower case, without brackets or a trailing dot; international names as `xn--…`; addresses in their usual form. */
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** Host and port as in the `host` header: without the scheme's default port. */
  readonly authority: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The whole URL without its fragment. */
  readonly href: string;
}

const PLAIN_HOST = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9_](?:[a-z0-9_-]{0,62})$/;

/** Refuses URLs that are not http(s) or that have credentials. A relative URL is resolved against `base`. */
export function parseRequestUrl(text: string | URL, base?: string): RequestUrl {
  const url = URL.parse(String(text), base);
  // The text may contain secrets, so the message does not repeat it.
  if (url === null) throw refused('The URL is invalid. Use an absolute URL, such as https://example.com/.');
  const { protocol } = url;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw refused(`The URL scheme '${protocol.slice(0, 40)}' is not supported. Use http or https.`);
  if (url.username !== '' || url.password !== '')
    throw refused('The URL contains a user name or password. Send them in a header instead.', url.hostname);
  const host = plainHost(url.hostname);
  if (host === undefined)
    throw refused(`'${url.hostname.slice(0, 80)}' is not a valid host name: a label is empty, too long or malformed.`);
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
  const authority = `${host.includes(':') ? `[${host}]` : host}${url.port === '' ? '' : `:${url.port}`}`;
  const path = `${url.pathname}${url.search}`;
  const origin = `${protocol}//${authority}`;
  return { protocol, host, port, path, authority, origin, href: `${origin}${path}` };
}

/** A host as `parseRequestUrl` spells it; `undefined` if it is invalid. */
export function canonicalHost(text: string): string | undefined {
  if (/[/?#@:\\]/.test(text)) return undefined;
  const url = URL.parse(`http://${text}/`);
  return url === null ? undefined : plainHost(url.hostname);
}

function plainHost(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return PLAIN_HOST.test(host) ? host : undefined;
}

function refused(message: string, host?: string): NetworkError {
  return new NetworkError('UrlNotAllowed', message, host === undefined ? {} : { data: { host } });
}
