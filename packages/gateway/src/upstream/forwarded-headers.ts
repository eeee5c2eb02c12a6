import { CONNECTION_HEADERS, namedByConnection } from 'skillwright/host';
import { KEY_START } from '../auth/key-text.ts';
import { isForwardingHeader } from '../http/peer.ts';
import { SENT_HEADER } from '../http/response/sent-answers.ts';
import type { UpstreamPlace } from './upstream.ts';

/** Where clients put keys. */
const KEYS = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']);

/** Headers that choose an account or a project of the key's owner. Only clients that bring their own key may choose. */
const ACCOUNTS = new Set(['openai-organization', 'openai-project', 'x-goog-user-project']);

/** Headers that the gateway sets itself or that are not for the upstream: cookies, the page that a browser shows, another method. */
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

/** Speaks for the site that an answer comes from, which to the client is the gateway. */
const NOT_RETURNED = new Set([
  ...CONNECTION_HEADERS,
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  'clear-site-data',
  // A client that followed these would take its gateway key to another host.
  'location',
  'refresh',
  // Says something else to our own server.
  SENT_HEADER,
]);
const NOT_RETURNED_FAMILIES = /^(?:access-control-|x-skillwright-)/;

/** Of the body, or of the moment it was sent: untrue of a body that the gateway writes. */
const OF_THE_BODY = /^(?:content-.*|date|server|proxy-.*)$/;

/** Of those the library's client sends its own. */
const CLIENTS_OWN = new Set(['accept', 'accept-encoding', 'content-type']);

/** Headers as Node has them: names and values in turn. */
export type RawHeaders = readonly string[];

/** What goes upstream of a request's headers and its query. */
export interface Forwarded {
  readonly headers: string[];
  /** With its `?`; `''` for none. */
  readonly query: string;
  /** The client's own key is among them, so that the configured one is not sent. */
  readonly bringsKey: boolean;
}

/** What a client sent, less what is not for the upstream. Keys of the gateway never are; others where it is configured so. */
export function forwardedOf(raw: RawHeaders, query: string, forwardsKeys: boolean): Forwarded {
  const named = namedByConnection(raw);
  const headers: string[] = [];
  const ownQuery = query === '' ? '' : withoutKey(query, forwardsKeys);
  let bringsKey = forwardsKeys && hasKey(ownQuery);
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (NOT_FORWARDED.has(lower) || NOT_FORWARDED_FAMILIES.test(lower) || named.has(lower)) continue;
    if (isForwardingHeader(lower)) continue;
    // Wherever a client puts it.
    if (value.includes(KEY_START)) continue;
    if (KEYS.has(lower)) {
      if (!forwardsKeys) continue;
      bringsKey = true;
    }
    headers.push(name, value);
  }
  return { headers: bringsKey ? headers : withoutAccounts(headers), query: ownQuery, bringsKey };
}

function withoutAccounts(headers: string[]): string[] {
  return headers.filter((_, index) => !ACCOUNTS.has(headers[index - (index % 2)]?.toLowerCase() ?? ''));
}

/** The same as the library's client takes it with a request. */
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

/** The headers of an upstream's answer for the client. */
export function returnedOf(raw: RawHeaders): string[] {
  const named = namedByConnection(raw);
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (isReturned(lower) && !named.has(lower)) headers.push(name, value);
  }
  return headers;
}

/** The same for a body that the gateway writes, as the library's client has them: rate limits, the provider's request id. */
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

/** All else stays byte for byte. */
function withoutKey(query: string, forwardsKeys: boolean): string {
  const parts = query
    .slice(1)
    .split('&')
    .filter((part) => !decodeURIComponentOr(part).includes(KEY_START) && (forwardsKeys || !isKey(part)));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** For requests that the library's client makes: it says itself how an answer comes, and sends keys in headers. */
export function queryForClient(query: string): string {
  const parts = query === '' ? [] : withoutKey(query, false).slice(1).split('&');
  return parts.filter((part) => part !== '' && nameOf(part) !== 'alt').join('&');
}

function hasKey(query: string): boolean {
  return query.slice(1).split('&').some(isKey);
}

/** However the name is escaped. */
function isKey(part: string): boolean {
  return nameOf(part) === 'key';
}

function nameOf(part: string): string {
  return decodeURIComponentOr(part.split('=', 1)[0] ?? '');
}

/** The text itself, where it is not escaped as it should be. */
function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
