import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

/** SQLite limits the number of values in one query. */
const MAX_HASHES = 500;

/** A turn with hidden content, under the hash of the conversation that the client sees up to it. */
export interface LedgerEntry {
  readonly tenant: string;
  readonly hash: string;
  /** The stored JSON. */
  readonly payload: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface LedgerTable {
  /** Adds entries. An existing entry is kept, and gets the later of the two expiry times. */
  write(...entries: readonly LedgerEntry[]): Promise<void>;
  /** Replaces an existing entry. */
  replace(entry: LedgerEntry): Promise<void>;
  /** The tenant's entries for these hashes that have not expired, by hash. */
  find(tenant: string, hashes: readonly string[], now: number): Promise<ReadonlyMap<string, LedgerEntry>>;
  /** Extends the life of entries; never shortens it. */
  renew(tenant: string, hashes: readonly string[], expiresAt: number): Promise<void>;
  /** Removes at most `limit` expired entries. Returns how many. */
  removeExpired(now: number, limit: number): Promise<number>;
}

export function createLedgerTable(database: Kysely<Tables>): LedgerTable {
  return {
    write: async (...entries) => {
      for (const part of partsOf(entries))
        await database
          .insertInto('ledger')
          .values(part)
          .onConflict((conflict) =>
            conflict
              .columns(['tenant', 'hash'])
              .doUpdateSet((set) => ({ expiresAt: set.ref('excluded.expiresAt') }))
              .whereRef('ledger.expiresAt', '<', 'excluded.expiresAt'),
          )
          .execute();
    },

    replace: async (entry) => {
      const { payload, createdAt, expiresAt } = entry;
      await database
        .insertInto('ledger')
        .values(entry)
        .onConflict((conflict) => conflict.columns(['tenant', 'hash']).doUpdateSet({ payload, createdAt, expiresAt }))
        .execute();
    },

    find: async (tenant, hashes, now) => {
      const found = new Map<string, LedgerEntry>();
      for (const part of partsOf(hashes)) {
        const rows = await database
          .selectFrom('ledger')
          .selectAll()
          .where('tenant', '=', tenant)
          .where('hash', 'in', part)
          .where('expiresAt', '>', now)
          .execute();
        for (const entry of rows) found.set(entry.hash, entry);
      }
      return found;
    },

    renew: async (tenant, hashes, expiresAt) => {
      for (const part of partsOf(hashes))
        await database
          .updateTable('ledger')
          .set({ expiresAt })
          .where('tenant', '=', tenant)
          .where('hash', 'in', part)
          .where('expiresAt', '<', expiresAt)
          .execute();
    },

    removeExpired: async (now, limit) => {
      const expired = database
        .selectFrom('ledger')
        .select(['tenant', 'hash'])
        .where('expiresAt', '<=', now)
        .orderBy('expiresAt')
        .limit(limit);
      const { numDeletedRows } = await database
        .deleteFrom('ledger')
        .where((where) => where(where.refTuple('tenant', 'hash'), 'in', expired.$asTuple('tenant', 'hash')))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function* partsOf<Part>(all: readonly Part[]): Generator<readonly Part[]> {
  for (let start = 0; start < all.length; start += MAX_HASHES) yield all.slice(start, start + MAX_HASHES);
}
