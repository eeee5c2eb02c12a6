import type { IncomingMessage } from 'node:http';
import type { Deadline } from './deadline.ts';
import type { Hop } from './redirect.ts';
import { fellSilent, toRequestFailure } from './request-failure.ts';
import { assertDeclaredLength, createLimitedBody } from './response-body.ts';
import { NetworkError } from '../../spec/errors/error.ts';

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; values of the same name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where it came from, after redirects. */
  readonly url: string;
  /** The body in pieces, unpacked. It can be read once, this way or by one of the methods below. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Was the body cut? Known once it is read, and only with the option `truncate`. */
  readonly truncated: boolean;
  bytes(): Promise<Uint8Array>;
  /** As UTF-8; malformed bytes become replacement characters. */
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Ends the response without reading it. */
  discard(): void;
}

export interface BodySettings {
  readonly maxBytes: number;
  readonly truncate: boolean;
  /** How long a body may be silent while it is waited for; also, how long until somebody begins to read it. */
  readonly idleTimeoutMs: number;
}

/** Takes over the deadline: it is disposed of when the body ends, fails or is discarded. */
export function createHttpResponse(
  message: IncomingMessage,
  hop: Hop,
  { idleTimeoutMs, ...limit }: BodySettings,
  deadline: Deadline,
): HttpResponse {
  const { statusCode: status = 0 } = message;
  const { host, href } = hop.url;
  const limits = { host, ...limit };
  const hasBody =
    hop.method !== 'HEAD' && status !== 204 && status !== 304 && message.headers['content-length'] !== '0';
  const discard = (): void => {
    deadline.dispose();
    if (hasBody) message.destroy();
  };
  if (hasBody) refuseEarly(() => assertDeclaredLength(message, limits), discard);
  const wait = (): void => deadline.waitFor(idleTimeoutMs, () => fellSilent(host, idleTimeoutMs));
  const limited = createLimitedBody(message, hasBody, limits);
  if (hasBody) {
    wait();
  } else {
    // Nothing is left to wait for, and the connection can be used again.
    message.resume();
    deadline.dispose();
  }
  const body = {
    [Symbol.asyncIterator]: () => readBody(limited[Symbol.asyncIterator](), { host, deadline, wait, discard }),
  };
  const bytes = async (): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const text = async (): Promise<string> => new TextDecoder().decode(await bytes());
  return {
    status,
    headers: joinHeaders(message.rawHeaders),
    url: href,
    body,
    get truncated() {
      return limited.truncated;
    },
    bytes,
    text,
    json: async () => parseJson(await text(), host),
    discard,
  };
}

function refuseEarly(check: () => void, discard: () => void): void {
  try {
    check();
  } catch (error) {
    discard();
    throw error;
  }
}

interface BodyReading {
  readonly host: string;
  readonly deadline: Deadline;
  /** Starts the time in which the next bytes have to come. */
  readonly wait: () => void;
  readonly discard: () => void;
}

async function* readBody(
  chunks: AsyncIterableIterator<Uint8Array>,
  { host, deadline, wait, discard }: BodyReading,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    wait();
    for await (const chunk of chunks) {
      deadline.arrived();
      yield chunk;
      wait();
    }
  } catch (error) {
    throw toRequestFailure(error, host, deadline.signal);
  } finally {
    discard();
  }
}

/** From names and values in turn: the headers that Node 22 has gathered itself fail at a header named `__proto__`. */
function joinHeaders(raw: readonly string[]): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function parseJson(text: string, host: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new NetworkError('RequestFailed', `The response of host '${host}' is not JSON.`, {
      data: { host },
      cause: error,
    });
  }
}
