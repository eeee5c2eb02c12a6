import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../spec/gateway-error.ts';
import { tooLarge } from './unpack.ts';

export interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyMs: number;
  /** The most JSON values in a parsed body. */
  readonly jsonValues: number;
}

/**
 * Reads everything a client sends. Beyond the limits, stops reading but keeps the connection open, so that the client
 * still gets a response.
 */
export async function collectIncoming(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  // A small body arrives with the headers, so there is nothing to wait for.
  if (isAllHere(incoming) && incoming.readableLength <= limits.bodyBytes)
    return (incoming.read() as Buffer | null) ?? Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      incoming.pause();
      settle();
    };
    const fail = (error: GatewayError): void => end(() => reject(error));
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.bodyBytes) fail(tooLarge(limits.bodyBytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void =>
      end(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
    const onError = (error: Error): void => fail(cutOff(error));
    const onClose = (): void => fail(cutOff(undefined));
    const timer = setTimeout(() => fail(tooSlow(limits.bodyMs)), limits.bodyMs);
    if (incoming.readableEnded) onEnd();
    else if (incoming.destroyed) onClose();
    else incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** Whether the whole body has arrived and is still unread. */
function isAllHere({ complete, destroyed, readableDidRead }: IncomingMessage): boolean {
  return complete && !destroyed && !readableDidRead;
}

export async function collectStream(stream: ReadableStream<Uint8Array>, limits: BodyLimits): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLate = false;
  const reader = stream.getReader();
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => {});
  }, limits.bodyMs);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > limits.bodyBytes) break;
      chunks.push(part.value);
    }
  } catch (error) {
    throw cutOff(error);
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw tooSlow(limits.bodyMs);
  if (size <= limits.bodyBytes) return Buffer.concat(chunks, size);
  void reader.cancel().catch(() => {});
  throw tooLarge(limits.bodyBytes);
}

function cutOff(cause: unknown): GatewayError {
  return new GatewayError('BodyUnreadable', 'The body ended before it was complete.', { cause });
}

function tooSlow(ms: number): GatewayError {
  return new GatewayError('BodyTimeout', `The body did not arrive within ${ms} ms, the limit of this gateway.`, {
    data: { bodyMs: ms },
  });
}
