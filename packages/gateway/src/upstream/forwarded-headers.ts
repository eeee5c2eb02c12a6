import { CONNECTION_HEADERS, namedByConnection } from 'skillwright/host';
import { KEY_START } from '../auth/key-text.ts';
import { isForwardingHeader } from '../http/peer.ts';
import { SENT_HEADER } from '../http/response/sent-answers.ts';
import type { UpstreamPlace } from './upstream.ts';

/** Headers in which clients send keys. */
const KEYS = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']);

/** Headers that choose an account or a project of the key's owner. Only clients that send their own key may choose. */
const ACCOUNTS = new Set(['openai-organization', 'openai-project', 'x-goog-user-project']);

/**
 * Headers that the gateway sets itself, and headers that are not for the upstream: cookies, the page that a browser
 * shows, and overrides of the method.
 */
const NOT_FORWARDED = new Set([
  ...CONNECTION_HEADERS,
  'host',
  'content-length',
  'content-encoding',
  'expect',
  'cookie',
  'origin',
  'referer',
]);
const NOT_FORWARDED_FAMILIES = /^(?:x-skillwright-|sec-fetch-|x-(?:http-)?method(?:-override)?$|x-rewrite-url$)/;

const lowerCased = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));

/** Query parameters that Google's servers read like headers. */
const KEY_PARAMETERS = lowerCased(['key', '$key']);
const ACCOUNT_PARAMETERS = lowerCased(['userProject', '$userProject']);
const FORMAT_PARAMETERS = lowerCased(['alt', '$alt']);
const AS_HEADERS = lowerCased(['access_token', 'oauth_token', '$ct', '$httpMethod', '$httpHeaders']);

/** Response headers that the gateway drops, because the client would apply them to the whole gateway. */
const NOT_RETURNED = new Set([
  ...CONNECTION_HEADERS,
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  'clear-site-data',
  // A client that followed these headers would send its gateway key to another host.
  'location',
  'refresh',
  // This header tells the gateway's own server that a response was already sent.
  SENT_HEADER,
]);
const NOT_RETURNED_FAMILIES = /^(?:access-control-|x-skillwright-)/;

/**
 * Headers that describe the upstream's body or the time of its response. They would be wrong for a body that the
 * gateway writes.
 */
const OF_THE_BODY = /^(?:content-.*|date|server|proxy-.*)$/;

/** Headers that the library's client sets itself. */
const CLIENTS_OWN = new Set(['accept', 'accept-encoding', 'content-type']);

/** Headers in Node's raw form: names and values alternate. */
export type RawHeaders = readonly string[];

/** The headers and query of a request that go upstream. */
export interface Forwarded {
  readonly headers: string[];
  /** Includes its `?`; `''` if there is none. */
  readonly query: string;
  /** Whether the client's own key is included, so that the configured key is not sent. */
  readonly bringsKey: boolean;
}

/**
 * Filters a client's headers and query for the upstream. Gateway keys are always removed; other keys are kept if
 * configured.
 */
export function forwardedOf(raw: RawHeaders, query: string, forwardsKeys: boolean): Forwarded {
  const named = namedByConnection(raw);
  const headers: string[] = [];
  const ownQuery = query === '' ? '' : withoutKey(query, forwardsKeys);
  let bringsKey = forwardsKeys && hasKey(ownQuery);
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const lower = folded(name);
    if (NOT_FORWARDED.has(lower) || NOT_FORWARDED_FAMILIES.test(lower) || named.has(lower)) continue;
    if (isForwardingHeader(lower)) continue;
    // Removes gateway keys from every header, not only from those for keys.
    if (value.includes(KEY_START)) continue;
    if (KEYS.has(lower)) {
      if (!forwardsKeys) continue;
      bringsKey = true;
    }
    headers.push(name, value);
  }
  return { headers: bringsKey ? headers : withoutAccounts(headers), query: ownQuery, bringsKey };
}

/** Lower case, with hyphens: some servers read underscores in names as hyphens. */
const folded = (name: string): string => name.toLowerCase().replaceAll('_', '-');

function withoutAccounts(headers: string[]): string[] {
  return headers.filter((_, index) => !ACCOUNTS.has(folded(headers[index - (index % 2)] ?? '')));
}

/** The forwarded headers in the form that the library's client takes. */
export function headersForClient(
  raw: RawHeaders,
  { forwardsKeys }: Pick<UpstreamPlace, 'forwardsKeys'>,
): { headers: Record<string, string>; bringsKey: boolean } {
  const { headers, bringsKey } = forwardedOf(raw, '', forwardsKeys);
  const record: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    const value = headers[index + 1] ?? '';
    if (!CLIENTS_OWN.has(name)) record[name] = Object.hasOwn(record, name) ? `${record[name]}, ${value}` : value;
  }
  return { headers: record, bringsKey };
}

/** The headers of an upstream's response that the client gets. */
export function returnedOf(raw: RawHeaders): string[] {
  const named = namedByConnection(raw);
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const lower = folded(name);
    if (isReturned(lower) && !named.has(lower)) headers.push(name, value);
  }
  return headers;
}

/**
 * The headers to return with a body that the gateway writes, such as rate limits and the provider's request id. Takes
 * and returns them in the form of the library's client.
 */
export function passedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return isReturned(lower) && !OF_THE_BODY.test(lower);
  });
  return Object.fromEntries(entries);
}

function isReturned(lower: string): boolean {
  return !NOT_RETURNED.has(lower) && !NOT_RETURNED_FAMILIES.test(lower);
}

/**
 * Removes keys from a query, and leaves the rest byte for byte. Google's servers read some parameters as headers.
 * Parameters that would be other credentials, another account, another method or another content type are left out, as
 * the headers with these meanings are.
 */
function withoutKey(query: string, forwardsKeys: boolean): string {
  const parts = query.slice(1).split('&');
  const bringsKey = forwardsKeys && parts.some(isKey);
  const kept = parts.filter((part) => {
    if (decodeURIComponentOr(part).includes(KEY_START)) return false;
    const name = nameOf(part);
    if (AS_HEADERS.has(name)) return false;
    return KEY_PARAMETERS.has(name) ? forwardsKeys : bringsKey || !ACCOUNT_PARAMETERS.has(name);
  });
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

/**
 * The query for requests of the library's client, without keys and the response format, because the client sends keys
 * in headers and sets the format itself.
 */
export function queryForClient(query: string): string {
  const parts = query === '' ? [] : withoutKey(query, false).slice(1).split('&');
  return parts.filter((part) => part !== '' && !FORMAT_PARAMETERS.has(nameOf(part))).join('&');
}

function hasKey(query: string): boolean {
  return query.slice(1).split('&').some(isKey);
}

/** Whether a query part is a provider's key. */
function isKey(part: string): boolean {
  return KEY_PARAMETERS.has(nameOf(part)) && !decodeURIComponentOr(part).includes(KEY_START);
}

/** The name of a query parameter, in lower case and without escapes. */
function nameOf(part: string): string {
  return decodeURIComponentOr(part.split('=', 1)[0] ?? '').toLowerCase();
}

/** The decoded text, or the text itself if its escapes are invalid. */
function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
