import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { NetworkError } from '../../spec/errors/error.ts';

export interface BodyLimits {
  readonly host: string;
  /** Bytes, as received and as unpacked. */
  readonly maxBytes: number;
  /** End quietly at the limit instead of failing. */
  readonly truncate: boolean;
}

/** A body that can be read once, unpacked, up to its limit. */
export interface LimitedBody {
  /** Throws the second time. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array>;
  readonly truncated: boolean;
}

export function createLimitedBody(message: IncomingMessage, hasBody: boolean, limits: BodyLimits): LimitedBody {
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
        throw new NetworkError('RequestFailed', `The response of '${limits.host}' was read already; it is not kept.`, {
          data: { host: limits.host },
        });
      isUsed = true;
      return read();
    },
  };
}

/** Refuses a body that says beforehand that it is too long. */
export function assertDeclaredLength(message: IncomingMessage, limits: BodyLimits): void {
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
      // Packed data may go on for ever without unpacking to anything.
      if (size > limits.maxBytes) throw tooLarge(limits);
      yield chunk;
    }
  }
  // A failure of any part is what reading the decoder fails with.
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
    `Host '${host}' answered in the encoding ${JSON.stringify(encoding.slice(0, 40))}, which was not asked for. Only gzip and br are unpacked.`,
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
