import { sql, type ExpressionBuilder, type Kysely, type SqlBool, type Expression } from 'kysely';
import {
  toExecution,
  toListedExecution,
  type AttemptEnd,
  type ExecutionEnd,
  type ListedExecution,
  type NewExecution,
  type StoredAttempt,
  type StoredExecution,
  type ExecutionStatus,
} from './execution-rows.ts';
import { withoutAbsent } from '../../spec/json-object.ts';
import { countRows, LAST, toPage, type Page, type PageRequest } from '../page.ts';
import type { Tables } from '../schema.ts';

const UNFINISHED = ['pending', 'running'] as const;

/** The error of an execution whose process is gone. */
const INTERRUPTED = {
  errorCode: 'Interrupted',
  errorMessage: 'The gateway ended before the execution did.',
} as const;

/** The longest input or output, in bytes, that a list shows. */
const LISTED_BYTES = 4_096;

const COLUMNS = [
  'id',
  'skillId',
  'skillName',
  'version',
  'apiKeyId',
  'sessionId',
  'status',
  'errorMessage',
  'errorCode',
  'durationMs',
  'tier',
  'createdAt',
  'startedAt',
  'endedAt',
] as const;

/** SQLite knows the length of a value without reading it. */
const LISTED = [
  sql<string | null>`case when octet_length(input) <= ${sql.lit(LISTED_BYTES)} then input end`.as('input'),
  sql<string | null>`case when octet_length(output) <= ${sql.lit(LISTED_BYTES)} then output end`.as('output'),
  sql<number>`octet_length(input)`.as('inputBytes'),
  sql<number | null>`octet_length(output)`.as('outputBytes'),
] as const;

export interface ExecutionFilter {
  /** The id of the caller's key; null for executions of anonymous clients. */
  readonly apiKeyId?: string | null | undefined;
  readonly status?: ExecutionStatus | undefined;
  /** The name of the skill. */
  readonly skill?: string | undefined;
  /** Only executions whose id begins with this text. */
  readonly id?: string | undefined;
}

/** The attempts of executions. */
export interface AttemptQueries {
  /** Records an attempt as `running`, numbered from 1. */
  addAttempt(executionId: string, attempt: number, now: number): Promise<void>;
  finishAttempt(executionId: string, attempt: number, end: AttemptEnd): Promise<void>;
  /** Lists attempts in the order in which they ran. */
  listAttempts(executionId: string): Promise<readonly StoredAttempt[]>;
}

export interface ExecutionTable extends AttemptQueries {
  /** Records an execution as `pending`, before anything starts. */
  add(execution: NewExecution): Promise<void>;
  /** Changes `pending` to `running`; false if the execution was canceled meanwhile. */
  start(id: string, now: number, tier: string | null): Promise<boolean>;
  /** Ends an execution; false if it had already ended. */
  finish(id: string, end: ExecutionEnd): Promise<boolean>;
  get(id: string): Promise<StoredExecution | undefined>;
  /** Lists executions, newest first. Inputs and outputs over 4 KiB are left out. */
  list(filter: ExecutionFilter, page: PageRequest): Promise<Page<ListedExecution>>;
  count(filter: ExecutionFilter): Promise<number>;
  /** Ends executions that a crash left `pending` or `running` as errors. Returns how many. */
  endInterrupted(now: number): Promise<number>;
  /** Removes at most `limit` executions that ended before a time, with their attempts. Returns how many. */
  removeEndedBefore(time: number, limit: number): Promise<number>;
}

export function createExecutionTable(database: Kysely<Tables>): ExecutionTable {
  const executions = database.selectFrom('skillExecutions');
  const count = (filter: ExecutionFilter): Promise<number> => {
    // Without a filter, SQLite counts without reading rows.
    const isEverything = Object.values(filter).every((value) => value === undefined);
    return countRows(isEverything ? executions : executions.where((where) => matches(where, filter)));
  };

  return {
    count,

    add: async ({ input, ...execution }) => {
      const row = { ...execution, input: JSON.stringify(input ?? null), status: 'pending' } as const;
      await database.insertInto('skillExecutions').values(row).execute();
    },

    start: async (id, now, tier) => {
      const { numUpdatedRows } = await database
        .updateTable('skillExecutions')
        .set({ status: 'running', startedAt: now, tier })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    finish: async (id, { status, output, errorMessage, errorCode, durationMs, endedAt, tier }) => {
      const { numUpdatedRows } = await database
        .updateTable('skillExecutions')
        .set({ status, errorMessage, errorCode, durationMs, endedAt, tier, output: JSON.stringify(output) })
        .where('id', '=', id)
        .where('status', 'in', UNFINISHED)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    get: async (id) => {
      const row = await executions.selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toExecution(row);
    },

    list: async (filter, page) => {
      // Find the ids of the page with an index first, so that only the rows of the page are read.
      const ids = executions
        .select('id')
        .where((where) => matches(where, filter))
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset((page.page - 1) * page.limit);
      const rows = await executions
        .select(COLUMNS)
        .select(LISTED)
        .where('id', 'in', ids)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return toPage(rows.map(toListedExecution), await count(filter), page);
    },

    endInterrupted: async (now) => {
      await database
        .updateTable('skillExecutionAttempts')
        .set({ status: 'error', ...INTERRUPTED, endedAt: now, durationMs: sql<number>`${now} - started_at` })
        .where('status', '=', 'running')
        .execute();
      const { numUpdatedRows } = await database
        .updateTable('skillExecutions')
        .set({
          status: 'error',
          ...INTERRUPTED,
          endedAt: now,
          durationMs: sql<number>`${now} - coalesce(started_at, created_at)`,
        })
        .where('status', 'in', UNFINISHED)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    removeEndedBefore: async (time, limit) => {
      const old = executions
        .select('id')
        .where('createdAt', '<', time)
        .where('endedAt', '<', time)
        .orderBy('createdAt')
        .limit(limit);
      const { numDeletedRows } = await database.deleteFrom('skillExecutions').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },

    addAttempt: async (executionId, attempt, now) => {
      await database
        .insertInto('skillExecutionAttempts')
        .values({ executionId, attempt, status: 'running', startedAt: now })
        .execute();
    },

    finishAttempt: async (executionId, attempt, { status, errorMessage, errorCode, durationMs, endedAt }) => {
      await database
        .updateTable('skillExecutionAttempts')
        .set({ status, errorMessage, errorCode, durationMs, endedAt })
        .where('executionId', '=', executionId)
        .where('attempt', '=', attempt)
        .execute();
    },

    listAttempts: async (executionId) => {
      const rows = await database
        .selectFrom('skillExecutionAttempts')
        .selectAll()
        .where('executionId', '=', executionId)
        .orderBy('attempt')
        .execute();
      return rows.map(({ executionId: _executionId, ...row }) => row);
    },
  };
}

function matches(
  where: ExpressionBuilder<Tables, 'skillExecutions'>,
  { apiKeyId, status, skill, id }: ExecutionFilter,
): Expression<SqlBool> {
  return where.and([
    where.and(withoutAbsent({ apiKeyId, status, skillName: skill })),
    ...(id === undefined ? [] : [where('id', '>=', id), where('id', '<', `${id}${LAST}`)]),
  ]);
}
