import type { DecideTrust, TrustLevel } from 'skillwright';
import type { SkillsHost } from 'skillwright/host';
import type { KeyRing } from '../auth/key-ring.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { GatewayConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { GatewayLog } from '../http/log/log.ts';
import { createRegistry } from '../registry/create-registry.ts';
import type { NewSkill, Registry, SyncReport } from '../registry/registered-skill.ts';
import type { Clock } from '../spec/clock.ts';
import type { Store } from '../store/open-store.ts';
import { isBlocked } from './blocked-skill.ts';
import { createExecutor } from './create-executor.ts';
import { ECHO_HANDLER_NAME, echoHandler } from './handlers/echo-handler.ts';
import type { BuiltInSkill, Executor } from './executor.ts';
import { createExecutionPlaces } from './execution-places.ts';
import { createGate } from './start-checks.ts';
import { createHandlerDirectory } from './handlers/handler-directory.ts';
import { loadHandlers } from './handlers/handler-module.ts';
import { createHandlers, type Handlers } from './handlers/handlers.ts';
import { createLateWrites } from './late-writes.ts';
import { createLiveExecutions, type LiveExecution } from './live-executions.ts';
import { createModelRunner } from './requests/model-runner.ts';
import { openSkills } from './open-skills.ts';
import { createPackageRuns } from './packages/package-runs.ts';
import { createRequestSkills, type FindRequestSkills } from './requests/request-skills.ts';
import { syncSkills } from './sync-skills.ts';

export interface ExecutionsGround {
  readonly config: GatewayConfig;
  readonly env: Environment;
  /** How far the skills of the configured directories are trusted. */
  readonly trust: TrustLevel | DecideTrust;
  readonly store: Store;
  readonly log: GatewayLog;
  readonly now: Clock;
  readonly approvals: Approvals;
  readonly keys: KeyRing;
  readonly builtIns: readonly BuiltInSkill[];
  /** Other names of built-ins. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly workDirOf: (tenant: string) => string;
  /** Counts an execution as under way; returns what to call when it has ended. */
  readonly begin: () => () => void;
  /** An execution of a skill of this kind has ended so. */
  readonly onEnded: (kind: string, status: string) => void;
}

/** Everything that can run, and what runs it. */
export interface Executions {
  readonly registry: Registry;
  readonly executor: Executor;
  readonly skills: SkillsHost;
  readonly handlers: Handlers;
  readonly requestSkills: FindRequestSkills;
  /** Looks for skills in the configured directories again. */
  readonly refreshSkills: () => Promise<SyncReport>;
  /** Ends what is under way and waits until it is written down. */
  close(): Promise<void>;
}

export async function openExecutions(ground: ExecutionsGround): Promise<Executions> {
  const { config, store, log, now, builtIns, workDirOf } = ground;
  const { executions, settings } = store;
  const onError = (error: unknown): void => log.error({ err: error }, 'an execution or a skill could not be written');
  const registry = await createRegistry({ store, now, onError });
  const directory = createHandlerDirectory();
  for (const builtIn of builtIns) directory.addBuiltIn(builtIn);
  const live = createLiveExecutions(ground.begin);
  const late = createLateWrites(onError);
  const { approvalWaitMs, concurrentExecutions: most, concurrentRequests: mostOfKey } = config.limits;
  const places = createExecutionPlaces({ keys: ground.keys, most, mostOfKey });
  const gate = createGate({
    ...ground,
    registry,
    settings,
    handlers: directory,
    approvalWaitMs,
    isBlocked: (name) => isBlocked(host, name),
  });
  const follow = (kind: string, { ended }: LiveExecution): void => {
    // One that could not even be written down is none.
    void ended.then(({ status }) => ground.onEnded(kind, status)).catch(() => undefined);
  };
  const runs = createPackageRuns({ executions, live, late, now, follow });
  const host: SkillsHost = await openSkills({
    ...ground,
    registry,
    recorder: runs.recorder,
    onOutput: (id, stream, text) => runs.output(id, stream, text),
    wrapRunner: (runner) =>
      createModelRunner(runner, { gate, runs, places, digestOf: (skill) => host.digestOf(skill) }),
  });
  const executor = createExecutor({
    executions,
    host,
    gate,
    handlers: directory,
    live,
    places,
    late,
    runs,
    workDirOf,
    now,
    follow,
  });
  const handlers = createHandlers({ registry, directory, onError });
  const look = async (): Promise<SyncReport> => {
    const report = await syncSkills(host, registry);
    if (report.clashes.length > 0) log.warn({ skills: report.clashes }, 'skills whose name others have are not used');
    return report;
  };
  // One after the other: each works out what is different from what the one before wrote.
  let synced: Promise<unknown> = Promise.resolve();
  const sync = (): Promise<SyncReport> => {
    const next = synced.then(look);
    synced = next.catch(() => undefined);
    return next;
  };
  try {
    executor.registerHandler(ECHO_HANDLER_NAME, echoHandler, { idempotent: true });
    if (config.handlers !== '') await loadHandlers(config.handlers, executor);
    await registry.sync({ kind: 'builtin', sourceProvider: 'builtin' }, builtIns.map(rowOf));
    await sync();
    if (config.watch) await host.watch(() => sync().catch(onError));
  } catch (error) {
    await host.close();
    throw error;
  }
  return {
    registry,
    executor,
    skills: host,
    handlers,
    requestSkills: createRequestSkills({ ...ground, registry, settings, executor, directory, handlers, host }),
    async refreshSkills() {
      await host.refresh();
      return sync();
    },
    async close() {
      await Promise.all([live.close(), host.close(), handlers.settled()]);
      await synced;
      await late.close();
    },
  };
}

function rowOf({
  name,
  description,
  inputSchema,
  outputSchema,
  policy,
  tags,
  timeoutMs,
  retries,
}: BuiltInSkill): NewSkill {
  return {
    kind: 'builtin',
    name,
    version: '1.0.0',
    description,
    handler: name,
    schema: { input: inputSchema, output: outputSchema },
    policy,
    tags,
    timeoutMs,
    retries,
    mode: 'off',
  };
}
