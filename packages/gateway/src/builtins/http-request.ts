import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { BuiltInsConfig } from '../config/config.ts';
import { type BuiltIn, defineBuiltIn } from './builtin.ts';
import type { BuiltInGuards } from './guards.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
/** Added to the handler's timeout, so that the request's own timeout fires first. */
const MARGIN_MS = 5_000;
const MAX_URL_CHARS = 8_192;
const MAX_BODY_CHARS = 1_048_576;

export function createHttpRequest(
  { request }: Pick<BuiltInGuards, 'request'>,
  { maxHttpResponseBytes }: Pick<BuiltInsConfig, 'maxHttpResponseBytes'>,
): BuiltIn {
  return defineBuiltIn({
    name: 'http_request',
    description: 'Sends one HTTP request to a public host and returns the response. It does not follow redirects.',
    input: z.strictObject({
      url: z.string().min(1).max(MAX_URL_CHARS).describe('An http or https URL of a public host.'),
      method: z.preprocess(
        (method) => (typeof method === 'string' ? method.toUpperCase() : method),
        z.enum(METHODS).default('GET'),
      ),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.string().max(MAX_BODY_CHARS).optional(),
      timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
      maxBytes: z
        .int()
        .min(1)
        .max(maxHttpResponseBytes)
        .default(maxHttpResponseBytes)
        .describe('The response is cut off after this many bytes.'),
    }),
    output: z.object({
      success: z.boolean().describe('Whether the status is from 200 to 299.'),
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
      const response = await request(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        timeoutMs,
        maxBytes,
        truncate: true,
        redirect: 'manual',
        signal,
      });
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
