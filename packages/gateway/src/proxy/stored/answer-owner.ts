import type { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import type { KeptName } from 'skillwright/wire';
import type { GatewayParts } from '../../parts.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { createIdScan, EACH } from './id-scan.ts';
import type { ProxiedRequest } from '../turn/injection.ts';
import type { OnBytes } from '../pass-through/pass-through-body.ts';
import type { PassThroughOptions, SeenAnswer } from '../pass-through/pass-through.ts';

type Keeping = Pick<GatewayParts, 'ledger' | 'log'>;

/**
 * Watches a passed-through response for its id and the ids inside it, so that the caller may refer to them later.
 * Undefined for formats whose requests cannot refer to anything.
 */
export function keepAnswerOf(
  { format, tenant, body }: ProxiedRequest,
  upstream: Upstream,
  parts: Keeping,
): PassThroughOptions['onAnswer'] {
  if (format.keptAnswer === undefined) return undefined;
  // With `store: false`, the provider does not keep the response, but later requests may still refer to its items.
  const request = format.keptAnswer.repeated(body);
  const keepAnswer = (id: string): Promise<void> | undefined =>
    request === undefined
      ? undefined
      : parts.ledger.keepAnswer(tenant, id, { upstream: upstream.id, ids: [id], request });
  return keepNamesOf(tenant, parts, { keepAnswer });
}

/** Watches a stored response that is fetched again, because its provider may have added to it. */
export function keepNamesOf(
  tenant: string,
  { ledger, log }: Keeping,
  { keepAnswer = () => undefined, paths }: KeepOptions = {},
): PassThroughOptions['onAnswer'] {
  const keep = async ({ answer, names }: FoundNames): Promise<void> => {
    try {
      if (answer !== undefined) await keepAnswer(answer);
      await ledger.keepNames(tenant, names);
    } catch (error) {
      log.error({ err: error }, 'the owner of a stored response could not be saved');
    }
  };
  // A client may use an id as soon as it has received it.
  const wait = (known: Promise<void>): void => ledger.await(tenant, known);
  return (answer) => {
    if (answer.statusCode !== 200) return undefined;
    return createNameReader(answer, paths ?? (answer.isEventStream ? FRAMES : WHOLE), { keep, wait });
  };
}

/** Watches the creation of a conversation, so that the caller may refer to it later. */
export function keepConversationOf(tenant: string, parts: Keeping): PassThroughOptions['onAnswer'] {
  return keepNamesOf(tenant, parts, { paths: [{ kind: 'conversation', path: ['id'] }] });
}

interface KeepOptions {
  readonly keepAnswer?: (id: string) => Promise<void> | undefined;
  /** Where to look for names. Default: the places of names in a response. */
  readonly paths?: readonly NamePath[];
}

/** Names that appear for the first time in some bytes of a response. */
interface FoundNames {
  readonly answer: string | undefined;
  readonly names: readonly KeptName[];
}

/** The places of names in an item. Elsewhere, text of a client or of the model could look like a name. */
const CONTAINERS: readonly (readonly string[])[] = [
  ['container_id'],
  ['environment', 'container_id'],
  ['content', EACH, 'annotations', EACH, 'container_id'],
];
/** The places of names in a whole response and in the frames of a stream. */
const WHOLE: readonly NamePath[] = [
  { kind: 'response', path: ['id'] },
  { kind: 'item', path: ['output', EACH, 'id'] },
  ...CONTAINERS.map((path): NamePath => ({ kind: 'container', path: ['output', EACH, ...path] })),
];
const FRAMES: readonly NamePath[] = [
  ...WHOLE.map(({ kind, path }) => ({ kind, path: ['response', ...path] })),
  { kind: 'item', path: ['item', 'id'] },
  ...CONTAINERS.map((path): NamePath => ({ kind: 'container', path: ['item', ...path] })),
];

interface NamePath {
  readonly kind: KeptName['kind'];
  readonly path: readonly string[];
}

/** Calls `wait` with a promise that settles once the names in the bytes are stored. */
function createNameReader(
  answer: SeenAnswer,
  paths: readonly NamePath[],
  {
    keep,
    wait,
  }: {
    readonly keep: (found: FoundNames) => Promise<void>;
    readonly wait: (known: Promise<void>) => void;
  },
): OnBytes | undefined {
  const packing = answer.header('content-encoding')?.trim().toLowerCase() ?? '';
  const unpacker = UNPACKERS.get(packing)?.();
  if (unpacker === undefined && packing !== '' && packing !== 'identity') return undefined;
  const findNames = createNameScan(paths);
  let kept = Promise.resolve();
  const take = (bytes: Uint8Array): void => {
    const found = findNames(bytes);
    if (found === undefined) return;
    kept = kept.then(() => keep(found));
    wait(kept);
  };
  if (unpacker === undefined) return take;
  const closed = new Promise((resolve) => {
    unpacker.once('close', resolve);
  });
  unpacker.on('data', take);
  unpacker.on('error', () => unpacker.destroy());
  answer.onceClosed(() => unpacker.end());
  return (bytes) => {
    if (!unpacker.destroyed) wait(unpacked(unpacker, bytes, closed).then(() => kept));
  };
}

/** Finds each name once. */
function createNameScan(paths: readonly NamePath[]): (bytes: Uint8Array) => FoundNames | undefined {
  const known = new Set<string>();
  let answer: string | undefined;
  let names: KeptName[] = [];
  const scan = createIdScan(
    paths.map(({ path }) => path),
    (id, place) => {
      const kind = paths[place]?.kind ?? 'item';
      const name = `${kind} ${id}`;
      // A response has one id, which comes first. A later value in its place is not an id.
      const isOther = kind === 'response' && known.has('response');
      if (known.has(name) || isOther || !(kind === 'response' ? ID : ITEM_ID).test(id)) return;
      known.add(name).add(kind);
      if (kind === 'response') answer = id;
      else names.push({ kind, id });
    },
  );
  return (bytes) => {
    answer = undefined;
    names = [];
    scan(bytes);
    return answer === undefined && names.length === 0 ? undefined : { answer, names };
  };
}

/** Resolves once everything in the bytes has been decompressed, or no more will be. */
async function unpacked(unpacker: Transform, bytes: Uint8Array, closed: Promise<unknown>): Promise<void> {
  const written = new Promise<void>((resolve) => {
    unpacker.write(bytes, () => resolve());
  });
  await Promise.race([written, closed]);
  // The decompressor emits its output a moment after it took the bytes.
  await setImmediate();
}

/** Matches the id of a response, which is also used in paths. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;
/** Some providers' item ids are long base64 texts. An id with an escape could be written in several ways. */
const ITEM_ID = /^[\x21-\x5b\x5d-\x7e]+$/;

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', zlib.createZstdDecompress],
]);
