import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { countRows, LAST, readPage, type Page, type PageRequest } from '../page.ts';
import type { Tables } from '../schema.ts';

export type StoredApprovalStatus = 'pending' | 'allowed' | 'denied';
export type StoredApprovalScope = 'once' | 'conversation' | 'always';

/** An approval request and its answer. */
export interface StoredApproval {
  readonly id: string;
  readonly skillName: string;
  readonly version: string | null;
  /** The hash of the skill's content, so that a changed skill needs a new decision. Null for handlers. */
  readonly digest: string | null;
  /** The name of the tool, script or handler. */
  readonly target: string;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  /** The input, for the person to see; shortened if it is very long. */
  readonly input: unknown;
  /** The hash of the whole input. Equal hashes mean the same call. */
  readonly inputHash: string;
  readonly status: StoredApprovalStatus;
  readonly scope: StoredApprovalScope | null;
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  /**
   * When a pending request expires or, after a decision, when the answer expires. Null for an answer that holds until
   * it is withdrawn.
   */
  readonly expiresAt: number | null;
  /**
   * When a call used up an answer that was for one call; null for an unused answer, and for an answer that lasts
   * longer.
   */
  readonly usedAt: number | null;
}

export type NewApproval = Omit<StoredApproval, 'status' | 'scope' | 'decidedBy' | 'decidedAt' | 'usedAt'>;

export interface StoredDecision {
  readonly status: 'allowed' | 'denied';
  readonly scope: StoredApprovalScope;
  readonly by: string | null;
  readonly at: number;
  readonly expiresAt: number | null;
}

export interface ApprovalFilter {
  readonly status?: StoredApprovalStatus | 'expired' | undefined;
  /** Only approvals whose id begins with this text. */
  readonly id?: string | undefined;
}

export interface ApprovalTable {
  add(approval: NewApproval): Promise<void>;
  get(id: string): Promise<StoredApproval | undefined>;
  /** The approvals that are pending or may hold for this input, target and content, newest first. */
  current(
    subject: Pick<StoredApproval, 'skillName' | 'digest' | 'target' | 'apiKeyId' | 'inputHash'>,
    now: number,
  ): Promise<readonly StoredApproval[]>;
  /** Answers a pending request; false if it is not pending. */
  decide(id: string, decision: StoredDecision): Promise<boolean>;
  /** Uses up an answer that is for one call; false if another call has already used it. */
  use(id: string, now: number): Promise<boolean>;
  /** Lists approvals, newest first. */
  list(filter: ApprovalFilter, page: PageRequest, now: number): Promise<Page<StoredApproval>>;
  countPending(apiKeyId: string | null, now: number): Promise<number>;
  remove(id: string): Promise<boolean>;
  /** Removes at most `limit` approvals that expired before a time. Returns how many. */
  removeExpired(time: number, limit: number): Promise<number>;
}

type Where = ExpressionBuilder<Tables, 'approvals'>;

export function createApprovalTable(database: Kysely<Tables>): ApprovalTable {
  const approvals = database.selectFrom('approvals').selectAll();
  return {
    add: async ({ input, ...approval }) => {
      const row = { ...approval, input: JSON.stringify(input ?? null), status: 'pending' } as const;
      await database.insertInto('approvals').values(row).execute();
    },

    get: async (id) => {
      const row = await approvals.where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toApproval(row);
    },

    current: async ({ skillName, digest, target, apiKeyId, inputHash }, now) => {
      const rows = await approvals
        .where((where) => where.and({ skillName, target, digest, apiKeyId }))
        .where((where) =>
          where.or([where('inputHash', '=', inputHash), where('scope', 'in', ['conversation', 'always'])]),
        )
        .where((where) => isAlive(where, now))
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(toApproval);
    },

    decide: async (id, { status, scope, by, at, expiresAt }) => {
      const { numUpdatedRows } = await database
        .updateTable('approvals')
        .set({ status, scope, decidedBy: by, decidedAt: at, expiresAt })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where((where) => isAlive(where, at))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    use: async (id, now) => {
      const { numUpdatedRows } = await database
        .updateTable('approvals')
        .set({ usedAt: now })
        .where('id', '=', id)
        .where('usedAt', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    list: (filter, page, now) => {
      const matching = approvals.where((where) => matches(where, filter, now));
      return readPage(matching.orderBy('createdAt', 'desc').orderBy('id'), page, toApproval);
    },

    countPending: (apiKeyId, now) =>
      countRows(
        approvals.where((where) => where.and({ status: 'pending', apiKeyId })).where((where) => isAlive(where, now)),
      ),

    remove: async (id) => {
      const { numDeletedRows } = await database.deleteFrom('approvals').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    removeExpired: async (time, limit) => {
      const old = database.selectFrom('approvals').select('id').where('expiresAt', '<', time).limit(limit);
      const { numDeletedRows } = await database.deleteFrom('approvals').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function isAlive(where: Where, now: number): Expression<SqlBool> {
  return where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)]);
}

function matches(where: Where, { status, id }: ApprovalFilter, now: number): Expression<SqlBool> {
  return where.and([
    ...(id === undefined ? [] : [where('id', '>=', id), where('id', '<', `${id}${LAST}`)]),
    ...(status === undefined ? [] : [where('status', '=', status === 'expired' ? 'pending' : status)]),
    ...(status === 'expired' ? [where('expiresAt', '<=', now)] : []),
    ...(status === 'pending' ? [isAlive(where, now)] : []),
  ]);
}

function toApproval({ input, ...row }: Tables['approvals']): StoredApproval {
  return { ...row, input: JSON.parse(input) as unknown };
}
