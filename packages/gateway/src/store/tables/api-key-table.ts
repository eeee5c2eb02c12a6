import type { Kysely, Selectable } from 'kysely';
import type { ApiKeyColumns, Tables } from '../schema.ts';

/** What a key may do: change things, run skills, use the proxy. */
export const SCOPES = ['manage', 'execute', 'proxy'] as const;
export type Scope = (typeof SCOPES)[number];

/** What the JSON of the scopes of a key with `manage` looks like. */
const MANAGES = '%"manage"%';

/** A key as it is stored, which is without the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The first characters, for people to tell keys apart. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** Null for the default of the configuration. */
  readonly requestsPerMinute: number | null;
  /** Null for the default of the configuration. */
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

export interface ApiKeyTable {
  /** Throws `StoreConflict` when the id or the hash is taken. */
  add(key: NewApiKey): Promise<void>;
  findByHash(hash: string): Promise<ApiKey | undefined>;
  /** The newest first, revoked ones too. */
  list(): Promise<readonly ApiKey[]>;
  /** How many keys are neither revoked nor expired. */
  countUsable(now: number): Promise<number>;
  get(id: string): Promise<ApiKey | undefined>;
  /**
   * False when there is no such key, or it was revoked before. With `keepsManager` also when it is the last with the scope
   * `manage` that does not expire: the same statement looks and writes, so that two of them cannot revoke each other.
   */
  revoke(id: string, now: number, options?: { readonly keepsManager?: boolean }): Promise<boolean>;
  markUsed(id: string, now: number): Promise<void>;
}

export function createApiKeyTable(database: Kysely<Tables>): ApiKeyTable {
  return {
    add: async (key) => {
      await database
        .insertInto('api_keys')
        .values({
          id: key.id,
          name: key.name,
          hash: key.hash,
          prefix: key.prefix,
          scopes: JSON.stringify(key.scopes),
          requests_per_minute: key.requestsPerMinute,
          concurrent_requests: key.concurrentRequests,
          created_at: key.createdAt,
          expires_at: key.expiresAt,
          revoked_at: null,
          last_used_at: null,
        })
        .execute();
    },

    findByHash: async (hash) => {
      const row = await database.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row === undefined ? undefined : toApiKey(row);
    },

    list: async () => {
      const rows = await database
        .selectFrom('api_keys')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(toApiKey);
    },

    countUsable: async (now) => {
      const row = await database
        .selectFrom('api_keys')
        .select((expression) => expression.fn.countAll().as('count'))
        .where('revoked_at', 'is', null)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    get: async (id) => {
      const row = await database.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toApiKey(row);
    },

    revoke: async (id, now, { keepsManager = false } = {}) => {
      const isOpen = database.updateTable('api_keys').set({ revoked_at: now }).where('revoked_at', 'is', null);
      const own = isOpen.where('id', '=', id);
      const managers = database
        .selectFrom('api_keys as other')
        .select('other.id')
        .where('other.revoked_at', 'is', null)
        .where('other.expires_at', 'is', null)
        .where('other.scopes', 'like', MANAGES)
        .where('other.id', '!=', id);
      const guarded = own.where((where) =>
        where.or([where('expires_at', 'is not', null), where('scopes', 'not like', MANAGES), where.exists(managers)]),
      );
      const { numUpdatedRows } = await (keepsManager ? guarded : own).executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    markUsed: async (id, now) => {
      await database.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
    },
  };
}

function toApiKey(row: Selectable<ApiKeyColumns>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes) as Scope[],
    requestsPerMinute: row.requests_per_minute,
    concurrentRequests: row.concurrent_requests,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
