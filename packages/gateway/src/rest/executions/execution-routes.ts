import { z } from 'zod';
import { onClientGone } from '../../http/response/response-end.ts';
import type { GatewayContext } from '../../http/gateway-env.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { StoredExecution } from '../../store/tables/execution-rows.ts';
import { ID, ID_PARAMS, pageOf, PAGING, SUCCESS } from '../page-schemas.ts';
import { routesIn, type RestRequest, type RestRoute } from '../rest-route.ts';
import { assertKey, isOwn, keyFor, managesAll } from '../whose.ts';
import { EXECUTION, EXECUTION_DETAILS, LISTED_EXECUTION, STATUSES } from './execution-schemas.ts';

interface EventStreamOptions {
  /** Aborted when the gateway stops. */
  readonly stopping: AbortSignal;
  /** Calls back when the caller's key is revoked or expires. Returns a function that unsubscribes. */
  readonly onKeyEnd: (callback: () => void) => () => void;
  /** How often an idle stream sends a keep-alive message. */
  readonly keepAliveMs: number;
  readonly onError: (error: unknown) => void;
}

interface NamedEvent {
  readonly type: string;
}

const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

const define = routesIn('executions');

const LIST: RestRoute = define({
  method: 'get',
  path: '/api/skills/executions',
  operationId: 'listExecutions',
  scopes: ['execute', 'manage'],
  summary: 'List executions, newest first.',
  query: z.object({
    apiKeyId: ID.optional().describe("Only executions of this key. Any key other than the caller's requires `manage`."),
    status: z.enum(STATUSES).optional(),
    skill: z.string().min(1).max(200).optional().describe('The name of the skill.'),
    id: ID.optional().describe('The first characters of the id.'),
    ...PAGING,
  }),
  answer: { description: 'A page of executions.', schema: pageOf(LISTED_EXECUTION) },
  handle: async ({ query, caller, parts }) => {
    const { page, limit, apiKeyId: named, ...filter } = query;
    const apiKeyId = named === undefined && managesAll(caller) ? undefined : keyFor(caller, named);
    return parts.executor.listExecutions({ ...filter, apiKeyId }, { page, limit });
  },
});

/** Which skill to run, and for whom. */
const EXECUTION_ORDER = z
  .strictObject({
    skillName: z.string().min(1).max(200).describe('The name of the skill, or `name@range`.'),
    version: z.string().min(1).max(100).optional().describe('A version, a range or `latest`. Default: `latest`.'),
    apiKeyId: ID.nullable()
      .optional()
      .describe("The key to run the skill for. Default: the caller's own; another key requires `manage`."),
    input: z
      .unknown()
      .optional()
      .describe('The input of the handler; for a package, `{ script, args?, stdin? }` or `{ tool, arguments }`.'),
    sessionId: ID.nullable().optional(),
    wait: z
      .boolean()
      .optional()
      .describe(
        'With true (the default), the response arrives when the execution ends; with false, as soon as it is recorded.',
      ),
  })
  .meta({ examples: [{ skillName: 'echo', input: { text: 'hello' } }] });

const RUN: RestRoute = define({
  method: 'post',
  path: '/api/skills/executions',
  operationId: 'runSkill',
  scopes: ['execute'],
  summary: 'Run a skill.',
  description:
    'No approval is needed, because the caller decides to run the skill. Policies apply only to calls by models.',
  body: EXECUTION_ORDER,
  answer: {
    description: 'The execution. It may have failed; see `status`.',
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

const GET: RestRoute = define({
  method: 'get',
  path: '/api/skills/executions/{id}',
  operationId: 'getExecution',
  scopes: ['execute', 'manage'],
  summary: 'Show one execution, with its attempts.',
  params: ID_PARAMS,
  answer: {
    description: 'The execution.',
    schema: z.object({ execution: EXECUTION_DETAILS }),
  },
  failures: ['ExecutionNotFound'],
  handle: async (request) => {
    const execution = await executionOf(request);
    return { execution: { ...execution, attempts: await request.parts.store.executions.listAttempts(execution.id) } };
  },
});

const CANCEL: RestRoute = define({
  method: 'post',
  path: '/api/skills/executions/{id}/cancel',
  operationId: 'cancelExecution',
  scopes: ['execute', 'manage'],
  summary: 'Cancel a running execution.',
  params: ID_PARAMS,
  answer: { description: 'The gateway is ending the execution.', schema: SUCCESS },
  failures: ['ExecutionNotFound', 'ExecutionEnded'],
  action: 'execution.cancel',
  handle: async (request) => {
    const { id, status, skillName } = await executionOf(request);
    if (!(await request.parts.executor.cancel(id)))
      throw new GatewayError('ExecutionEnded', `The execution ${id} has already ended.`, { data: { id } });
    await request.record({ targetId: id, before: { status, skillName }, after: { status: 'cancelled', skillName } });
    return { success: true };
  },
});

const EVENTS: RestRoute = define({
  method: 'get',
  path: '/api/skills/executions/{id}/events',
  operationId: 'watchExecution',
  scopes: ['execute', 'manage'],
  summary: 'Stream the status and the output of an execution.',
  description:
    'A stream of server-sent events: `status` with the execution, and `output` with `{ stream, text }`. The stream ends after the last status.',
  params: ID_PARAMS,
  answer: {
    description: 'Events as they happen.',
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
      onError: (error) => log.error({ err: error, executionId: id }, 'the stream of an execution failed'),
    });
  },
});

export const EXECUTION_ROUTES: readonly RestRoute[] = [LIST, RUN, GET, CANCEL, EVENTS];

/** The execution in the path. Another key's execution counts as not found. */
async function executionOf({ params, caller, parts }: RestRequest<{ id: string }>): Promise<StoredExecution> {
  const execution = await parts.executor.getExecution(params.id);
  if (execution !== undefined && isOwn(caller, execution.apiKeyId)) return execution;
  throw new GatewayError('ExecutionNotFound', `There is no execution with the id '${params.id}'.`, {
    data: { id: params.id },
  });
}

/**
 * Streams events one at a time, no faster than the client reads. Ends with the events. `signal` aborts if the client
 * disconnects, its key ends or the gateway stops.
 */
function answerEvents<Event extends NamedEvent>(
  context: GatewayContext,
  follow: (signal: AbortSignal) => AsyncIterable<Event>,
  { stopping, onKeyEnd, keepAliveMs, onError }: EventStreamOptions,
): Response {
  const gone = new AbortController();
  onClientGone(context, () => gone.abort());
  const revoked = new AbortController();
  const leaveKey = onKeyEnd(() => revoked.abort());
  const signal = AbortSignal.any([gone.signal, revoked.signal, stopping]);
  const encoder = new TextEncoder();
  const events = follow(signal)[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    leaveKey();
    gone.abort();
  };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still there\n\n'));
      }, keepAliveMs);
      // Sends the headers at once, however late the first event comes.
      controller.enqueue(encoder.encode(': following\n\n'));
    },
    pull: async (controller) => {
      try {
        const next = await events.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(toFrame(next.value)));
          return;
        }
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      // A client that disconnected has closed the stream.
      const isRead = !gone.signal.aborted;
      stop();
      if (isRead) controller.close();
    },
    cancel: async () => {
      stop();
      await events.return?.();
    },
  });
  return new Response(stream, { headers: HEADERS });
}

/** JSON text contains no line breaks, so an event is one line of data. */
function toFrame({ type, ...data }: NamedEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
