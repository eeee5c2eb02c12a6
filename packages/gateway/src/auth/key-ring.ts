import { randomUUID } from 'node:crypto';
import type { Clock } from '../spec/clock.ts';
import type { ApiKey, ApiKeyTable, Scope } from '../store/tables/api-key-table.ts';
import { generateKey, hashKey, isKeyText, shownPrefix } from './key-text.ts';

/** How long a key is cached. A change made in this process takes effect at once. */
const KNOWN_MS = 5000;
const MAX_KNOWN = 1000;
/** The longest time for which a timer is set. */
const MAX_TIMER_MS = 86_400_000;
/** The least time between two writes of a key's last use. */
const USE_WRITTEN_MS = 60_000;

/** The scopes, limits and expiry of a new key. */
export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The key's limit of requests per minute. Default: the configured limit. */
  readonly requestsPerMinute?: number;
  /** The key's limit of concurrent requests. Default: the configured limit. */
  readonly concurrentRequests?: number;
  /** When the key expires, in milliseconds since 1970. Default: never. */
  readonly expiresAt?: number;
}

/** A new key with its secret, which is shown only once. */
export interface CreatedKey {
  readonly key: ApiKey;
  /** The secret itself. It cannot be read again later, because only its hash is stored. */
  readonly secret: string;
}

/** The keys of the gateway. */
export interface KeyRing {
  /** Finds the usable key for this text; `undefined` if it is unknown, expired or revoked. */
  find(text: string): Promise<ApiKey | undefined>;
  create(request: KeyRequest): Promise<CreatedKey>;
  /** Adds a key that was generated elsewhere. Does nothing if the key already exists. */
  adopt(secret: string, request: KeyRequest): Promise<void>;
  /**
   * Revokes a key at once. Returns false if the key is unknown or already revoked. With `keepsManager`, also returns
   * false if no key with the scope `manage` would be left.
   */
  revoke(id: string, options?: { readonly keepsManager?: boolean }): Promise<boolean>;
  /** Finds a key, revoked or not. */
  get(id: string): Promise<ApiKey | undefined>;
  /** Whether the key exists and is neither revoked nor expired. */
  isUsable(key: ApiKey | undefined): boolean;
  /** Calls back once, when the key is revoked or expires. Returns a function that unsubscribes. */
  onEnd(key: Pick<ApiKey, 'id' | 'expiresAt'>, callback: () => void): () => void;
  list(): Promise<readonly ApiKey[]>;
  /** Whether any usable key exists. */
  hasAny(): Promise<boolean>;
}

interface KnownKey {
  readonly key: ApiKey;
  readonly until: number;
  usedAt: number;
}

export interface KeyRingOptions {
  readonly now: Clock;
  /** Called if the time of a key's last use cannot be written. The request continues. */
  readonly onError: (error: unknown) => void;
}

export function createKeyRing(table: ApiKeyTable, { now, onError }: KeyRingOptions): KeyRing {
  const known = new Map<string, KnownKey>();
  // Counts revocations: a lookup that began before a revocation is not cached after it.
  let revocations = 0;
  const waiting = new Map<string, Set<() => void>>();
  // Keys that this process revoked. A caller that looked a key up just before its revocation must be notified, too.
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
