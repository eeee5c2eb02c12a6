import type { Kysely } from 'kysely';
import { countRows } from '../page.ts';
import type { AsJson, Tables } from '../schema.ts';

/** The scopes of keys: change things, run skills, use the proxy. */
export const SCOPES = ['manage', 'execute', 'proxy'] as const;
/** One scope of a key. */
export type Scope = (typeof SCOPES)[number];

/** Matches the JSON scopes of a key with `manage`. */
const MANAGES = '%"manage"%';

/** A key as it is stored: without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The first characters, so that people can tell keys apart. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** The limit of requests per minute; null for the configured default. */
  readonly requestsPerMinute: number | null;
  /** The limit of concurrent requests; null for the configured default. */
  readonly concurrentRequests: number | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export type NewApiKey = Omit<ApiKey, 'revokedAt' | 'lastUsedAt'> & {
  /** SHA-256 of the key in hex. */
  readonly hash: string;
};

export type ApiKeyColumns = AsJson<ApiKey, 'scopes'> & Pick<NewApiKey, 'hash'>;

export interface ApiKeyTable {
  /** Adds a key. Throws `StoreConflict` if the id or the hash is taken. */
  add(key: NewApiKey): Promise<void>;
  findByHash(hash: string): Promise<ApiKey | undefined>;
  /** Lists all keys, newest first, including revoked keys. */
  list(): Promise<readonly ApiKey[]>;
  /** How many keys are neither revoked nor expired. */
  countUsable(now: number): Promise<number>;
  get(id: string): Promise<ApiKey | undefined>;
  /**
   * Returns false for an unknown or already revoked key. With `keepsManager`, also for the last key with the scope
   * `manage` that does not expire. One statement checks and writes, so that two managers cannot revoke each other.
   */
  revoke(id: string, now: number, options?: { readonly keepsManager?: boolean }): Promise<boolean>;
  markUsed(id: string, now: number): Promise<void>;
}

export function createApiKeyTable(database: Kysely<Tables>): ApiKeyTable {
  const keys = database.selectFrom('apiKeys').selectAll();
  return {
    add: async ({ scopes, ...key }) => {
      await database
        .insertInto('apiKeys')
        .values({ ...key, scopes: JSON.stringify(scopes) })
        .execute();
    },

    findByHash: async (hash) => {
      const row = await keys.where('hash', '=', hash).executeTakeFirst();
      return row === undefined ? undefined : toApiKey(row);
    },

    list: async () => {
      const rows = await keys.orderBy('createdAt', 'desc').orderBy('id').execute();
      return rows.map(toApiKey);
    },

    countUsable: (now) =>
      countRows(
        keys
          .where('revokedAt', 'is', null)
          .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)])),
      ),

    get: async (id) => {
      const row = await keys.where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toApiKey(row);
    },

    revoke: async (id, now, { keepsManager = false } = {}) => {
      const isOpen = database.updateTable('apiKeys').set({ revokedAt: now }).where('revokedAt', 'is', null);
      const own = isOpen.where('id', '=', id);
      const managers = database
        .selectFrom('apiKeys as other')
        .select('other.id')
        .where('other.revokedAt', 'is', null)
        .where('other.expiresAt', 'is', null)
        .where('other.scopes', 'like', MANAGES)
        .where('other.id', '!=', id);
      const guarded = own.where((where) =>
        where.or([where('expiresAt', 'is not', null), where('scopes', 'not like', MANAGES), where.exists(managers)]),
      );
      const { numUpdatedRows } = await (keepsManager ? guarded : own).executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    markUsed: async (id, now) => {
      await database.updateTable('apiKeys').set({ lastUsedAt: now }).where('id', '=', id).execute();
    },
  };
}

/** Drops the hash, which no caller may see. */
function toApiKey({ hash: _hash, scopes, ...row }: ApiKeyColumns): ApiKey {
  return { ...row, scopes: JSON.parse(scopes) as Scope[] };
}
