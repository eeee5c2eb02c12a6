import { randomUUID } from 'node:crypto';
import type { Clock } from '../spec/clock.ts';
import type { ApiKey, ApiKeyTable, Scope } from '../store/api-key-table.ts';
import { generateKey, hashKey, isKeyText, shownPrefix } from './key-text.ts';

/** How long a key is known without looking it up; a change made here counts at once. */
const KNOWN_MS = 5000;
const MAX_KNOWN = 1000;
/** How often the time of the last use is written. */
const USE_WRITTEN_MS = 60_000;

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
  /** Counts at once. False when there is no such key, or it was revoked before. */
  revoke(id: string): Promise<boolean>;
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
    revoke: async (id) => {
      const isRevoked = await table.revoke(id, now());
      revocations += 1;
      known.clear();
      return isRevoked;
    },
    list: () => table.list(),
    hasAny: async () => (await table.countUsable(now())) > 0,
  };
}
