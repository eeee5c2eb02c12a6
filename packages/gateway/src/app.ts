import { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { DestinationStream } from 'pino';
import type { DecideTrust, TrustLevel } from 'skillwright';
import { describeCommandLine } from 'skillwright/commands';
import { closestName } from 'skillwright/host';
import { createAgentSkillCatalog } from './agent-skills/create-agent-skill-catalog.ts';
import { createAuthorizer, createGuard } from './auth/guard.ts';
import { createKeyLimits } from './auth/key-limits.ts';
import { createKeyRing } from './auth/key-ring.ts';
import { createSiteCheck } from './auth/site-check.ts';
import type { Environment } from './config/environment.ts';
import { parseConfig } from './config/parse-config.ts';
import type { GatewayConfigInput } from './config/config.ts';
import { createApprovals } from './approvals/approvals.ts';
import { BUILT_IN_ALIASES, type BuiltIns } from './builtins/builtin.ts';
import { createBuiltIns } from './builtins/create-built-ins.ts';
import { openExecutions, type Executions } from './executions/open-executions.ts';
import { createWorkspaces } from './executions/workspaces.ts';
import { RunningRequests } from './http/running-requests.ts';
import { createFrame, framed } from './http/log/request-log.ts';
import type { GatewayEnv } from './http/gateway-env.ts';
import { createGatewayMetrics } from './http/metrics/gateway-metrics.ts';
import { createLog, libraryLogger, logHealth } from './http/log/log.ts';
import { createMetrics } from './http/metrics/metrics.ts';
import { methodNotAllowed, problemResponse, toGatewayError } from './http/response/problem.ts';
import { createConversationLedger } from './ledger/conversation-ledger.ts';
import { createTraceLog } from './ledger/trace-log.ts';
import { createMcpRoutes } from './mcp/mcp-routes.ts';
import type { GatewayParts } from './parts.ts';
import { createModelRequestRoutes } from './proxy/model-request-routes.ts';
import { createFastPath, type FastPath, type RequestSteps } from './proxy/fast-path.ts';
import { createPassThrough, type ProxyParts } from './proxy/pass-through/pass-through.ts';
import { createRestRoutes } from './rest/create-rest-routes.ts';
import { createOpenApi } from './rest/openapi.ts';
import { REST_ROUTES } from './rest/route-list.ts';
import { createDocsRoutes } from './pages/docs-routes.ts';
import { createEntranceRoutes } from './pages/entrance-routes.ts';
import { createHealthRoutes, createMetricsRoutes } from './pages/probe-routes.ts';
import { createModelRoutes } from './proxy/model-list-routes.ts';
import type { Clock } from './spec/clock.ts';
import { GatewayError } from './spec/gateway-error.ts';
import { startHousekeeping } from './store/housekeeping.ts';
import { openStore } from './store/open-store.ts';
import { createUpstreams } from './upstream/upstreams.ts';

/** How long aborted requests have to end after the grace period is over. */
const ABORT_MS = 1000;
const DAY_MS = 86_400_000;

/** Options of `createGateway`. */
export interface GatewayOptions {
  /** Where `apiKeyEnv` is looked up. Default: nothing is set. */
  readonly env?: Environment;
  /**
   * How far the skills in `skills` are trusted: one level for all, or a function that decides for each. Default:
   * `trusted` if the configuration names their directories, `untrusted` in the default `./skills`.
   */
  readonly trust?: TrustLevel | DecideTrust;
  /** Where log lines go. Default: standard error. */
  readonly logDestination?: DestinationStream;
  /** The gateway's clock. Default: `Date.now`. */
  readonly now?: Clock;
}

/** A gateway that answers requests; `serve` puts it on the network. */
export interface Gateway
  extends
    Pick<GatewayParts, 'config' | 'store' | 'keys' | 'log' | 'approvals'>,
    Omit<Executions, 'close' | 'requestSkills'> {
  /** Answers a request. Node's server also passes its own request and response, which identify the client. */
  readonly fetch: (request: Request, env?: GatewayEnv['Bindings']) => Response | Promise<Response>;
  /**
   * Answers a request of Node's server as `fetch` would, with less work. Returns false for a request that needs
   * `fetch`.
   */
  readonly fastPath: FastPath;
  /**
   * Refuses new requests, waits up to `limits.shutdownMs` for running ones, and closes the store. Safe to call again.
   */
  close(): Promise<void>;
}

/** Creates a set of routes from the parts of the gateway. Each set has its own guards. */
export type MakeRoutes = (parts: ProxyParts) => Hono<GatewayEnv>;

export type MakeFastPath = (parts: ProxyParts, steps: RequestSteps) => FastPath;

/** All routes of the gateway. */
const ROUTES: readonly MakeRoutes[] = [
  createHealthRoutes,
  createMetricsRoutes,
  createEntranceRoutes,
  createDocsRoutes,
  createRestRoutes,
  createMcpRoutes,
  createModelRequestRoutes,
  createModelRoutes,
];

/** Creates a gateway that answers requests, and opens its store. A failure leaves nothing open. */
export function createGateway(input: GatewayConfigInput, options: GatewayOptions = {}): Promise<Gateway> {
  return openGateway(input, options, ROUTES, createFastPath);
}

/**
 * Creates a gateway with routes other than the usual ones. @internal Tests mount routes to check guards and the network
 * layer.
 */
export async function openGateway(
  input: GatewayConfigInput,
  options: GatewayOptions,
  routes: readonly MakeRoutes[],
  makeFastPath?: MakeFastPath,
): Promise<Gateway> {
  const { env = {}, now = Date.now } = options;
  const config = parseConfig(input, { file: undefined, names: new Map(), overrides: {}, env });
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    env,
    secrets: config.upstreams.flatMap(({ apiKeyEnv = '' }) => env[apiKeyEnv] ?? []),
    destination: options.logDestination,
  });
  const store = await openStore(config.data, { now, path: env['PATH'] });
  store.watchHealth(logHealth(log));
  for (const warning of store.warnings) log.warn(warning);
  try {
    const interrupted = await store.executions.endInterrupted(now());
    if (interrupted > 0) log.warn({ interrupted }, 'executions interrupted by a crash were marked as ended');
    const runningRequests = new RunningRequests();
    const workDirOf = createWorkspaces(config.data);
    const approvals = createApprovals(store.approvals, { now });
    const metrics = createMetrics();
    const waiting = async (): Promise<number> =>
      (await approvals.list({ status: 'pending' }, { page: 1, limit: 1 })).total;
    const counted = createGatewayMetrics(metrics, { approvals: waiting });
    const builtIns = createBuiltIns({ config, env, workspaceOf: workDirOf, now, logger: libraryLogger(log) });
    const onError = (error: unknown): void => log.error({ err: error }, 'background work failed');
    const keys = createKeyRing(store.keys, { now, onError });
    const executions = await openExecutions({
      config,
      env,
      trust: options.trust ?? (input.skills === undefined ? 'untrusted' : 'trusted'),
      store,
      log,
      now,
      approvals,
      keys,
      builtIns: builtIns.all,
      aliases: BUILT_IN_ALIASES,
      workDirOf,
      begin: () => runningRequests.begin(),
      onEnded: (kind, status) => counted.execution(kind, status),
    });
    try {
      return assemble(
        { config, env, store, log, now, approvals, keys, workDirOf, metrics, counted },
        { executions, builtIns, runningRequests, routes, makeFastPath },
      );
    } catch (error) {
      await executions.close();
      throw error;
    }
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The parts of a gateway that its callers do not see. */
interface GatewayInside {
  readonly executions: Executions;
  readonly builtIns: BuiltIns;
  readonly runningRequests: RunningRequests;
  readonly routes: readonly MakeRoutes[];
  readonly makeFastPath: MakeFastPath | undefined;
}

function assemble(
  ground: Pick<
    GatewayParts,
    'config' | 'env' | 'store' | 'log' | 'now' | 'approvals' | 'keys' | 'workDirOf' | 'metrics' | 'counted'
  >,
  { executions, builtIns, runningRequests, routes, makeFastPath }: GatewayInside,
): Gateway {
  const { config, env, store, log, now, approvals, keys } = ground;
  const { registry, executor, skills, handlers, refreshSkills } = executions;
  const onError = (error: unknown): void => log.error({ err: error }, 'background work failed');
  const authorize = createAuthorizer({
    keys,
    limits: createKeyLimits(now),
    allowance: config.limits,
    anonymous: config.anonymous,
  });
  const stop = new AbortController();
  const upstreams = createUpstreams(config, env);
  const keepMs = config.limits.conversationDays * DAY_MS;
  const ledger = createConversationLedger(store.ledger, { now, keepMs });
  const traceLog = createTraceLog(store.traces, { onError });
  const agentSkills = createAgentSkillCatalog({
    api: () => createOpenApi(REST_ROUTES),
    commandLine: describeCommandLine,
  });
  const own = { guard: createGuard(authorize), agentSkills, upstreams, ledger, traceLog };
  const inside: GatewayParts = { ...ground, ...executions, ...own, stopping: stop.signal };
  const parts: ProxyParts = { ...inside, passThrough: createPassThrough(inside) };
  let closing: Promise<void> | undefined;
  const frame = createFrame({ log, metrics: ground.metrics, runningRequests });
  const checkSite = createSiteCheck(config);
  const around: RequestSteps = { frame, checkSite, authorize, isClosing: () => closing !== undefined };
  const app = createApp(parts, routes, around);
  const { executionDays, traceDays } = config.limits;
  const endHousekeeping = startHousekeeping(store, { now, executionDays, traceDays, onError });

  const shutDown = async (): Promise<void> => {
    const { underWay } = runningRequests;
    if (underWay > 0)
      log.info({ underWay, waitMs: config.limits.shutdownMs }, 'shutting down after the requests in progress');
    const houseIsKept = endHousekeeping();
    if (!(await runningRequests.drained(config.limits.shutdownMs))) {
      log.warn({ underWay: runningRequests.underWay }, 'stopping requests that did not finish in time');
      stop.abort(new GatewayError('ShuttingDown', 'The gateway is shutting down.'));
      await runningRequests.drained(ABORT_MS);
    }
    await Promise.all([upstreams.close(), executions.close(), builtIns.close()]);
    await traceLog.close();
    await houseIsKept;
    await store.close();
    log.flush();
  };

  return {
    fetch: (request, bindings = {}) => app.fetch(request, bindings),
    fastPath: makeFastPath?.(parts, around) ?? (() => false),
    config,
    store,
    keys,
    log,
    registry,
    executor,
    approvals,
    skills,
    handlers,
    refreshSkills,
    close: () => (closing ??= shutDown()),
  };
}

function createApp(
  parts: ProxyParts,
  routes: readonly MakeRoutes[],
  { frame, checkSite, isClosing }: RequestSteps,
): Hono<GatewayEnv> {
  const { config, log } = parts;
  const app = new Hono<GatewayEnv>();
  app.use(framed(frame));
  app.use((context, next) => {
    checkSite(context);
    if (isClosing())
      throw new GatewayError('ShuttingDown', 'The gateway is shutting down and accepts no new requests.');
    return next();
  });
  if (config.allowedOrigins.length > 0) app.use(cors({ origin: [...config.allowedOrigins], exposeHeaders: ['*'] }));
  for (const makeRoutes of routes) app.route('/', makeRoutes(parts));
  app.notFound((context) => {
    const allowed = methodsAt(app, context.req.path);
    if (allowed.length > 0) return methodNotAllowed(context, allowed);
    const suggestion = nearestPath(app, context.req.path);
    const hint =
      suggestion === undefined ? ' See / and /docs for the available routes.' : ` Did you mean ${suggestion}?`;
    const message = `There is no route ${context.req.method} ${context.req.path}.${hint}`;
    const data = suggestion === undefined ? {} : { suggestion };
    return problemResponse(new GatewayError('RouteNotFound', message, { data }), context.get('requestId'));
  });
  app.onError((error, context) => {
    const failure = toGatewayError(error);
    if (failure.status >= 500 && failure.code !== 'ShuttingDown')
      log.error({ requestId: context.get('requestId'), err: error }, failure.message);
    return problemResponse(failure, context.get('requestId'));
  });
  return app;
}

/** The methods that a path accepts. Handlers that match every path do not count. */
function methodsAt({ router }: Hono<GatewayEnv>, path: string): readonly string[] {
  const takes = (method: string): boolean =>
    router.match(method, path)[0].some(([[, route]]) => route.method === method);
  return METHODS.filter(takes).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** The path that is most similar to an unknown path, among paths without parameters. */
function nearestPath({ routes }: Hono<GatewayEnv>, path: string): string | undefined {
  if (path.length > MAX_MISTYPED) return undefined;
  const known = routes.map((route) => route.path).filter((pattern) => !/[:*]/.test(pattern));
  return closestName(path, new Set(known));
}

/** Longer paths than this are not compared: no route of the gateway is as long. */
const MAX_MISTYPED = 60;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
