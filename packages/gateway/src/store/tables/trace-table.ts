import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { withoutAbsent } from '../../spec/json-object.ts';
import { readPage, type Page, type PageRequest } from '../page.ts';
import type { Tables } from '../schema.ts';

/** A turn with skills, without its events. */
export interface TraceSummary {
  readonly id: string;
  /** The id of the key, or `anonymous`. */
  readonly tenant: string;
  readonly session: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly model: string;
  readonly format: string;
  /** The number of requests to the provider. */
  readonly rounds: number;
  /** The tokens of all rounds; null if the provider did not report them. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Names of the skills that the model was shown. */
  readonly skills: readonly string[];
  readonly error: string | null;
}

/** An event of a turn, as plain JSON. */
export interface StoredTraceEvent {
  readonly type: string;
  /** The time in ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredTrace extends TraceSummary {
  readonly events: readonly StoredTraceEvent[];
}

export interface TraceFilter {
  readonly tenant?: string | undefined;
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  /** Only failed turns, or only successful ones. */
  readonly failed?: boolean | undefined;
  /** Only turns that began at this time or later. */
  readonly since?: number | undefined;
}

export interface TraceTable {
  /** Stores several traces in one transaction. */
  add(traces: readonly StoredTrace[]): Promise<void>;
  get(id: string): Promise<StoredTrace | undefined>;
  /** Lists traces, newest first. */
  list(filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>>;
  /** Removes at most `limit` traces that began before a time. Returns how many. */
  removeBefore(time: number, limit: number): Promise<number>;
}

const SUMMARY = [
  'id',
  'tenant',
  'session',
  'startedAt',
  'durationMs',
  'model',
  'format',
  'rounds',
  'inputTokens',
  'outputTokens',
  'skills',
  'error',
] as const;

export function createTraceTable(database: Kysely<Tables>): TraceTable {
  return {
    add: async (traces) => {
      if (traces.length > 0) await database.insertInto('traces').values(traces.map(toRow)).execute();
    },

    get: async (id) => {
      const row = await database.selectFrom('traces').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined
        ? undefined
        : { ...toSummary(row), events: JSON.parse(row.events) as StoredTrace['events'] };
    },

    list: (filter, page) => {
      const matching = database
        .selectFrom('traces')
        .select(SUMMARY)
        .where((where) => matches(where, filter));
      return readPage(matching.orderBy('startedAt', 'desc').orderBy('id', 'desc'), page, toSummary);
    },

    removeBefore: async (time, limit) => {
      const old = database
        .selectFrom('traces')
        .select('id')
        .where('startedAt', '<', time)
        .orderBy('startedAt')
        .limit(limit);
      const { numDeletedRows } = await database.deleteFrom('traces').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function matches(
  where: ExpressionBuilder<Tables, 'traces'>,
  { tenant, session, model, failed, since }: TraceFilter,
): Expression<SqlBool> {
  return where.and([
    where.and(withoutAbsent({ tenant, session, model })),
    ...(failed === undefined ? [] : [where('error', failed ? 'is not' : 'is', null)]),
    ...(since === undefined ? [] : [where('startedAt', '>=', since)]),
  ]);
}

function toRow(trace: StoredTrace): Tables['traces'] {
  return { ...trace, skills: JSON.stringify(trace.skills), events: JSON.stringify(trace.events) };
}

function toSummary(row: Omit<Tables['traces'], 'events'>): TraceSummary {
  return { ...row, skills: JSON.parse(row.skills) as readonly string[] };
}
