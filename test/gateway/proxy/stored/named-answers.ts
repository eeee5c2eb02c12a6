import { gzipSync } from 'node:zlib';
import type { Gateway } from '../../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../../packages/gateway/src/config/config.ts';
import type { Scope } from '../../../../packages/gateway/src/store/tables/api-key-table.ts';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import { startGatewayTo } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { answered, echoCall, said } from '../loop/told-upstream.ts';
import { startUpstream, type SeenRequest } from '../../upstream-server.ts';

/** A client of the gateway, as the tests see it. */
export interface Asker {
  /** Sends text unchanged, and any other body as JSON. */
  ask(body: unknown, path?: string, headers?: Readonly<Record<string, string>>): Promise<Told>;
}

export interface Told {
  readonly status: number;
  readonly body: WireBody & { readonly error?: { readonly message: string; readonly code: string } };
}

export interface NamedAnswers {
  readonly url: string;
  readonly gateway: Gateway;
  readonly seen: readonly SeenRequest[];
  asker(scopes?: readonly Scope[]): Promise<Asker>;
  readonly anonymous: Asker;
  /** The last request that went upstream, as text. */
  last(): string;
}

/** The two ways through the gateway: with skills and without. */
export const WAYS = [
  ['with skills', {}],
  ['passed through', { 'x-skillwright-mode': 'off' }],
] as const;

/** Output items of the provider's own tools, which only the provider has in full. */
function hosted(made: number): readonly WireBody[] {
  return [
    { type: 'reasoning', id: `rs_${made}`, summary: [] },
    { type: 'image_generation_call', id: `ig_${made}`, status: 'completed' },
    { type: 'code_interpreter_call', id: `ci_${made}`, code: '1', container_id: `cntr_${made}`, status: 'completed' },
    {
      type: 'shell_call',
      id: `sh_${made}`,
      call_id: 'c',
      action: {},
      environment: { container_id: `cntr_shell_${made}` },
    },
    {
      type: 'message',
      role: 'assistant',
      id: `msg_cites_${made}`,
      content: [{ type: 'output_text', text: 'See.', annotations: [{ container_id: `cntr_cited_${made}` }] }],
    },
  ];
}

function framesOf(told: WireBody): string {
  const items = told['output'] as readonly WireBody[];
  const events = [
    { type: 'response.created', response: { ...told, status: 'in_progress', output: [] } },
    ...items.flatMap((item, place) => [
      { type: 'response.output_item.added', output_index: place, item },
      { type: 'response.output_item.done', output_index: place, item },
    ]),
    { type: 'response.completed', response: told },
  ];
  return events
    .map((event, number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`)
    .join('');
}

/**
 * A gateway for a provider that keeps responses and does not tell keys apart. The model calls `echo` if it can, and
 * then says that it is done.
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
    const items = isCall ? [echoCall(String(made))] : [...hosted(made), said('Done.', `msg_${made}`)];
    const told = answered(`resp_${made}`, items);
    const isStream = text.includes('"stream":true');
    const answer = isStream ? framesOf(told) : JSON.stringify(told);
    const packing = isPacked ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json', ...packing });
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
      const text = await response.text();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const last = isStream ? /^data: (\{.*"type":"response.completed".*\})$/m.exec(text)?.[1] : text;
      const told = JSON.parse(last ?? '{}') as WireBody;
      return { status: response.status, body: (isStream ? told['response'] : told) as Told['body'] };
    },
  });
  return {
    url: loop.url,
    gateway: loop.gateway,
    seen: upstream.seen,
    anonymous: as(),
    asker: async (scopes = ['proxy']) => as((await loop.gateway.keys.create({ name: 'some', scopes })).secret),
    last: () => upstream.seen.at(-1)?.body.toString() ?? '',
  };
}
