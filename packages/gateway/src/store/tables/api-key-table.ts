import type { Kysely } from 'kysely';
import { countRows } from '../page.ts';
import type { AsJson, Tables } from '../schema.ts';

/** What a key may do: change things, run skills, use the proxy. */
export const SCOPES = ['manage', 'execute', 'proxy'] as const;
/** What a key may be used for. */
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

export type ApiKeyColumns = AsJson<ApiKey, 'scopes'> & Pick<NewApiKey, 'hash'>;

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

/** Nobody who asks for a key is told its hash. */
function toApiKey({ hash: _hash, scopes, ...row }: ApiKeyColumns): ApiKey {
  return { ...row, scopes: JSON.parse(scopes) as Scope[] };
}
