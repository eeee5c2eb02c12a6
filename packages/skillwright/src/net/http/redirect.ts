import { parseRequestUrl, type RequestUrl } from './request-url.ts';
import { NetworkError } from '../../spec/errors/error.ts';

/** One request in a chain of redirects. */
export interface Hop {
  readonly url: RequestUrl;
  readonly method: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Headers about the request itself, which are also sent to another host. Any other header may be meant for the first
 * host only.
 */
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
]);
const ABOUT_THE_BODY = /^content-/;

/** Whether a response redirects the client. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECTS.has(status) && location !== undefined;
}

/**
 * The request that a redirect asks for. Refuses targets that are not http(s) URLs, and redirects from https to http.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = parseRequestUrl(location, hop.url.href);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw redirectRefused(hop, `to '${url.host}' without encryption, which is not allowed`);
  const becomesGet = status === 303 ? !['GET', 'HEAD'].includes(hop.method) : status < 303 && hop.method === 'POST';
  const isSameOrigin = url.origin === hop.url.origin;
  const headers = Object.entries(hop.headers).filter(
    ([name]) => (isSameOrigin || KEPT_ACROSS_ORIGINS.has(name)) && !(becomesGet && ABOUT_THE_BODY.test(name)),
  );
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    ...(becomesGet || hop.body === undefined ? {} : { body: hop.body }),
  };
}

export function redirectRefused({ url }: Hop, where: string): NetworkError {
  return new NetworkError('RedirectRefused', `Host '${url.host}' redirects ${where}.`, { data: { host: url.host } });
}
