import { packingOf, unpack } from '../http/body/unpack.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

/** The largest body, in bytes, that may be an error message. */
const MAX_BYTES = 65_536;
const MAX_UNPACKED_BYTES = 1_048_576;
/** Shorter keys are placeholders for servers that need none, and also occur in ordinary text. */
const MIN_KEY = 16;
const REDACTED = '[redacted]';
const SIZE_AND_PACKING = /^content-(?:length|encoding)$/i;

/** The body of an error response, read whole. */
export interface ErrorBody {
  readonly bytes: Buffer;
  /** The response's headers, changed where the redacted body requires it. */
  readonly headers: string[];
  /** Whether the upstream's body broke off after these bytes. */
  readonly breaksOff: boolean;
}

/** Whether a key is long enough to be searched for. */
export function isSecret(key: string): boolean {
  return key.length >= MIN_KEY;
}

/**
 * Removes the operator's key from an error, because some providers repeat the key that they refuse. `headers` are raw
 * headers of the response. `undefined` if the body is too large or a stream: it is still unread then.
 */
export async function readErrorBody(
  answer: UpstreamAnswer,
  headers: readonly string[],
  key: string,
): Promise<ErrorBody | undefined> {
  if (answer.isEventStream) return undefined;
  const read = await readSmall(answer);
  if (read === undefined) return undefined;
  const { bytes, breaksOff } = read;
  const plain = await unpacked(bytes, answer.header('content-encoding'));
  const own = headers.map((text) => text.replaceAll(key, REDACTED));
  if (breaksOff || !plain.includes(key)) return { bytes, headers: own, breaksOff };
  // Decode as Latin-1, because Latin-1 preserves every byte.
  const redacted = Buffer.from(plain.toString('latin1').replaceAll(key, REDACTED), 'latin1');
  const others = own.filter((_, index) => !SIZE_AND_PACKING.test(own[index - (index % 2)] ?? ''));
  return { bytes: redacted, headers: [...others, 'content-length', String(redacted.byteLength)], breaksOff };
}

/** Reads a small body. `undefined` if the body is larger: it is then unread and paused. */
function readSmall({ message }: UpstreamAnswer): Promise<Pick<ErrorBody, 'bytes' | 'breaksOff'> | undefined> {
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
      if (size <= MAX_BYTES) return;
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

/** Decompresses bytes, or returns them unchanged if that fails. */
async function unpacked(bytes: Buffer, header: string | undefined): Promise<Buffer> {
  try {
    const packing = packingOf(header);
    return packing === undefined ? bytes : await unpack(bytes, packing, MAX_UNPACKED_BYTES);
  } catch {
    return bytes;
  }
}
