import { coerce } from 'semver';
import { type DecideTrust, type SkillMetadata, type TrustLevel, createStandardSources } from 'skillwright';
import type { Recorder } from 'skillwright/record';
import { createSkillsHost, type Runner, type SkillsHost } from 'skillwright/host';
import type { Approvals } from '../approvals/approvals.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import type { GatewayConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { type GatewayLog, libraryLogger } from '../http/log/log.ts';
import { createRegistry } from '../registry/create-registry.ts';
import type { NewSkill, Registry, SyncReport } from '../registry/registered-skill.ts';
import { isTag } from '../registry/skill-check.ts';
import { isVersion } from '../registry/version-range.ts';
import type { Clock } from '../spec/clock.ts';
import type { Store } from '../store/open-store.ts';
import { isBlocked } from './blocked-skill.ts';
import { createExecutor } from './create-executor.ts';
import { createExecutionPlaces } from './execution-places.ts';
import type { BuiltInSkill, Executor } from './executor.ts';
import { createHandlerDirectory } from './handlers/handler-directory.ts';
import { loadHandlers } from './handlers/handler-module.ts';
import { createHandlers, ECHO_HANDLER_NAME, echoHandler, type Handlers } from './handlers/handlers.ts';
import { createLateWrites } from './late-writes.ts';
import { createLiveExecutions, type LiveExecution } from './live-executions.ts';
import { createPackageRuns } from './packages/package-runs.ts';
import { createModelRunner } from './requests/model-runner.ts';
import { createRequestSkills, type FindRequestSkills } from './requests/request-skills.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { createStartChecks } from './start-checks.ts';
import { apiKeyIdOf } from './tenant.ts';

/** The only variables of the gateway's environment that skills see; secrets are granted one by one. */
const SHARED_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ'];

/** How many skills are read concurrently. */
const AT_A_TIME = 8;
const MAX_TAGS = 50;
/** The version of a skill that declares no version or an invalid one. */
const NO_VERSION = '0.0.0';

export interface ExecutionsGround {
  readonly config: GatewayConfig;
  /** Where `apiKeyEnv` is looked up. */
  readonly env: Environment;
  /** How far skills in the configured directories are trusted. */
  readonly trust: TrustLevel | DecideTrust;
  readonly store: Store;
  readonly log: GatewayLog;
  readonly now: Clock;
  /** Approval requests that wait for a person. */
  readonly approvals: Approvals;
  readonly keys: KeyRing;
  readonly builtIns: readonly BuiltInSkill[];
  /** Aliases of built-ins. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly workDirOf: (tenant: string) => string;
  /** Counts a running execution. Returns the function to call when it ends. */
  readonly begin: () => () => void;
  /** Called when an execution of a skill of this kind has ended with this status. */
  readonly onEnded: (kind: string, status: string) => void;
}

interface SkillsGround extends Pick<ExecutionsGround, 'config' | 'env' | 'trust' | 'log' | 'workDirOf'> {
  readonly registry: Registry;
  readonly recorder: Recorder;
  /** Receives live output of an execution. */
  readonly onOutput: (executionId: string, stream: 'stdout' | 'stderr', text: string) => void;
  /** Wraps the runner that models' calls go through. */
  readonly wrapRunner: (runner: Runner) => Runner;
}

/** The registry, the executor, and the skills that they run. */
export interface Executions {
  /** Every known skill of any kind, by `name@version`. */
  readonly registry: Registry;
  /** Runs skills of every kind, and keeps a record of each execution. */
  readonly executor: Executor;
  /** The skills of the configured directories. */
  readonly skills: SkillsHost;
  /** Skills that are functions of the host's program. Register them before the first request. */
  readonly handlers: Handlers;
  /** Finds the skills that a proxied request may use. */
  readonly requestSkills: FindRequestSkills;
  /** Looks for skills in the configured directories again. */
  readonly refreshSkills: () => Promise<SyncReport>;
  /** Cancels running executions and waits until their rows are written. */
  close(): Promise<void>;
}

export async function openExecutions(ground: ExecutionsGround): Promise<Executions> {
  const { config, store, log, now, builtIns, workDirOf } = ground;
  const { executions, settings } = store;
  const onError = (error: unknown): void => log.error({ err: error }, 'an execution or a skill could not be saved');
  const registry = await createRegistry({ store, now, onError });
  const directory = createHandlerDirectory();
  for (const builtIn of builtIns) directory.addBuiltIn(builtIn);
  const live = createLiveExecutions(ground.begin);
  const late = createLateWrites(onError);
  const { approvalWaitMs, concurrentExecutions: most, concurrentRequests: mostOfKey } = config.limits;
  const places = createExecutionPlaces({ keys: ground.keys, most, mostOfKey });
  const checks = createStartChecks({
    ...ground,
    registry,
    settings,
    handlers: directory,
    approvalWaitMs,
    isBlocked: (name) => isBlocked(host, name),
  });
  const follow = (kind: string, { ended }: LiveExecution): void => {
    // An execution that could not be recorded is not counted.
    void ended.then(({ status }) => ground.onEnded(kind, status)).catch(() => undefined);
  };
  const runs = createPackageRuns({ executions, live, late, now, follow });
  const host: SkillsHost = await openSkills({
    ...ground,
    registry,
    recorder: runs.recorder,
    onOutput: (id, stream, text) => runs.output(id, stream, text),
    wrapRunner: (runner) =>
      createModelRunner(runner, { checks, runs, places, digestOf: (skill) => host.digestOf(skill) }),
  });
  const executor = createExecutor({
    executions,
    host,
    checks,
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
    if (report.clashes.length > 0)
      log.warn({ skills: report.clashes }, 'skills are ignored because other skills have the same name');
    return report;
  };
  // Run one sync after the other, because each compares the skills with the rows that the previous sync wrote.
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

/** Updates the registry's rows to the skills found in the configured directories. */
async function syncSkills(host: SkillsHost, registry: Registry): Promise<SyncReport> {
  const waiting = host.snapshot.skills.entries();
  const skills: NewSkill[] = [];
  const work = async (): Promise<void> => {
    for (const [place, skill] of waiting) skills[place] = await packageRow(skill, host);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return registry.sync({ kind: 'package', sourceProvider: 'local' }, skills);
}

async function packageRow(skill: SkillMetadata, host: SkillsHost): Promise<NewSkill> {
  const { name, description, version, mode, tags = [] } = skill;
  return {
    kind: 'package',
    name,
    version: versionOf(version),
    description,
    mode: mode ?? 'auto',
    tags: tags.filter(isTag).slice(0, MAX_TAGS),
    // An unreadable skill gets no digest, so that an approval for other content does not apply to it.
    digest: await host.digestOf(skill).catch(() => null),
  };
}

/** Completes a version to three numbers: `2` becomes `2.0.0`. */
function versionOf(text: string | undefined): string {
  const version = coerce(text)?.version ?? NO_VERSION;
  return isVersion(version) ? version : NO_VERSION;
}

/** Finds the skills of the configured directories. They run with a minimal environment in their tenant's workspace. */
function openSkills(ground: SkillsGround): Promise<SkillsHost> {
  const { config, env, trust, registry, recorder, onOutput, wrapRunner, workDirOf } = ground;
  const { skills, sandbox, maxSkills, eagerness } = config;
  return createSkillsHost({
    sources: createStandardSources(
      { projectSkillDir: null, additionalSearchPaths: skills, optional: true },
      { trust: typeof trust === 'string' ? trust : undefined },
    ),
    trust: typeof trust === 'function' ? trust : undefined,
    sandbox: {
      tier: 'process',
      min: sandbox.min,
      network: sandbox.network,
      workspace: 'write',
      ...sandboxSettings(sandbox),
    },
    env: Object.fromEntries(SHARED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    maxSkills,
    eagerness,
    recorder,
    wrapRunner,
    workDirOf,
    maxToolBytes: config.limits.skillToolBytes,
    // A skill without a row that the tenant sees is off.
    modeOf: ({ name }, tenant) => registry.current.packageMode(name, apiKeyIdOf(tenant)) ?? 'off',
    onEvent: (event) => {
      if (event.type === 'execution-output') onOutput(event.executionId, event.stream, event.text);
    },
    logger: libraryLogger(ground.log),
  });
}
