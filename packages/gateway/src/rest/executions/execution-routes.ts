import { z } from 'zod';
import { onClientGone } from '../../http/client-gone.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { StoredExecution } from '../../store/tables/execution-rows.ts';
import { answerEvents } from './event-stream.ts';
import { EXECUTION, EXECUTION_DETAILS, EXECUTION_ORDER, LISTED_EXECUTION, STATUSES } from './execution-schemas.ts';
import { ID, ID_PARAMS, PAGING, SUCCESS, pageOf } from '../page-schemas.ts';
import { defineRoute, type RestRequest, type RestRoute } from '../rest-route.ts';
import { assertKey, isOwn, keyFor, managesAll } from '../whose.ts';

const LIST: RestRoute = defineRoute({
  method: 'get',
  path: '/api/skills/executions',
  operationId: 'listExecutions',
  group: 'executions',
  scopes: ['execute', 'manage'],
  summary: 'List executions, the newest first.',
  query: z.object({
    apiKeyId: ID.optional().describe('Of this key; of another than the own only with `manage`.'),
    status: z.enum(STATUSES).optional(),
    skill: z.string().min(1).max(200).optional().describe('The name of the skill.'),
    id: ID.optional().describe('What the id begins with.'),
    ...PAGING,
  }),
  answer: { status: 200, description: 'A page of executions.', schema: pageOf(LISTED_EXECUTION) },
  failures: [],
  handle: async ({ query, caller, parts }) => {
    const { page, limit, apiKeyId, status, skill, id } = query;
    const whose = apiKeyId === undefined && managesAll(caller) ? undefined : keyFor(caller, apiKeyId);
    const filter = {
      ...(whose === undefined ? {} : { apiKeyId: whose }),
      ...(status === undefined ? {} : { status }),
      ...(skill === undefined ? {} : { skill }),
      ...(id === undefined ? {} : { id }),
    };
    return parts.executor.listExecutions(filter, { page, limit });
  },
});

const RUN: RestRoute = defineRoute({
  method: 'post',
  path: '/api/skills/executions',
  operationId: 'runSkill',
  group: 'executions',
  scopes: ['execute'],
  summary: 'Run a skill.',
  description: 'Whoever calls this has decided that it runs: policies are for what models want.',
  body: EXECUTION_ORDER,
  answer: {
    status: 200,
    description: 'The execution, which may have failed.',
    schema: z.object({ execution: EXECUTION }),
  },
  failures: [
    'UnknownSkill',
    'SkillNotAllowed',
    'SkillBlocked',
    'SkillsDisabled',
    'InvalidInput',
    'InvalidRange',
    'InputTooLarge',
    'TooManyExecutions',
    'KeyNotFound',
  ],
  handle: async ({ body, caller, parts, context }) => {
    const { wait = true, apiKeyId, ...order } = body;
    const whose = keyFor(caller, apiKeyId);
    await assertKey(apiKeyId, parts.keys);
    const request = { ...order, apiKeyId: whose, caller: 'user' } as const;
    if (!wait) return { execution: await parts.executor.start(request) };
    const gone = new AbortController();
    onClientGone(context, () => gone.abort());
    const signal = AbortSignal.any([gone.signal, parts.stopping]);
    return { execution: await parts.executor.execute({ ...request, signal }) };
  },
});

const GET: RestRoute = defineRoute({
  method: 'get',
  path: '/api/skills/executions/{id}',
  operationId: 'getExecution',
  group: 'executions',
  scopes: ['execute', 'manage'],
  summary: 'Show one execution, with its attempts.',
  params: ID_PARAMS,
  answer: {
    status: 200,
    description: 'The execution.',
    schema: z.object({ execution: EXECUTION_DETAILS }),
  },
  failures: ['ExecutionNotFound'],
  handle: async (request) => {
    const execution = await executionOf(request);
    return { execution: { ...execution, attempts: await request.parts.store.executions.listAttempts(execution.id) } };
  },
});

const CANCEL: RestRoute = defineRoute({
  method: 'post',
  path: '/api/skills/executions/{id}/cancel',
  operationId: 'cancelExecution',
  group: 'executions',
  scopes: ['execute', 'manage'],
  summary: 'End an execution that is under way.',
  params: ID_PARAMS,
  answer: { status: 200, description: 'It is being ended.', schema: SUCCESS },
  failures: ['ExecutionNotFound', 'ExecutionEnded'],
  action: 'execution.cancel',
  handle: async (request) => {
    const { id, status, skillName } = await executionOf(request);
    if (!(await request.parts.executor.cancel(id)))
      throw new GatewayError('ExecutionEnded', `The execution ${id} has ended.`, { data: { id } });
    await request.record({ targetId: id, before: { status, skillName }, after: { status: 'cancelled', skillName } });
    return { success: true };
  },
});

const EVENTS: RestRoute = defineRoute({
  method: 'get',
  path: '/api/skills/executions/{id}/events',
  operationId: 'watchExecution',
  group: 'executions',
  scopes: ['execute', 'manage'],
  summary: 'Follow an execution: its status and what it prints.',
  description:
    'Server-sent events. `status` has the execution as it is, `output` has `{ stream, text }`. The stream ends after the last status.',
  params: ID_PARAMS,
  answer: {
    status: 200,
    description: 'Events, as they come.',
    schema: z.string(),
    contentType: 'text/event-stream',
  },
  failures: ['ExecutionNotFound'],
  handle: async (request) => {
    const { id } = await executionOf(request);
    const { executor, config, stopping, log, keys } = request.parts;
    const key = request.caller.apiKeyId === null ? undefined : await keys.get(request.caller.apiKeyId);
    return answerEvents(request.context, (signal) => executor.watch(id, signal), {
      onKeyEnd: (callback) => (key === undefined ? () => undefined : keys.onEnd(key, callback)),
      stopping,
      keepAliveMs: config.limits.keepAliveMs,
      onError: (error) => log.error({ err: error, executionId: id }, 'an execution cannot be followed'),
    });
  },
});

export const EXECUTION_ROUTES: readonly RestRoute[] = [LIST, RUN, GET, CANCEL, EVENTS];

/** The execution of the path. What is another's is not there. */
async function executionOf({ params, caller, parts }: RestRequest<{ id: string }>): Promise<StoredExecution> {
  const execution = await parts.executor.getExecution(params.id);
  if (execution !== undefined && isOwn(caller, execution.apiKeyId)) return execution;
  throw new GatewayError('ExecutionNotFound', `There is no execution with the id '${params.id}'.`, {
    data: { id: params.id },
  });
}
