import { gzipSync } from 'node:zlib';
import type { GatewayConfigInput } from '../../packages/gateway/src/config/config.ts';
import type { Scope } from '../../packages/gateway/src/store/api-key-table.ts';
import type { WireBody } from '../../packages/skillwright/src/spec/wire.ts';
import { startGatewayTo } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';
import { answered, echoCall, said } from './told-upstream.ts';
import { startUpstream, type SeenRequest } from './upstream-server.ts';

/** Someone who asks the gateway, as one sees them. */
export interface Asker {
  /** Sends a body as it is, or as JSON. */
  ask(body: unknown, path?: string, headers?: Readonly<Record<string, string>>): Promise<Told>;
}

export interface Told {
  readonly status: number;
  readonly body: WireBody & { readonly error?: { readonly message: string; readonly code: string } };
}

export interface NamedAnswers {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  asker(scopes?: readonly Scope[]): Promise<Asker>;
  readonly anonymous: Asker;
  /** What went upstream last, as text. */
  last(): string;
}

/** Ways of a request through the gateway: whether skills take part in it. */
export const WAYS = [
  ['with skills', {}],
  ['passed through', { 'x-skillwright-mode': 'off' }],
] as const;

/**
 * A gateway before a provider that keeps answers, and takes all keys for one. The model calls `echo` where it may, and then
 * says that it is done.
 */
export async function startNamed({
  isPacked = false,
  config = {},
}: {
  readonly isPacked?: boolean;
  readonly config?: GatewayConfigInput;
} = {}): Promise<NamedAnswers> {
  let made = 0;
  const upstream = await startUpstream(({ body }, response) => {
    const text = body.toString();
    made += 1;
    const isCall = text.includes('"name":"echo"') && !text.includes('echo of');
    const item = isCall ? echoCall(String(made)) : said('Done.', `msg_${made}`);
    const answer = JSON.stringify(answered(`resp_${made}`, [item]));
    const packing = isPacked ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...packing });
    response.end(isPacked ? gzipSync(answer) : answer);
  });
  const loop = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` }, config, [ECHO_HANDLER]);
  const as = (secret?: string): Asker => ({
    ask: async (body, path = '/v1/responses', headers = {}) => {
      const response = await fetch(`${loop.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
          ...headers,
        },
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Told['body'] };
    },
  });
  return {
    url: loop.url,
    seen: upstream.seen,
    anonymous: as(),
    asker: async (scopes = ['proxy']) => as((await loop.gateway.keys.create({ name: 'some', scopes })).secret),
    last: () => upstream.seen.at(-1)?.body.toString() ?? '',
  };
}
