import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { GatewayParts } from '../parts.ts';
import type { UpstreamAnswer } from '../upstream/upstream-answer.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { createIdScan } from './id-scan.ts';
import type { ProxiedRequest } from './injection.ts';
import type { OnBytes } from './pass-through-body.ts';
import type { PassThroughOptions } from './pass-through.ts';

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

/** Reads no more of a body than it takes to find the id. */
function createIdReader(message: UpstreamAnswer, onId: (id: string) => void): OnBytes | undefined {
  const packing = message.header('content-encoding')?.trim().toLowerCase() ?? '';
  const unpacker = UNPACKERS.get(packing)?.();
  if (unpacker === undefined && packing !== '' && packing !== 'identity') return undefined;
  // The frames of a stream have the answer within.
  const scan = createIdScan(message.isEventStream ? ['response', 'id'] : ['id']);
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    unpacker?.destroy();
  };
  const take = (bytes: Uint8Array): void => {
    const id = scan(bytes);
    if (id === undefined) return;
    stop();
    if (ID.test(id)) onId(id);
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

const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', zlib.createZstdDecompress],
]);
