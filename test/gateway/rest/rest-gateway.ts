import { createGateway } from '../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import type { Scope } from '../../../packages/gateway/src/store/tables/api-key-table.ts';
import { startListening, type ListeningGateway } from '../listening-gateway.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** A client of the REST interface with its own key. */
export interface RestClient {
  readonly keyId: string;
  readonly secret: string;
  call(method: string, path: string, body?: unknown): Promise<RestAnswer>;
}

export interface RestGateway extends ListeningGateway {
  client(...scopes: readonly Scope[]): Promise<RestClient>;
}

/** Starts a complete gateway on loopback. Closed after the test. */
export async function startRest(config: GatewayConfigInput = {}): Promise<RestGateway> {
  const limits = { requestsPerMinute: 1_000_000, concurrentRequests: 10_000, shutdownMs: 0, ...config.limits };
  const settings = { data: makeDataDirectory(), port: 0, skills: [], anonymous: 'skills', ...config, limits } as const;
  const env = { PATH: process.env['PATH'] };
  const listening = await startListening((log) => createGateway(settings, { env, ...log }));
  const { gateway, url } = listening;
  const client = async (...scopes: readonly Scope[]): Promise<RestClient> => {
    const { key, secret } = await gateway.keys.create({ name: scopes.join(' '), scopes });
    return { keyId: key.id, secret, call: (method, path, body) => callWith(url, secret, method, path, body) };
  };
  return { ...listening, client };
}

export async function callWith(
  url: string,
  secret: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<RestAnswer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}

/** The skill that the seed document installs. */
export const REVERSE_TEXT = {
  name: 'reverse-text',
  version: '1.0.0',
  description: 'Reverses a string',
  schema: {
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    output: { type: 'object', properties: { reversed: { type: 'string' } } },
  },
  handlerCode: 'echo-handler',
} as const;

/** Installs the skill for every key, and turns it on. */
export async function installReverseText(
  client: RestClient,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { body } = await client.call('POST', '/api/skills/install', { ...REVERSE_TEXT, ...more });
  const id = String(body['id']);
  await client.call('PUT', `/api/skills/${id}`, { mode: 'on' });
  return id;
}
