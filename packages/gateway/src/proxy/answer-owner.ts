import type { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import type { GatewayParts } from '../parts.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { createIdScan } from './id-scan.ts';
import type { ProxiedRequest } from './injection.ts';
import type { OnBytes } from './pass-through-body.ts';
import type { PassThroughOptions, SeenAnswer } from './pass-through.ts';

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
  const keep = (id: string): Promise<void> =>
    ledger
      .keepAnswer(tenant, id, { upstream: upstream.id, ids: [id], request })
      .catch((error: unknown) => log.error({ err: error }, 'whose an answer is could not be kept'));
  // A client that has the id may come back with it at once.
  const wait = (known: Promise<void>): void => ledger.awaitAnswer(tenant, known);
  return (answer) => (answer.statusCode === 200 ? createIdReader(answer, keep, wait) : undefined);
}

/** Reads no more of a body than it takes to find the id. `wait` is told what to wait for until the id is kept. */
function createIdReader(
  answer: SeenAnswer,
  keep: (id: string) => Promise<void>,
  wait: (known: Promise<void>) => void,
): OnBytes | undefined {
  const packing = answer.header('content-encoding')?.trim().toLowerCase() ?? '';
  const unpacker = UNPACKERS.get(packing)?.();
  if (unpacker === undefined && packing !== '' && packing !== 'identity') return undefined;
  // The frames of a stream have the answer within.
  const scan = createIdScan(answer.isEventStream ? ['response', 'id'] : ['id']);
  let isOver = false;
  let kept: Promise<void> | undefined;
  const closed = new Promise((resolve) => {
    unpacker?.once('close', resolve);
  });
  const stop = (): void => {
    isOver = true;
    unpacker?.destroy();
  };
  const take = (bytes: Uint8Array): void => {
    const id = scan(bytes);
    if (id === undefined) return;
    stop();
    if (!ID.test(id)) return;
    kept = keep(id);
    wait(kept);
  };
  unpacker?.on('data', (bytes: Uint8Array) => {
    if (!isOver) take(bytes);
  });
  unpacker?.on('error', stop);
  answer.onceClosed(() => unpacker?.end());
  return (bytes) => {
    if (isOver) return;
    if (unpacker === undefined) take(bytes);
    else wait(unpacked(unpacker, bytes, closed).then(() => kept));
  };
}

/** When all that the bytes hold was seen, or nothing more will be. */
async function unpacked(unpacker: Transform, bytes: Uint8Array, closed: Promise<unknown>): Promise<void> {
  const written = new Promise<void>((resolve) => {
    unpacker.write(bytes, () => resolve());
  });
  await Promise.race([written, closed]);
  // What was unpacked is handed on a moment after its bytes were taken.
  await setImmediate();
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', zlib.createZstdDecompress],
]);
