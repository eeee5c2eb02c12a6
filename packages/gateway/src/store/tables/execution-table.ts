import { sql, type ExpressionBuilder, type Kysely, type SqlBool, type Expression } from 'kysely';
import { attemptQueries, type AttemptQueries } from './attempt-table.ts';
import {
  toExecution,
  toListedExecution,
  type ExecutionEnd,
  type ListedExecution,
  type NewExecution,
  type StoredExecution,
  type ExecutionStatus,
} from './execution-rows.ts';
import { LAST, toPage, type Page, type PageRequest } from '../page.ts';
import type { Tables } from '../schema.ts';

const UNFINISHED = ['pending', 'running'];

/** Why an execution that nobody works on any more has ended. */
const INTERRUPTED = {
  error_code: 'Interrupted',
  error_message: 'The gateway ended before the execution did.',
} as const;

/** Bytes of an input or an output that a list shows. */
const LISTED_BYTES = 4_096;

const COLUMNS = [
  'id',
  'skill_id',
  'skill_name',
  'version',
  'api_key_id',
  'session_id',
  'status',
  'error_message',
  'error_code',
  'duration_ms',
  'tier',
  'created_at',
  'started_at',
  'ended_at',
] as const;

/** The database knows the length of a value without reading it. */
const LISTED = [
  sql<string | null>`case when octet_length(input) <= ${sql.lit(LISTED_BYTES)} then input end`.as('input'),
  sql<string | null>`case when octet_length(output) <= ${sql.lit(LISTED_BYTES)} then output end`.as('output'),
  sql<number>`octet_length(input)`.as('input_bytes'),
  sql<number | null>`octet_length(output)`.as('output_bytes'),
] as const;

export interface ExecutionFilter {
  /** Null for those of anonymous clients. */
  readonly apiKeyId?: string | null;
  readonly status?: ExecutionStatus;
  /** The name of the skill. */
  readonly skill?: string;
  /** What the id begins with. */
  readonly id?: string;
}

export interface ExecutionTable extends AttemptQueries {
  /** Writes it down as `pending`, before anything starts. */
  add(execution: NewExecution): Promise<void>;
  /** From `pending` to `running`; false if it was cancelled meanwhile. */
  start(id: string, now: number, tier: string | null): Promise<boolean>;
  /** Ends what has not ended; false if it had. */
  finish(id: string, end: ExecutionEnd): Promise<boolean>;
  get(id: string): Promise<StoredExecution | undefined>;
  /** The newest first. Inputs and outputs of more than 4 KiB are left out of it. */
  list(filter: ExecutionFilter, page: PageRequest): Promise<Page<ListedExecution>>;
  count(filter: ExecutionFilter): Promise<number>;
  /** Ends as an error whatever a crash left `pending` or `running`. Returns how many it were. */
  endInterrupted(now: number): Promise<number>;
  /** Removes at most `limit` executions, with their attempts, that ended before a time. Returns how many it were. */
  removeEndedBefore(time: number, limit: number): Promise<number>;
}

export function createExecutionTable(database: Kysely<Tables>): ExecutionTable {
  const count = async (filter: ExecutionFilter): Promise<number> => {
    const all = database.selectFrom('skill_executions').select((expression) => expression.fn.countAll().as('count'));
    // Where nothing is asked for, databases count without looking at rows.
    const isEverything = Object.values(filter).every((value) => value === undefined);
    const row = await (isEverything ? all : all.where((where) => matches(where, filter))).executeTakeFirst();
    return Number(row?.count ?? 0);
  };

  return {
    ...attemptQueries(database),
    count,

    add: async (execution) => {
      await database
        .insertInto('skill_executions')
        .values({
          id: execution.id,
          skill_id: execution.skillId,
          skill_name: execution.skillName,
          version: execution.version,
          api_key_id: execution.apiKeyId,
          session_id: execution.sessionId,
          status: 'pending',
          error_message: null,
          error_code: null,
          duration_ms: null,
          tier: null,
          created_at: execution.createdAt,
          started_at: null,
          ended_at: null,
          input: JSON.stringify(execution.input ?? null),
          output: null,
        })
        .execute();
    },

    start: async (id, now, tier) => {
      const { numUpdatedRows } = await database
        .updateTable('skill_executions')
        .set({ status: 'running', started_at: now, tier })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    finish: async (id, end) => {
      const { numUpdatedRows } = await database
        .updateTable('skill_executions')
        .set({
          status: end.status,
          output: end.output === undefined ? null : JSON.stringify(end.output),
          error_message: end.errorMessage ?? null,
          error_code: end.errorCode ?? null,
          duration_ms: end.durationMs,
          ended_at: end.endedAt,
          ...(end.tier === undefined ? {} : { tier: end.tier }),
        })
        .where('id', '=', id)
        .where('status', 'in', UNFINISHED)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    get: async (id) => {
      const row = await database.selectFrom('skill_executions').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toExecution(row);
    },

    list: async (filter, page) => {
      // The page is found in an index; only its rows are read.
      const ids = database
        .selectFrom('skill_executions')
        .select('id')
        .where((where) => matches(where, filter))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset((page.page - 1) * page.limit);
      const rows = await database
        .selectFrom('skill_executions')
        .select(COLUMNS)
        .select(LISTED)
        .where('id', 'in', ids)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return toPage(rows.map(toListedExecution), await count(filter), page);
    },

    endInterrupted: async (now) => {
      await database
        .updateTable('skill_execution_attempts')
        .set({ status: 'error', ...INTERRUPTED, ended_at: now, duration_ms: sql<number>`${now} - started_at` })
        .where('status', '=', 'running')
        .execute();
      const { numUpdatedRows } = await database
        .updateTable('skill_executions')
        .set({
          status: 'error',
          ...INTERRUPTED,
          ended_at: now,
          duration_ms: sql<number>`${now} - coalesce(started_at, created_at)`,
        })
        .where('status', 'in', UNFINISHED)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    removeEndedBefore: async (time, limit) => {
      const old = database
        .selectFrom('skill_executions')
        .select('id')
        .where('created_at', '<', time)
        .where('ended_at', '<', time)
        .orderBy('created_at')
        .limit(limit);
      const { numDeletedRows } = await database
        .deleteFrom('skill_executions')
        .where('id', 'in', old)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function matches(
  where: ExpressionBuilder<Tables, 'skill_executions'>,
  { apiKeyId, status, skill, id }: ExecutionFilter,
): Expression<SqlBool> {
  return where.and([
    ...(apiKeyId === undefined ? [] : [where('api_key_id', apiKeyId === null ? 'is' : '=', apiKeyId)]),
    ...(status === undefined ? [] : [where('status', '=', status)]),
    ...(skill === undefined ? [] : [where('skill_name', '=', skill)]),
    ...(id === undefined ? [] : [where('id', '>=', id), where('id', '<', `${id}${LAST}`)]),
  ]);
}
