import { PROGRAM } from '../../../../spec/program.ts';
import { parseRecord } from '../../../../wire/json/json-text.ts';
import { createSseDecoder } from '../../../../wire/stream/sse.ts';
import { CliError } from '../../cli-error.ts';
import type { Problem } from './rest-types.ts';

export type QueryValues = Readonly<Record<string, string | undefined>>;

/** A client for a gateway, running or opened in this process. */
export interface GatewayClient {
  get<T>(path: string, query?: QueryValues): Promise<T>;
  send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** The events of a stream as they arrive, until the stream ends or the signal aborts. */
  follow(path: string, signal: AbortSignal): AsyncIterable<GatewayEvent>;
  close(): Promise<void>;
}

interface GatewayDoor {
  /** The gateway's name in messages. */
  readonly name: string;
  readonly origin: string;
  readonly token: string | undefined;
  /** Sends a request. Errors that it throws are reported unchanged. */
  readonly send: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** If the gateway refuses a request, the client throws an error with the gateway's own message. */
export function createGatewayClient({ name, origin, token, send, close }: GatewayDoor): GatewayClient {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const request = new Request(new URL(path, origin), {
      ...init,
      redirect: 'error',
      headers: { ...headers, ...(init.body === undefined ? {} : { 'content-type': 'application/json' }) },
    });
    const response = await send(request);
    if (!response.ok) throw await refusal(response, { name, hasToken: token !== undefined });
    return response;
  };
  const json = async <T>(path: string, init: RequestInit): Promise<T> => {
    const response = await ask(path, init);
    const answer: unknown = await response.json().catch(() => undefined);
    if (typeof answer !== 'object' || answer === null) throw notAGateway(name);
    return answer as T;
  };
  return {
    get: (path, query = {}) => json(`${path}${queryText(query)}`, { method: 'GET' }),
    send: (method, path, body) => json(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
    async *follow(path, signal) {
      try {
        const { body } = await ask(path, { method: 'GET', signal });
        if (body !== null) yield* readEvents(body);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    close,
  };
}

function queryText(query: QueryValues): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

async function refusal(
  response: Response,
  { name, hasToken }: { readonly name: string; readonly hasToken: boolean },
): Promise<CliError> {
  const problem: unknown = await response.json().catch(() => undefined);
  if (!isProblem(problem)) return notAGateway(name);
  const { error, code, data } = problem;
  const isNameless = response.status === 401 && !hasToken;
  const hints = isNameless
    ? [
        'Set SKILLWRIGHT_TOKEN to a key of the gateway, such as the admin key from its first start.',
        `If it is lost, stop the gateway and create another: ${PROGRAM} keys create admin --scopes manage,execute,proxy --data <directory>`,
      ]
    : response.status === 401
      ? [`The token comes from --token or SKILLWRIGHT_TOKEN. ${PROGRAM} keys list --data <directory> shows the keys.`]
      : [];
  return new CliError('GatewayRefused', error, {
    hints,
    data: { status: response.status, code, ...data },
    ...(code === 'SkillBlocked' ? { exitCode: 126 } : {}),
  });
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'error' in value && 'code' in value;
}

function notAGateway(name: string): CliError {
  return new CliError(
    'GatewayUnreachable',
    `The server at ${name} is not a Skillwright gateway, or has an incompatible version.`,
    {
      hints: ['Use --url for another address.'],
      data: { gateway: name },
    },
  );
}

/** An event from a gateway's stream. */
export interface GatewayEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The longest event that is read. A gateway never sends a longer one. */
const MAX_BUFFERED = 64 * 1024 * 1024;

/**
 * Reads server-sent events whose data is a JSON object, and skips all others.
 * @internal Exported for its tests.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<GatewayEvent> {
  const decoder = createSseDecoder({ maxFrameLength: MAX_BUFFERED });
  for await (const chunk of body) {
    for (const { event: type = 'message', data: text } of decoder.push(chunk)) {
      const data = parseRecord(text);
      if (data !== undefined) yield { type, data };
    }
    if (decoder.problem !== undefined) return;
  }
}
