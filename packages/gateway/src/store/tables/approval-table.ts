import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool } from 'kysely';
import { LAST, toPage, type Page, type PageRequest } from '../page.ts';
import type { ApprovalColumns, Tables } from '../schema.ts';

export type StoredApprovalStatus = 'pending' | 'allowed' | 'denied';
export type StoredApprovalScope = 'once' | 'conversation' | 'always';

/** A question to a person, and the answer. */
export interface StoredApproval {
  readonly id: string;
  readonly skillName: string;
  readonly version: string | null;
  readonly digest: string | null;
  readonly target: string;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  readonly input: unknown;
  /** Of the whole input, however long: two calls are the same when theirs are. */
  readonly inputHash: string;
  readonly status: StoredApprovalStatus;
  readonly scope: StoredApprovalScope | null;
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  /** Null for what holds until it is withdrawn. */
  readonly expiresAt: number | null;
  /** When the call that was asked about was made. */
  readonly usedAt: number | null;
}

export type NewApproval = Pick<
  StoredApproval,
  | 'id'
  | 'skillName'
  | 'version'
  | 'digest'
  | 'target'
  | 'apiKeyId'
  | 'sessionId'
  | 'input'
  | 'inputHash'
  | 'createdAt'
  | 'expiresAt'
>;

export interface StoredDecision {
  readonly status: 'allowed' | 'denied';
  readonly scope: StoredApprovalScope;
  readonly by: string | null;
  readonly at: number;
  readonly expiresAt: number | null;
}

export interface ApprovalFilter {
  readonly status?: StoredApprovalStatus | 'expired' | undefined;
  /** What the id begins with. */
  readonly id?: string | undefined;
}

export interface ApprovalTable {
  add(approval: NewApproval): Promise<void>;
  get(id: string): Promise<StoredApproval | undefined>;
  /** What is pending for this input or may hold for it: of a target of a skill with this content, the newest first. */
  current(
    subject: Pick<StoredApproval, 'skillName' | 'digest' | 'target' | 'apiKeyId' | 'inputHash'>,
    now: number,
  ): Promise<readonly StoredApproval[]>;
  /** Answers what is pending; false when it is not. */
  decide(id: string, decision: StoredDecision): Promise<boolean>;
  /** Takes the one use of an answer; false when somebody was faster. */
  use(id: string, now: number): Promise<boolean>;
  /** The newest first. */
  list(filter: ApprovalFilter, page: PageRequest, now: number): Promise<Page<StoredApproval>>;
  countPending(apiKeyId: string | null, now: number): Promise<number>;
  remove(id: string): Promise<boolean>;
  /** Removes at most `limit` that expired before a time. Returns how many it were. */
  removeExpired(time: number, limit: number): Promise<number>;
}

type Where = ExpressionBuilder<Tables, 'approvals'>;

export function createApprovalTable(database: Kysely<Tables>): ApprovalTable {
  const count = async (filter: (where: Where) => Expression<SqlBool>): Promise<number> => {
    const row = await database
      .selectFrom('approvals')
      .select((expression) => expression.fn.countAll().as('count'))
      .where(filter)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  };

  return {
    add: async (approval) => {
      await database.insertInto('approvals').values(toNewRow(approval)).execute();
    },

    get: async (id) => {
      const row = await database.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toApproval(row);
    },

    current: async ({ skillName, digest, target, apiKeyId, inputHash }, now) => {
      const rows = await database
        .selectFrom('approvals')
        .selectAll()
        .where('skill_name', '=', skillName)
        .where('target', '=', target)
        .where('digest', digest === null ? 'is' : '=', digest)
        .where('api_key_id', apiKeyId === null ? 'is' : '=', apiKeyId)
        .where((where) =>
          where.or([where('input_hash', '=', inputHash), where('scope', 'in', ['conversation', 'always'])]),
        )
        .where((where) => isAlive(where, now))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(toApproval);
    },

    decide: async (id, { status, scope, by, at, expiresAt }) => {
      const { numUpdatedRows } = await database
        .updateTable('approvals')
        .set({ status, scope, decided_by: by, decided_at: at, expires_at: expiresAt })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where((where) => isAlive(where, at))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    use: async (id, now) => {
      const { numUpdatedRows } = await database
        .updateTable('approvals')
        .set({ used_at: now })
        .where('id', '=', id)
        .where('used_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    list: async (filter, page, now) => {
      const matching = (where: Where): Expression<SqlBool> => matches(where, filter, now);
      const rows = await database
        .selectFrom('approvals')
        .selectAll()
        .where(matching)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(page.limit)
        .offset((page.page - 1) * page.limit)
        .execute();
      return toPage(rows.map(toApproval), await count(matching), page);
    },

    countPending: (apiKeyId, now) =>
      count((where) =>
        where.and([
          where('status', '=', 'pending'),
          where('api_key_id', apiKeyId === null ? 'is' : '=', apiKeyId),
          isAlive(where, now),
        ]),
      ),

    remove: async (id) => {
      const { numDeletedRows } = await database.deleteFrom('approvals').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    removeExpired: async (time, limit) => {
      const old = database.selectFrom('approvals').select('id').where('expires_at', '<', time).limit(limit);
      const { numDeletedRows } = await database.deleteFrom('approvals').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function isAlive(where: Where, now: number): Expression<SqlBool> {
  return where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]);
}

function matches(where: Where, { status, id }: ApprovalFilter, now: number): Expression<SqlBool> {
  return where.and([
    ...(id === undefined ? [] : [where('id', '>=', id), where('id', '<', `${id}${LAST}`)]),
    ...(status === undefined ? [] : [where('status', '=', status === 'expired' ? 'pending' : status)]),
    ...(status === 'expired' ? [where('expires_at', '<=', now)] : []),
    ...(status === 'pending' ? [isAlive(where, now)] : []),
  ]);
}

function toNewRow(approval: NewApproval): ApprovalColumns {
  return {
    id: approval.id,
    skill_name: approval.skillName,
    version: approval.version,
    digest: approval.digest,
    target: approval.target,
    api_key_id: approval.apiKeyId,
    session_id: approval.sessionId,
    status: 'pending',
    scope: null,
    decided_by: null,
    created_at: approval.createdAt,
    decided_at: null,
    expires_at: approval.expiresAt,
    used_at: null,
    input_hash: approval.inputHash,
    input: JSON.stringify(approval.input ?? null),
  };
}

function toApproval(row: Selectable<ApprovalColumns>): StoredApproval {
  return {
    id: row.id,
    skillName: row.skill_name,
    version: row.version,
    digest: row.digest,
    target: row.target,
    apiKeyId: row.api_key_id,
    sessionId: row.session_id,
    input: JSON.parse(row.input) as unknown,
    inputHash: row.input_hash,
    status: row.status as StoredApprovalStatus,
    scope: row.scope as StoredApprovalScope | null,
    decidedBy: row.decided_by,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
  };
}
