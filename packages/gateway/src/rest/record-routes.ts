import { z } from 'zod';
import { GatewayError } from '../spec/gateway-error.ts';
import { ID, ID_PARAMS, PAGING, TIME, pageOf } from './page-schemas.ts';
import { routesIn, type RestRoute } from './rest-route.ts';
import { managesAll } from './whose.ts';

const TRACE = z
  .object({
    id: z.string(),
    tenant: z.string().describe('The id of the key, or `anonymous`.'),
    session: z.string().nullable(),
    startedAt: TIME,
    durationMs: z.number(),
    model: z.string(),
    format: z.string(),
    rounds: z.int().describe('The number of requests to the provider.'),
    inputTokens: z.int().nullable(),
    outputTokens: z.int().nullable(),
    skills: z.array(z.string()),
    error: z.string().nullable(),
  })
  .meta({ id: 'Trace' });

const TRACE_EVENT = z.object({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) });

const define = routesIn('records');

const TRACES: RestRoute = define({
  method: 'get',
  path: '/api/traces',
  operationId: 'listTraces',
  scopes: ['execute', 'manage'],
  summary: 'List the turns that used skills, newest first.',
  query: z.object({
    session: ID.optional(),
    model: z.string().min(1).max(200).optional(),
    failed: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` lists only failed turns, `false` only successful ones.'),
    since: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('Only turns since this time, in milliseconds since 1970.'),
    ...PAGING,
  }),
  answer: { description: 'A page of traces without their events.', schema: pageOf(TRACE) },
  handle: async ({ query, caller, parts }) => {
    const { page, limit, failed, ...named } = query;
    const filter = {
      ...named,
      tenant: managesAll(caller) ? undefined : caller.tenant,
      failed: failed === undefined ? undefined : failed === 'true',
    };
    return parts.store.traces.list(filter, { page, limit });
  },
});

const TRACE_BY_ID: RestRoute = define({
  method: 'get',
  path: '/api/traces/{id}',
  operationId: 'getTrace',
  scopes: ['execute', 'manage'],
  summary: 'Show one turn, event by event.',
  params: ID_PARAMS,
  answer: {
    description: 'The trace.',
    schema: z.object({ trace: TRACE.extend({ events: z.array(TRACE_EVENT) }).meta({ id: 'TraceDetails' }) }),
  },
  failures: ['TraceNotFound'],
  handle: async ({ params, caller, parts }) => {
    const trace = await parts.store.traces.get(params.id);
    if (trace !== undefined && (managesAll(caller) || trace.tenant === caller.tenant)) return { trace };
    throw new GatewayError('TraceNotFound', `There is no trace with the id '${params.id}'.`, {
      data: { id: params.id },
    });
  },
});

const RECORDED = z.record(z.string(), z.unknown()).nullable();

const AUDIT_ENTRY = z
  .object({
    id: z.string(),
    action: z.string(),
    targetId: z.string().nullable(),
    apiKeyId: z
      .string()
      .nullable()
      .describe('The key that made the change; null if the operator made it in the data directory.'),
    requestId: z.string(),
    createdAt: TIME,
    before: RECORDED.describe('The changed object before the change; null if it did not exist.'),
    after: RECORDED.describe('The changed object after the change; null if it no longer exists.'),
  })
  .meta({ id: 'AuditEntry' });

const AUDIT: RestRoute = define({
  method: 'get',
  path: '/api/audit',
  operationId: 'listAudit',
  scopes: ['manage'],
  summary: 'List changes and who made them, newest first.',
  query: z.object({
    action: z.string().min(1).max(100).optional(),
    targetId: ID.optional(),
    apiKeyId: ID.optional(),
    ...PAGING,
  }),
  answer: { description: 'A page of the audit trail.', schema: pageOf(AUDIT_ENTRY) },
  handle: async ({ query, parts }) => {
    const { page, limit, ...filter } = query;
    return parts.store.audit.list(filter, { page, limit });
  },
});

const UPSTREAM = z
  .object({
    id: z.string(),
    format: z.string(),
    baseUrl: z.string(),
    models: z.array(z.string()),
    forwardKeys: z.boolean(),
    hasKey: z.boolean().describe('Whether the gateway has a key for this upstream.'),
  })
  .meta({ id: 'Upstream' });

const UPSTREAMS: RestRoute = routesIn('settings')({
  method: 'get',
  path: '/api/upstreams',
  operationId: 'listUpstreams',
  scopes: ['manage'],
  summary: 'List the upstreams without their keys.',
  answer: {
    description: 'The upstreams, in the order in which the gateway tries them.',
    schema: z.object({ upstreams: z.array(UPSTREAM) }),
  },
  handle: async ({ parts }) => ({
    upstreams: parts.config.upstreams.map(({ id, format, baseUrl, models, forwardKeys, apiKeyEnv }) => {
      return { id, format, baseUrl, models, forwardKeys, hasKey: apiKeyEnv !== undefined };
    }),
  }),
});

export const RECORD_ROUTES: readonly RestRoute[] = [TRACES, TRACE_BY_ID, AUDIT, UPSTREAMS];
