import { randomUUID } from 'node:crypto';
import type { Clock } from '../spec/clock.ts';
import type { ApiKey, ApiKeyTable, Scope } from '../store/tables/api-key-table.ts';
import { generateKey, hashKey, isKeyText, shownPrefix } from './key-text.ts';

/** How long a key is known without looking it up; a change made here counts at once. */
const KNOWN_MS = 5000;
const MAX_KNOWN = 1000;
/** Later than this, nothing is under way any more. */
const MAX_TIMER_MS = 86_400_000;
/** How often the time of the last use is written. */
const USE_WRITTEN_MS = 60_000;

/** What a new key may do and how much. */
export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default: that of the configuration. */
  readonly requestsPerMinute?: number;
  /** Default: that of the configuration. */
  readonly concurrentRequests?: number;
  /** Milliseconds since 1970. Default: never. */
  readonly expiresAt?: number;
}

/** A new key with its secret, which is shown only once. */
export interface CreatedKey {
  readonly key: ApiKey;
  /** The key itself. This is the only time it is there. */
  readonly secret: string;
}

/** The keys of the gateway. */
export interface KeyRing {
  /** The usable key that this text is; `undefined` for one that is unknown, expired or revoked. */
  find(text: string): Promise<ApiKey | undefined>;
  create(request: KeyRequest): Promise<CreatedKey>;
  /** Takes in a key that somebody else generated; nothing happens when it is there already. */
  adopt(secret: string, request: KeyRequest): Promise<void>;
  /** Counts at once. False when there is no such key, it was revoked before, or, with `keepsManager`, nobody could manage any more. */
  revoke(id: string, options?: { readonly keepsManager?: boolean }): Promise<boolean>;
  /** Of a key that exists, revoked or not. */
  get(id: string): Promise<ApiKey | undefined>;
  /** Whether it exists and is neither revoked nor expired. */
  isUsable(key: ApiKey | undefined): boolean;
  /** Calls back once, when the key is revoked or expires. Returns what ends that. */
  onEnd(key: Pick<ApiKey, 'id' | 'expiresAt'>, callback: () => void): () => void;
  list(): Promise<readonly ApiKey[]>;
  /** Whether there is a usable key. */
  hasAny(): Promise<boolean>;
}

interface KnownKey {
  readonly key: ApiKey;
  readonly until: number;
  usedAt: number;
}

export interface KeyRingOptions {
  readonly now: Clock;
  /** Told when the time of a use cannot be written; the use goes on. */
  readonly onError: (error: unknown) => void;
}

export function createKeyRing(table: ApiKeyTable, { now, onError }: KeyRingOptions): KeyRing {
  const known = new Map<string, KnownKey>();
  // Counts revocations: what was looked up before one is not remembered after it.
  let revocations = 0;
  const waiting = new Map<string, Set<() => void>>();
  // Whoever looked a key up just before it was revoked still hears of it.
  const revoked = new Set<string>();

  const lookUp = async (hash: string): Promise<ApiKey | undefined> => {
    const cached = known.get(hash);
    if (cached !== undefined && cached.until > now()) return noteUse(cached);
    known.delete(hash);
    const asOf = revocations;
    const key = await table.findByHash(hash);
    if (key === undefined || key.revokedAt !== null) return undefined;
    const entry = { key, until: now() + KNOWN_MS, usedAt: key.lastUsedAt ?? 0 };
    if (known.size >= MAX_KNOWN) known.clear();
    if (asOf === revocations) known.set(hash, entry);
    return noteUse(entry);
  };

  const noteUse = (entry: KnownKey): ApiKey => {
    if (now() - entry.usedAt >= USE_WRITTEN_MS) {
      entry.usedAt = now();
      table.markUsed(entry.key.id, entry.usedAt).catch(onError);
    }
    return entry.key;
  };

  const add = async (secret: string, request: KeyRequest): Promise<CreatedKey> => {
    const key: ApiKey = {
      id: randomUUID(),
      name: request.name,
      prefix: shownPrefix(secret),
      scopes: request.scopes,
      requestsPerMinute: request.requestsPerMinute ?? null,
      concurrentRequests: request.concurrentRequests ?? null,
      createdAt: now(),
      expiresAt: request.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
    };
    await table.add({ ...key, hash: hashKey(secret) });
    return { key, secret };
  };

  return {
    find: async (text) => {
      if (!isKeyText(text)) return undefined;
      const key = await lookUp(hashKey(text));
      return key === undefined || (key.expiresAt !== null && key.expiresAt <= now()) ? undefined : key;
    },
    create: (request) => add(generateKey(), request),
    adopt: async (secret, request) => {
      if ((await table.findByHash(hashKey(secret))) === undefined) await add(secret, request);
    },
    revoke: async (id, options = {}) => {
      const isRevoked = await table.revoke(id, now(), options);
      revocations += 1;
      known.clear();
      if (isRevoked) revoked.add(id);
      if (isRevoked) for (const callback of waiting.get(id) ?? []) callback();
      return isRevoked;
    },
    get: (id) => table.get(id),
    isUsable: (key) => key !== undefined && key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now()),
    onEnd({ id, expiresAt }, callback) {
      const callbacks = waiting.get(id) ?? new Set();
      waiting.set(id, callbacks);
      const leave = (): void => {
        clearTimeout(timer);
        callbacks.delete(end);
        if (callbacks.size === 0 && waiting.get(id) === callbacks) waiting.delete(id);
      };
      const end = (): void => {
        leave();
        callback();
      };
      callbacks.add(end);
      const endsAt = revoked.has(id) ? 0 : expiresAt;
      const leftMs = endsAt === null ? Infinity : endsAt - now();
      const timer = leftMs > MAX_TIMER_MS ? undefined : setTimeout(end, Math.max(0, leftMs)).unref();
      return leave;
    },
    list: () => table.list(),
    hasAny: async () => (await table.countUsable(now())) > 0,
  };
}
