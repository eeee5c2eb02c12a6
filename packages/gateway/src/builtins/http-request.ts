import { STATUS_CODES } from 'node:http';
import { NetworkError, type HttpClient } from 'skillwright';
import { z } from 'zod';
import { GatewayError } from '../spec/gateway-error.ts';
import type { BuiltIn } from './builtin.ts';
import { defineBuiltIn } from './define-built-in.ts';

export interface HttpRequestOptions {
  /** Reaches public hosts only, but for what the operator allows. */
  readonly client: HttpClient;
  readonly maxResponseBytes: number;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** They say who asks, or where a message goes and ends: neither is for a model to say. */
const BLOCKED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'cookie',
  'set-cookie',
  'authorization',
  'proxy-authorization',
]);
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
/** So that the request's own timeout is the one that is told. */
const MARGIN_MS = 5_000;
const MAX_URL_CHARS = 8_192;
const MAX_BODY_CHARS = 1_048_576;

export function createHttpRequest({ client, maxResponseBytes }: HttpRequestOptions): BuiltIn {
  return defineBuiltIn({
    name: 'http_request',
    description: 'Sends one HTTP request to a public host and answers what came back. Redirects are not followed.',
    input: z.strictObject({
      url: z.string().min(1).max(MAX_URL_CHARS).describe('An http or https URL of a public host.'),
      method: z.preprocess(
        (method) => (typeof method === 'string' ? method.toUpperCase() : method),
        z.enum(METHODS).default('GET'),
      ),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.string().max(MAX_BODY_CHARS).optional(),
      timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
      maxBytes: z.int().min(1).max(maxResponseBytes).default(maxResponseBytes).describe('More is cut off.'),
    }),
    output: z.object({
      success: z.boolean().describe('Whether the status is one of success, from 200 to 299.'),
      url: z.string(),
      method: z.string(),
      status: z.int(),
      statusText: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
      truncated: z.boolean(),
    }),
    policy: 'auto',
    tags: ['http', 'network'],
    timeoutMs: MAX_TIMEOUT_MS + MARGIN_MS,
    anonymous: true,
    async run({ url, method, headers, body, timeoutMs, maxBytes }, { signal }) {
      assertHeaders(headers);
      const response = await client
        .request(url, {
          method,
          headers,
          ...(body === undefined ? {} : { body }),
          timeoutMs,
          maxBytes,
          truncate: true,
          redirect: 'manual',
          signal,
        })
        .catch(throwWithSetting);
      const text = await response.text();
      return {
        success: response.status >= 200 && response.status < 300,
        url: response.url,
        method,
        status: response.status,
        statusText: STATUS_CODES[response.status] ?? '',
        headers: { ...response.headers },
        body: text,
        truncated: response.truncated,
      };
    },
  });
}

/** Whoever calls the skill has no client to configure: the operator has a setting. */
function throwWithSetting(error: unknown): never {
  if (!NetworkError.isInstance(error) || error.code !== 'AddressNotAllowed' || error.data.kind === undefined)
    throw error;
  const { host, port, address } = error.data;
  const message =
    `Host '${String(host)}' leads to ${String(address)}, which is not public, and only public addresses are reached. ` +
    `If it is meant to be, the operator of the gateway adds '${String(host)}:${String(port)}' to 'builtins.allowHosts'.`;
  throw new NetworkError('AddressNotAllowed', message, { data: error.data, cause: error });
}

function assertHeaders(headers: Readonly<Record<string, string>>): void {
  const blocked = Object.keys(headers).filter((name) => BLOCKED.has(name.trim().toLowerCase()));
  if (blocked.length === 0) return;
  throw new GatewayError(
    'InvalidInput',
    `The input of 'http_request' has headers that skills may not set: ${blocked.join(', ')}. Leave them out.`,
    { data: { headers: blocked } },
  );
}
