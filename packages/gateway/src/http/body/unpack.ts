import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { GatewayError, systemCode } from '../../spec/gateway-error.ts';

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number; info?: boolean }) => Promise<Buffer>;

export interface Unpacked {
  readonly plain: Buffer;
  /** Whether all bytes were decompressed. Node ignores bytes after the end of compressed data. */
  readonly isExact: boolean;
}

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
};

/** The encoding that a `content-encoding` header names; `undefined` for none. */
export function packingOf(header: string | undefined): string | undefined {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  if (Object.hasOwn(UNPACKERS, name)) return name;
  throw new GatewayError(
    'EncodingNotSupported',
    `The content-encoding '${name.slice(0, 40)}' is not supported. Use gzip, deflate, br, zstd or none.`,
    { data: { supported: ['gzip', 'deflate', 'br', 'zstd'] } },
  );
}

/** Decompresses at most the limit, however much the bytes expand to. */
export async function unpack(bytes: Buffer, packing: string, maxBytes: number): Promise<Buffer> {
  try {
    return (await UNPACKERS[packing]?.(bytes, { maxOutputLength: maxBytes })) ?? bytes;
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new GatewayError('BodyUnreadable', `The body is not compressed with ${packing}, or it is incomplete.`, {
      cause: error,
    });
  }
}

/** Like `unpack`, and also tells whether other bytes follow the compressed ones. */
export async function unpackExactly(bytes: Buffer, packing: string, maxBytes: number): Promise<Unpacked> {
  // With `info`, Node returns an object, which its types do not know.
  const result: unknown = await UNPACKERS[packing]?.(bytes, { maxOutputLength: maxBytes, info: true });
  const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
  return { plain: buffer, isExact: engine.bytesWritten === bytes.length };
}

export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('BodyTooLarge', `The body is larger than ${maxBytes} bytes, the limit of this gateway.`, {
    data: { maxBytes },
  });
}
