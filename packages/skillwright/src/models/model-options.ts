import { invalidOption } from '../spec/errors/error.ts';
import { assertKnownNames } from '../parse/unknown-option.ts';
import { createAllowList } from '../net/egress/allow-list.ts';
import type { ResolveHost } from '../net/address/host-addresses.ts';
import type { HttpClient } from '../net/http/http-client.ts';
import { readHeaders, readNumber } from '../net/http/request-settings.ts';
import { createRedactor, secretVariables, type Redactor } from '../policy/redaction/redaction.ts';
import type { WireFormatName } from '../spec/wire.ts';
import type { ModelFormat } from '../spec/formats/model-format.ts';
import { wireFormat } from '../wire/format.ts';
import { readAddress, type ModelAddress } from './model-address.ts';

/** Options of `createModelClient`: the format, the address, the key and the model. */
export interface ModelClientOptions {
  /** The wire format. `anthropic` is short for `anthropic-messages`. */
  readonly format: WireFormatName | 'anthropic';
  /** The provider's name for the model. */
  readonly model: string;
  /**
   * The server's URL, such as `https://openrouter.ai/api/v1` or `http://localhost:11434/v1`. It may be inside a private
   * network. Default: the format's own provider.
   */
  readonly baseUrl?: string | undefined;
  /** The key for the server. Default: no key is sent. */
  readonly apiKey?: string | undefined;
  /** Headers for every request. They replace the format's own headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds until a response begins; if it is not streamed, until it is complete. Default 600,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a response may pause between bytes. Default 300,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Milliseconds for resolving the host, connecting and TLS. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Largest response in bytes, streamed or not. Default 134,217,728. */
  readonly maxBytes?: number | undefined;
  /**
   * Extra addresses that the host in `baseUrl` may resolve to, if they are neither public nor private: see
   * docs/network.md.
   */
  readonly allow?: readonly string[] | undefined;
  /** Resolves the server's host name. Default: the system's resolver. */
  readonly resolve?: ResolveHost | undefined;
  /** Certificates of authorities, in PEM, trusted instead of Node's own. */
  readonly ca?: readonly string[] | undefined;
  /**
   * An HTTP client to send with, so that several model clients share its connections. Closing the model client does not
   * close this HTTP client. Cannot be combined with `allow`, `resolve`, `ca` or `connectTimeoutMs`: set these options
   * on the HTTP client instead. Default: a new client.
   */
  readonly http?: HttpClient | undefined;
}

const OPTIONS: readonly string[] = [
  'format',
  'model',
  'baseUrl',
  'apiKey',
  'headers',
  'timeoutMs',
  'idleTimeoutMs',
  'connectTimeoutMs',
  'maxBytes',
  'allow',
  'resolve',
  'ca',
  'http',
];
/** Options that belong to the HTTP client. */
const CONNECTION_OPTIONS = ['allow', 'resolve', 'ca', 'connectTimeoutMs'] as const;

/** Checked options, with defaults filled in. */
export interface ModelSettings {
  readonly format: ModelFormat;
  readonly model: string;
  readonly address: ModelAddress;
  /** The key; `''` if there is none. */
  readonly apiKey: string;
  /** Headers for every request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  /** The entries of the `allow` option, and an entry for the model's server. */
  readonly allow: readonly string[];
  readonly resolve: ResolveHost | undefined;
  readonly ca: readonly string[] | undefined;
  /** The HTTP client to use; `undefined` if the model client creates its own. */
  readonly http: HttpClient | undefined;
  /** Redacts secrets in messages. */
  readonly redactor: Redactor;
}

export function readOptions(options: ModelClientOptions): ModelSettings {
  if (typeof options !== 'object' || options === null)
    throw invalidOption('format', 'is missing: pass an object of options');
  assertKnownNames(options, OPTIONS);
  const format = wireFormat(options.format);
  const address = readAddress(options.baseUrl, format.name);
  const apiKey = readKey(options.apiKey);
  const headers = readHeaders(readRecord(options.headers));
  return {
    format,
    model: readModel(options.model),
    address,
    apiKey,
    headers,
    timeoutMs: readNumber('timeoutMs', options.timeoutMs, 600_000),
    idleTimeoutMs: readNumber('idleTimeoutMs', options.idleTimeoutMs, 300_000),
    connectTimeoutMs: readNumber('connectTimeoutMs', options.connectTimeoutMs, 10_000),
    maxBytes: readNumber('maxBytes', options.maxBytes, 134_217_728),
    allow: [serverEntry(address), ...readAllow(options.allow)],
    resolve: readResolver(options.resolve),
    ca: readCertificates(options.ca),
    http: readClient(options),
    redactor: createRedactor({ ...secretsAmong(headers, address.query), apiKey }),
  };
}

/** The allow-list entry for exactly this server. */
function serverEntry({ url: { host, port } }: ModelAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The values of headers and parameters whose names sound like secrets, by name. */
function secretsAmong(headers: Readonly<Record<string, string>>, query: string): Record<string, string> {
  const given: Record<string, string> = { ...headers, ...Object.fromEntries(new URLSearchParams(query)) };
  // Headers use a hyphen where variables use an underscore.
  const variables = Object.entries(given).map(([name, value]): [string, string] => [name.replaceAll('-', '_'), value]);
  const credentials = given.authorization?.replace(/^\S+\s+/, '');
  return {
    ...secretVariables(Object.fromEntries(variables)),
    ...(credentials === undefined ? {} : { authorization: credentials }),
  };
}

function readKey(given: unknown): string {
  if (given === undefined) return '';
  const key = typeof given === 'string' ? given.trim() : '\n';
  // Do not repeat the key in the message.
  if (!/^[\x21-\x7e]*$/.test(key))
    throw invalidOption('apiKey', 'must be a string of visible ASCII characters, no spaces');
  return key;
}

/** Checks the model's name. Some formats put the name into the URL's path, where `..` would lead elsewhere. */
function readModel(given: unknown): string {
  const isName = typeof given === 'string' && /^[^\p{Cc}]{1,512}$/u.test(given) && given.trim() === given;
  if (!isName || given.split('/').some((part) => /^\.{0,2}$/.test(part)))
    throw invalidOption(
      'model',
      "must be the provider's name for a model, such as 'gpt-5.5' or 'anthropic/claude-sonnet-5.5'",
    );
  return given;
}

function readRecord(given: unknown): Readonly<Record<string, string>> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidOption('headers', 'must be an object of strings by name');
  return given as Readonly<Record<string, string>>;
}

function readAllow(given: readonly string[] = []): readonly string[] {
  createAllowList(given);
  return given;
}

function readResolver(given: ResolveHost | undefined): ResolveHost | undefined {
  if (given === undefined || typeof given === 'function') return given;
  throw invalidOption('resolve', "must be a function from a host's name to its addresses");
}

function readCertificates(given: unknown): readonly string[] | undefined {
  if (given === undefined || (Array.isArray(given) && given.every(isPem))) return given;
  throw invalidOption('ca', 'must be a list of certificates in PEM');
}

function readClient(options: ModelClientOptions): HttpClient | undefined {
  const { http } = options;
  if (http === undefined) return undefined;
  if (typeof http !== 'object' || http === null || typeof http.request !== 'function')
    throw invalidOption('http', 'must be a client from createHttpClient');
  const extra = CONNECTION_OPTIONS.find((name) => options[name] !== undefined);
  if (extra !== undefined) throw invalidOption(extra, "cannot be used with 'http'; set it when you create that client");
  return http;
}

function isPem(value: unknown): boolean {
  return typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----');
}
