import { invalidOption } from '../../spec/errors/error.ts';
import { CONNECTION_HEADERS } from './connection-headers.ts';
import type { Hop } from './redirect.ts';
import { parseRequestUrl } from './request-url.ts';

/** How to handle a redirect. */
export type RedirectMode = 'error' | 'manual' | 'follow';

/** Options of one request. */
export interface HttpRequestOptions {
  /** The request method. Default GET. */
  readonly method?: string | undefined;
  /** Headers for the server. Headers that the client sets itself (`host`, `content-length`, …) are rejected. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Aborts the request, even while its body is read. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for everything: redirects and the whole body. `Infinity` for no limit. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds until the headers of each response arrive. Default: limited only by `timeoutMs`. */
  readonly headersTimeoutMs?: number | undefined;
  /** Milliseconds without a byte of the body while the caller waits for it. Default: limited only by `timeoutMs`. */
  readonly idleTimeoutMs?: number | undefined;
  /** Largest body in bytes, both as received and as decompressed. Default: the client's. */
  readonly maxBytes?: number | undefined;
  /** Cut the body at `maxBytes` and set `truncated`, instead of failing. Default false. */
  readonly truncate?: boolean | undefined;
  /** How to handle redirects. Default `error`. */
  readonly redirect?: RedirectMode | undefined;
  /** How many redirects to follow. Default 5. */
  readonly maxRedirects?: number | undefined;
  /**
   * Whether the request may be sent again if a kept connection breaks within a second, before any response byte
   * arrives. Default: only for GET and HEAD.
   */
  readonly isRepeatable?: boolean | undefined;
}

const METHOD = /^[A-Z][A-Z-]{0,31}$/;
const REFUSED_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,256}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that only the client sets, besides hop-by-hop headers: the destination and the length of a message. */
const OWN_HEADERS = /^(?:host|content-length|expect|proxy-.*|:.*)$/;

/** The longest timer that Node supports. */
const MAX_NUMBER = 2 ** 31 - 1;
const DEFAULT_MAX_REDIRECTS = 5;

/** The first request of a chain, after checks. */
export function firstHop(url: string | URL, options: HttpRequestOptions, userAgent: string): Hop {
  const method = readMethod(options.method);
  const body = readBody(options.body, method);
  const headers = {
    accept: '*/*',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
    ...readHeaders(options.headers ?? {}),
  };
  return { url: parseRequestUrl(url), method, headers, ...(body === undefined ? {} : { body }) };
}

export function readRedirects(options: HttpRequestOptions): { readonly mode: RedirectMode; readonly max: number } {
  const mode = options.redirect ?? 'error';
  if (!['error', 'manual', 'follow'].includes(mode))
    throw invalidOption('redirect', "must be 'error', 'manual' or 'follow'");
  return { mode, max: readNumber('maxRedirects', options.maxRedirects, DEFAULT_MAX_REDIRECTS, 0) };
}

export const CLIENT_OPTIONS: readonly string[] = [
  'allow',
  'resolve',
  'userAgent',
  'ca',
  'connectTimeoutMs',
  'timeoutMs',
  'maxBytes',
  'maxHeaderBytes',
];
export const REQUEST_OPTIONS: readonly string[] = [
  'method',
  'headers',
  'body',
  'signal',
  'timeoutMs',
  'headersTimeoutMs',
  'idleTimeoutMs',
  'maxBytes',
  'truncate',
  'redirect',
  'maxRedirects',
  'isRepeatable',
];

/** A whole number within the range of timers and sizes. */
export function readNumber(option: string, value: unknown, fallback: number, least = 1): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= MAX_NUMBER) return value;
  throw invalidOption(option, `must be a whole number from ${least} to ${MAX_NUMBER}`);
}

/** Milliseconds; `Infinity` for no limit. */
export function readTime(option: string, value: unknown, fallback: number): number {
  return value === Infinity ? Infinity : readNumber(option, value, fallback);
}

function readMethod(given: unknown = 'GET'): string {
  const method = typeof given === 'string' ? given.toUpperCase() : '';
  if (METHOD.test(method) && !REFUSED_METHODS.has(method)) return method;
  throw invalidOption('method', 'must be a method such as GET or POST, and not CONNECT, TRACE or TRACK');
}

function readBody(given: unknown, method: string): Uint8Array | undefined {
  if (given === undefined) return undefined;
  if (method === 'GET' || method === 'HEAD') throw invalidOption('body', `cannot be sent with ${method}`);
  if (typeof given === 'string') return new TextEncoder().encode(given);
  if (given instanceof Uint8Array) return given;
  throw invalidOption('body', 'must be a string or bytes');
}

export function readHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [spelt, value] of Object.entries(given)) {
    const name = spelt.toLowerCase();
    if (CONNECTION_HEADERS.has(name) || OWN_HEADERS.test(name))
      throw invalidOption('headers', `has '${name}', which the client sets itself`);
    // Values may be secret and names may be anything, so the message repeats neither.
    if (!HEADER_NAME.test(name) || name === '__proto__') throw invalidOption('headers', 'has an invalid header name');
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      throw invalidOption(
        'headers',
        `has a value for '${name}' that is not a string, or has line breaks or characters outside Latin-1`,
      );
    headers[name] = value;
  }
  return headers;
}
