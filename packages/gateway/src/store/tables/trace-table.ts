import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { toPage, type Page, type PageRequest } from '../page.ts';
import type { Tables, TraceColumns } from '../schema.ts';

/** A turn that skills took part in, without its events. */
export interface TraceSummary {
  readonly id: string;
  /** The id of the key, or `anonymous`. */
  readonly tenant: string;
  readonly session: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly model: string;
  readonly format: string;
  /** Requests to the provider. */
  readonly rounds: number;
  /** Of all rounds; null where the provider did not say. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Names of the skills that the model was shown. */
  readonly skills: readonly string[];
  readonly error: string | null;
}

/** An event of a turn, in plain JSON. */
export interface StoredTraceEvent {
  readonly type: string;
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredTrace extends TraceSummary {
  readonly events: readonly StoredTraceEvent[];
}

export interface TraceFilter {
  readonly tenant?: string;
  readonly session?: string;
  readonly model?: string;
  /** Only those that failed, or only those that did not. */
  readonly failed?: boolean;
  /** Not before. */
  readonly since?: number;
}

export interface TraceTable {
  /** Keeps several at once: all or none. */
  add(traces: readonly StoredTrace[]): Promise<void>;
  get(id: string): Promise<StoredTrace | undefined>;
  /** The newest first. */
  list(filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>>;
  /** Removes at most `limit` traces that began before a time. Returns how many it were. */
  removeBefore(time: number, limit: number): Promise<number>;
}

const SUMMARY = [
  'id',
  'tenant',
  'session',
  'started_at',
  'duration_ms',
  'model',
  'format',
  'rounds',
  'input_tokens',
  'output_tokens',
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

    list: async (filter, page) => {
      const rows = await database
        .selectFrom('traces')
        .select(SUMMARY)
        .where((where) => matches(where, filter))
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset((page.page - 1) * page.limit)
        .execute();
      const counted = await database
        .selectFrom('traces')
        .select((expression) => expression.fn.countAll().as('count'))
        .where((where) => matches(where, filter))
        .executeTakeFirst();
      return toPage(rows.map(toSummary), Number(counted?.count ?? 0), page);
    },

    removeBefore: async (time, limit) => {
      const old = database
        .selectFrom('traces')
        .select('id')
        .where('started_at', '<', time)
        .orderBy('started_at')
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
    ...(tenant === undefined ? [] : [where('tenant', '=', tenant)]),
    ...(session === undefined ? [] : [where('session', '=', session)]),
    ...(model === undefined ? [] : [where('model', '=', model)]),
    ...(failed === undefined ? [] : [where('error', failed ? 'is not' : 'is', null)]),
    ...(since === undefined ? [] : [where('started_at', '>=', since)]),
  ]);
}

function toRow(trace: StoredTrace): TraceColumns {
  const { id, tenant, session, startedAt, durationMs, model, format, rounds, error } = trace;
  return {
    id,
    tenant,
    session,
    started_at: startedAt,
    duration_ms: durationMs,
    model,
    format,
    rounds,
    input_tokens: trace.inputTokens,
    output_tokens: trace.outputTokens,
    skills: JSON.stringify(trace.skills),
    error,
    events: JSON.stringify(trace.events),
  };
}

function toSummary(row: Omit<TraceColumns, 'events'>): TraceSummary {
  const { id, tenant, session, model, format, rounds, error } = row;
  return {
    id,
    tenant,
    session,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    model,
    format,
    rounds,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    skills: JSON.parse(row.skills) as readonly string[],
    error,
  };
}
