import { randomUUID } from 'node:crypto';
import { createSchemaCheck, type SkillsHost } from 'skillwright/host';
import type { RegisteredSkill } from '../registry/registered-skill.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { NewExecution } from '../store/tables/execution-rows.ts';
import type { ExecutionTable } from '../store/tables/execution-table.ts';
import { isJsonObject } from '../spec/json-object.ts';
import { blockedSkill, isBlocked } from './blocked-skill.ts';
import { measureInput } from './execution-input.ts';
import type { ExecutionPlaces } from './execution-places.ts';
import type { ExecutionEvent, ExecutionRequest, Executor } from './executor.ts';
import type { StartChecks, ModelRunRequest } from './start-checks.ts';
import type { HandlerDirectory, KnownHandler } from './handlers/handler-directory.ts';
import type { EndedExecution, LiveExecution } from './live-executions.ts';
import { readPackageInput } from './packages/package-input.ts';
import { asRegistered, type PackageRuns, type PackageRunsParts } from './packages/package-runs.ts';
import { runHandler } from './handlers/run-handler.ts';
import { tenantOf } from './tenant.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 3;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_RETRIES = 10;

export interface ExecutorParts extends PackageRunsParts {
  readonly host: SkillsHost;
  readonly checks: StartChecks;
  readonly handlers: HandlerDirectory;
  readonly places: ExecutionPlaces;
  readonly runs: PackageRuns;
  /** The working directory for a tenant's packages. */
  readonly workDirOf: (tenant: string) => string;
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { executions, checks, handlers, live, places } = parts;
  const check = createSchemaCheck();
  let timeoutMs = DEFAULT_TIMEOUT_MS;
  let maxRetries = DEFAULT_RETRIES;

  const startHandler = async (skill: RegisteredSkill, request: MeasuredRequest): Promise<LiveExecution> => {
    const input = handlerInput(skill, request.input ?? {}, check);
    await judge(skill, request, { target: skill.handler ?? skill.name, input });
    const known = handlers.find(skill.kind === 'builtin' ? 'builtin' : 'handler', skill.handler ?? '');
    if (known === undefined)
      throw new GatewayError('SkillNotAllowed', `The handler of skill '${skill.name}' is no longer registered.`);
    const place = await places.take(request);
    const entry = live.open(randomUUID(), request.signal);
    parts.follow(skill.kind, entry);
    place.hold(entry);
    const run = {
      execution: newExecution(entry.id, skill, request, parts.now()),
      handler: known.execute,
      input,
      timeoutMs: skill.timeoutMs ?? timeoutMs,
      retries: isIdempotent(known, input) ? (skill.retries ?? maxRetries) : 0,
      problemOf: (output: unknown) => outputProblem(skill, output, check),
      confirm: () => checks.confirm(skill, request),
    };
    runHandler(run, entry, parts).catch((error: unknown) => entry.end({ error }));
    return entry;
  };

  const startPackage = async (skill: RegisteredSkill, request: MeasuredRequest): Promise<LiveExecution> => {
    const record = parts.host.snapshot.find(skill.name);
    if (record === undefined && isBlocked(parts.host, skill.name)) throw blockedSkill(skill.name);
    if (record === undefined)
      throw new GatewayError('UnknownSkill', `The files of skill '${skill.name}' no longer exist.`);
    const target = readPackageInput(request.input ?? {}, record);
    await judge(skill, request, {
      target: target.kind === 'script' ? target.script : target.tool.name,
      input: request.input,
      digestOf: () => parts.host.digestOf(record.metadata),
    });
    const tenant = tenantOf(request.apiKeyId);
    const shared = {
      tenant,
      cwd: parts.workDirOf(tenant),
      timeout: skill.timeoutMs ?? undefined,
      session: request.sessionId ?? undefined,
    };
    const { runner } = parts.host.runtime;
    const place = await places.take(request);
    const { live: entry } = parts.runs.run<unknown>(skill, request.signal, (own) => {
      const registered = asRegistered(record, skill);
      if (target.kind === 'tool') return runner.callTool(registered, target.tool, target.args, { ...shared, ...own });
      const { script, args, stdin } = target;
      return runner.runScript(registered, script, args, { ...shared, ...own, stdin });
    });
    place.hold(entry);
    return entry;
  };

  const judge = async (
    skill: RegisteredSkill,
    { caller, apiKeyId, sessionId = null, signal }: ExecutionRequest,
    part: Pick<ModelRunRequest, 'target' | 'input' | 'digestOf'>,
  ): Promise<void> => {
    if (caller === 'model') await checks.judge(skill, { ...part, apiKeyId, sessionId, signal });
  };

  const begin = async (request: ExecutionRequest): Promise<LiveExecution> => {
    const { skillName, version, apiKeyId } = request;
    const measured = { ...request, bytes: measureInput(request.input) };
    const skill = await checks.find({ skillName, version, apiKeyId });
    return skill.kind === 'package' ? startPackage(skill, measured) : startHandler(skill, measured);
  };

  return {
    execute: async (request) => (await begin(request)).ended,
    start: async (request) => (await begin(request)).begun,
    registerHandler: (name, handler, options = {}) => handlers.add(name, handler, options),
    hasHandler: (name) => handlers.has(name),
    get handlerNames() {
      return handlers.names;
    },
    setTimeout(ms) {
      timeoutMs = wholeNumber('timeout', ms, 1, MAX_TIMEOUT_MS);
    },
    setMaxRetries(retries) {
      maxRetries = wholeNumber('number of retries', retries, 0, MAX_RETRIES);
    },
    getExecution: (id) => executions.get(id),
    listExecutions: (filter, page) => executions.list(filter, page),
    countExecutions: (filter) => executions.count(filter),
    cancel: (id) => live.cancel(id),
    watch: (id, signal) => live.watch(id, signal) ?? watchEnded(id, executions, live.ended(id)),
  };
}

/** Replays an ended execution: the output that is kept, then the last status. */
async function* watchEnded(
  id: string,
  executions: ExecutionTable,
  { printed = [], state }: Partial<EndedExecution> = {},
): AsyncGenerator<ExecutionEvent> {
  yield* printed;
  const execution = await executions.get(id);
  if (execution !== undefined) yield { type: 'status', execution: { ...execution, ...state } };
}

/** A request whose input has been measured and is small enough. */
interface MeasuredRequest extends ExecutionRequest {
  readonly bytes: number;
}

function newExecution(id: string, skill: RegisteredSkill, request: ExecutionRequest, createdAt: number): NewExecution {
  return {
    id,
    skillId: skill.id,
    skillName: skill.name,
    version: skill.version,
    apiKeyId: request.apiKeyId,
    sessionId: request.sessionId ?? null,
    input: request.input ?? {},
    createdAt,
  };
}

function isIdempotent({ idempotent }: KnownHandler, input: Readonly<Record<string, unknown>>): boolean {
  return typeof idempotent === 'function' ? idempotent(input) : idempotent;
}

type Check = ReturnType<typeof createSchemaCheck>;

function handlerInput(skill: RegisteredSkill, input: unknown, check: Check): Readonly<Record<string, unknown>> {
  const problems = isJsonObject(input) ? check(skill.schema.input, input) : ['It must be an object.'];
  if (problems.length === 0) return input as Readonly<Record<string, unknown>>;
  throw new GatewayError(
    'InvalidInput',
    `The input is invalid for skill '${skill.name}'. ${problems.slice(0, 5).join(' ')}`,
    {
      data: { skill: skill.name },
    },
  );
}

function outputProblem({ schema }: RegisteredSkill, output: unknown, check: Check): string | undefined {
  const problems = check(schema.output, output);
  return problems.length === 0
    ? undefined
    : `The output does not match the skill's output schema. ${problems.slice(0, 5).join(' ')}`;
}

function wholeNumber(what: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new GatewayError('InvalidConfiguration', `The ${what} must be a whole number from ${least} to ${most}.`);
}
