import type { Kysely } from 'kysely';
import { toAttempt, type AttemptEnd, type StoredAttempt } from './execution-rows.ts';
import type { Tables } from '../schema.ts';

export interface AttemptQueries {
  /** Writes an attempt down as `running`; attempts count from 1. */
  addAttempt(executionId: string, attempt: number, now: number): Promise<void>;
  finishAttempt(executionId: string, attempt: number, end: AttemptEnd): Promise<void>;
  /** The first one first. */
  listAttempts(executionId: string): Promise<readonly StoredAttempt[]>;
}

export function attemptQueries(database: Kysely<Tables>): AttemptQueries {
  return {
    addAttempt: async (executionId, attempt, now) => {
      await database
        .insertInto('skill_execution_attempts')
        .values({
          execution_id: executionId,
          attempt,
          status: 'running',
          error_message: null,
          error_code: null,
          duration_ms: null,
          started_at: now,
          ended_at: null,
        })
        .execute();
    },

    finishAttempt: async (executionId, attempt, end) => {
      await database
        .updateTable('skill_execution_attempts')
        .set({
          status: end.status,
          error_message: end.errorMessage ?? null,
          error_code: end.errorCode ?? null,
          duration_ms: end.durationMs,
          ended_at: end.endedAt,
        })
        .where('execution_id', '=', executionId)
        .where('attempt', '=', attempt)
        .execute();
    },

    listAttempts: async (executionId) => {
      const rows = await database
        .selectFrom('skill_execution_attempts')
        .selectAll()
        .where('execution_id', '=', executionId)
        .orderBy('attempt')
        .execute();
      return rows.map(toAttempt);
    },
  };
}
