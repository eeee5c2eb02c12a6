import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { NetworkError } from '../../spec/errors/error.ts';
import type { Deadline } from './deadline.ts';
import type { Hop } from './redirect.ts';
import { toRequestFailure } from './request-failure.ts';

interface BodyLimits {
  readonly host: string;
  /** Bytes, both as received and as decompressed. */
  readonly maxBytes: number;
  /** Cut the body at the limit instead of failing. */
  readonly truncate: boolean;
}

/** A decompressed body that can be read once, up to its limit. */
interface LimitedBody {
  /** Throws when it is called a second time. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array>;
  readonly truncated: boolean;
}

/** A response. Its body can be read once. */
export interface HttpResponse {
  readonly status: number;
  /** The headers by name, in lower case. Values of a repeated header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The final URL, after redirects. */
  readonly url: string;
  /** The decompressed body in chunks. It can be read once, this way or by one of the methods below. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the body was cut. Known once it is read, and only with the option `truncate`. */
  readonly truncated: boolean;
  bytes(): Promise<Uint8Array>;
  /** The body decoded as UTF-8. Malformed bytes become replacement characters. */
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Ends the response without reading it. */
  discard(): void;
}

export interface BodySettings {
  readonly maxBytes: number;
  readonly truncate: boolean;
}

/**
 * Takes over the deadline, and disposes of it when the body ends, fails or is discarded. Its `silence` limits pauses of
 * the body.
 */
export function createHttpResponse(
  message: IncomingMessage,
  hop: Hop,
  limit: BodySettings,
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
  const limited = createLimitedBody(message, hasBody, limits);
  if (hasBody) {
    deadline.waitFor();
  } else {
    // The body has ended, and the connection can be reused.
    message.resume();
    deadline.dispose();
  }
  const body = {
    [Symbol.asyncIterator]: () => readBody(limited[Symbol.asyncIterator](), { host, deadline, discard }),
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
  readonly discard: () => void;
}

async function* readBody(
  chunks: AsyncIterableIterator<Uint8Array>,
  { host, deadline, discard }: BodyReading,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    deadline.waitFor();
    for await (const chunk of chunks) {
      deadline.arrived();
      yield chunk;
      deadline.waitFor();
    }
  } catch (error) {
    throw toRequestFailure(error, host, deadline.signal);
  } finally {
    discard();
  }
}

/**
 * Joins headers from alternating names and values. Node 22's own header object fails if a header is named `__proto__`.
 */
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

function createLimitedBody(message: IncomingMessage, hasBody: boolean, limits: BodyLimits): LimitedBody {
  let truncated = false;
  let isUsed = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    let size = 0;
    try {
      for await (const chunk of unpacked(message, hasBody, limits) as AsyncIterable<Buffer>) {
        size += chunk.length;
        const excess = size - limits.maxBytes;
        if (excess <= 0) {
          yield chunk;
          continue;
        }
        if (limits.truncate && excess < chunk.length) yield chunk.subarray(0, chunk.length - excess);
        throw tooLarge(limits);
      }
    } catch (error) {
      const isOverLimit = NetworkError.isInstance(error) && error.code === 'ResponseTooLarge';
      if (!limits.truncate || !isOverLimit) throw error;
      truncated = true;
    }
  }
  return {
    get truncated() {
      return truncated;
    },
    [Symbol.asyncIterator]() {
      if (isUsed)
        throw new NetworkError(
          'RequestFailed',
          `The response of '${limits.host}' was already read. Read it only once.`,
          {
            data: { host: limits.host },
          },
        );
      isUsed = true;
      return read();
    },
  };
}

/** Refuses a body whose declared length is too long. */
function assertDeclaredLength(message: IncomingMessage, limits: BodyLimits): void {
  if (!limits.truncate && Number(message.headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge(limits);
}

function unpacked(message: IncomingMessage, hasBody: boolean, limits: BodyLimits): AsyncIterable<unknown> {
  if (!hasBody) return Readable.from([]);
  const decoder = decoderOf(message, limits.host);
  if (decoder === undefined) return message;
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      // Compressed data may go on forever without producing any output.
      if (size > limits.maxBytes) throw tooLarge(limits);
      yield chunk;
    }
  }
  // If any part fails, reading the decoder fails with the same error.
  pipeline(message, counted, decoder, () => {});
  return decoder;
}

function decoderOf(message: IncomingMessage, host: string): Transform | undefined {
  const encoding = (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  throw new NetworkError(
    'RequestFailed',
    `Host '${host}' sent the content-encoding ${JSON.stringify(encoding.slice(0, 40))}, which is not supported. Only gzip and br are supported.`,
    { data: { host } },
  );
}

function tooLarge({ host, maxBytes }: BodyLimits): NetworkError {
  return new NetworkError(
    'ResponseTooLarge',
    `The response of host '${host}' is larger than ${maxBytes} bytes. If that is expected, raise 'maxBytes'.`,
    { data: { host, maxBytes } },
  );
}
