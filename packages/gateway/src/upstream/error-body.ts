import { pipeline, type Readable, Transform } from 'node:stream';
import { packingOf, unpackExactly, type Unpacked } from '../http/body/unpack.ts';
import { createKeyRedaction } from './key-redaction.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

/** The largest uncompressed body, in bytes, that is read whole. Larger ones are redacted as they arrive. */
const MAX_BYTES = 65_536;
/** The largest compressed body, in bytes, before and after decompression. */
const MAX_UNPACKED_BYTES = 1_048_576;
const SIZE_AND_PACKING = /^content-(?:length|encoding)$/i;

/** The body of an error response, read whole. */
export interface WholeErrorBody {
  /** The response's headers, changed where the redacted body requires it. */
  readonly headers: string[];
  readonly bytes: Buffer;
  /** Whether the upstream's body broke off after these bytes. */
  readonly breaksOff: boolean;
}

/** The body of an error response, redacted as it arrives. */
export interface StreamedErrorBody {
  /** The headers of the response, without the body's length. */
  readonly headers: string[];
  readonly stream: Readable;
}

export type ErrorBody = WholeErrorBody | StreamedErrorBody;

/**
 * Removes the operator's key from an error, because some providers repeat the key that they refuse. `headers` are raw
 * headers of the response. `undefined` if the body cannot be decompressed, so that it cannot be searched.
 */
export async function readErrorBody(
  answer: UpstreamAnswer,
  headers: string[],
  key: string,
): Promise<ErrorBody | undefined> {
  const packing = errorPacking(answer);
  if (packing === undefined && answer.isEventStream) return streamed(answer, headers, key);
  const read = await readSmall(answer, packing === undefined ? MAX_BYTES : MAX_UNPACKED_BYTES);
  if (read === undefined) return packing === undefined ? streamed(answer, headers, key) : undefined;
  const { bytes, breaksOff } = read;
  const unpacked = await unpackError(bytes, packing);
  if (unpacked === undefined) return undefined;
  const { plain, isExact } = unpacked;
  const redaction = createKeyRedaction(key);
  const redacted = redaction.redact(plain);
  // If the body breaks off within the key, the key's start is not sent.
  const own = breaksOff ? redacted : Buffer.concat([redacted, redaction.rest()]);
  // The headers of compressed bytes can contain text, too.
  if (isExact && own.equals(plain) && !bytes.includes(key)) return { bytes, headers, breaksOff };
  const others = withoutSize(headers);
  if (!breaksOff) others.push('content-length', String(own.byteLength));
  return { bytes: own, headers: others, breaksOff };
}

function withoutSize(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !SIZE_AND_PACKING.test(headers[index - (index % 2)] ?? ''));
}

function streamed({ message }: UpstreamAnswer, headers: readonly string[], key: string): StreamedErrorBody {
  const redaction = createKeyRedaction(key);
  const stream = new Transform({
    transform: (piece: Buffer, _encoding, done) => done(null, redaction.redact(piece)),
    flush: (done) => done(null, redaction.rest()),
  });
  // The reader of the stream gets its error.
  pipeline(message, stream, () => {});
  return { headers: withoutSize(headers), stream };
}

/** Reads a small body. `undefined` if the body is larger: it is then unread and paused. */
function readSmall(
  { message }: UpstreamAnswer,
  maxBytes: number,
): Promise<Pick<WholeErrorBody, 'bytes' | 'breaksOff'> | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (breaksOff: boolean): void => {
      stop();
      resolve({ bytes: Buffer.concat(chunks), breaksOff });
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      stop();
      message.pause();
      message.unshift(Buffer.concat(chunks));
      resolve(undefined);
    };
    const onEnd = (): void => settle(false);
    const onBreak = (): void => settle(true);
    const stop = (): void =>
      void message.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak);
    if (message.destroyed) onBreak();
    else message.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

/** The encoding of the body; `null` for one that cannot be decompressed. */
function errorPacking(answer: UpstreamAnswer): string | null | undefined {
  try {
    return packingOf(answer.header('content-encoding'));
  } catch {
    return null;
  }
}

async function unpackError(bytes: Buffer, packing: string | null | undefined): Promise<Unpacked | undefined> {
  // Responses to HEAD have an encoding, but no body.
  if (packing === undefined || bytes.length === 0) return { plain: bytes, isExact: true };
  if (packing === null) return undefined;
  try {
    return await unpackExactly(bytes, packing, MAX_UNPACKED_BYTES);
  } catch {
    return undefined;
  }
}
