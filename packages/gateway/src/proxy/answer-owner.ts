import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { GatewayParts } from '../parts.ts';
import type { UpstreamAnswer } from '../upstream/upstream-answer.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { ProxiedRequest } from './injection.ts';
import type { OnBytes } from './pass-through-body.ts';
import type { PassThroughOptions } from './pass-through.ts';

/**
 * The answer's own id, which stands first in it, and it in the first frame of a stream: nothing that a client has written,
 * and an answer may repeat, comes before.
 */
const ID = /^(?:\s*\{|[^{]*\{[^{]*"response"\s*:\s*\{)\s*"id"\s*:\s*"([A-Za-z0-9][A-Za-z0-9_.-]{0,199})"/;
/** How far into an answer its id is looked for. */
const MAX_START = 16_384;

/**
 * For an answer that is passed on and that its provider may keep: looks for its id as it goes by, so that whoever asked may
 * come back for it. Nothing, for requests whose answers no provider keeps.
 */
export function keepAnswerOf(
  { format, tenant, body }: ProxiedRequest,
  upstream: Upstream,
  { ledger, log }: Pick<GatewayParts, 'ledger' | 'log'>,
): PassThroughOptions['onAnswer'] {
  const request = format.keptAnswer?.repeated(body);
  if (request === undefined) return undefined;
  const keep = (id: string): void => {
    ledger
      .keepAnswer(tenant, id, { upstream: upstream.id, ids: [id], request })
      .catch((error: unknown) => log.error({ err: error }, 'whose an answer is could not be kept'));
  };
  return (message) => (message.statusCode === 200 ? createIdReader(message, keep) : undefined);
}

/** Reads no more than the start of a body. */
function createIdReader(message: UpstreamAnswer, onId: (id: string) => void): OnBytes | undefined {
  const packing = message.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const unpacker = UNPACKERS.get(packing)?.();
  if (unpacker === undefined && packing !== '' && packing !== 'identity') return undefined;
  let start = '';
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    unpacker?.destroy();
  };
  const take = (bytes: Uint8Array): void => {
    start += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, MAX_START);
    const id = ID.exec(start)?.[1];
    if (id === undefined && start.length < MAX_START) return;
    stop();
    if (id !== undefined) onId(id);
  };
  unpacker?.on('data', (bytes: Uint8Array) => {
    if (!isOver) take(bytes);
  });
  unpacker?.on('error', stop);
  message.onceClosed(() => unpacker?.end());
  return (bytes) => {
    if (isOver) return;
    if (unpacker === undefined) take(bytes);
    else unpacker.write(bytes);
  };
}

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);
