import { withoutAbsent } from '../../parse/json/json-source.ts';
import { invalidOption } from '../../spec/errors/error.ts';
import { TOOL_RESTRICTION_MODES, type ToolRestrictionMode } from '../../policy/restriction/restriction.ts';
import { EXECUTION_POLICIES, type Approve, type ExecutionPolicy } from '../../spec/approval.ts';
import type { Recorder } from '../../spec/recorder.ts';
import { SANDBOX_TIERS, type Sandbox, type SandboxTier, DEFAULT_SANDBOX_LIMITS } from '../../spec/sandbox.ts';
import { assertKeys, assertNumbers, assertOneOf } from './option-checks.ts';
import { assertSandboxOptions, type SandboxOptions } from './sandbox-options.ts';
import { type SkillKeyed, createSkillKeyed, type KeyedContext } from '../skill-keyed.ts';
import type { SkillSecrets } from '../run-environment.ts';
import { defaultExecutionPolicy } from '../../policy/approvals.ts';
import { strongerTier, type IsolationOptions } from '../../policy/isolation.ts';
import type { RunContext } from '../run-context.ts';

/** One policy for every skill, one for each by name (`*` for all others), or a function that is called each time. */
export type ExecutionPolicies = ExecutionPolicy | SkillKeyed<ExecutionPolicy>;

/** Decisions of the host that skills cannot change. */
export interface PolicyOptions {
  /** The effect of active skills' tool lists. Default `enforce`. */
  readonly allowedTools?: ToolRestrictionMode | undefined;
  /** What a model may run. Default: `auto` for trusted skills, `hybrid` for others. */
  readonly execution?: ExecutionPolicies | undefined;
  /** The weakest tier allowed. If the host has no tier that is as strong, the run is refused. */
  readonly minIsolation?: SandboxTier | undefined;
}

/** Worker processes for JavaScript and Python handlers. */
export interface WorkerOptions {
  /** The most workers for all skills together; further calls wait. Default: the number of processors, at least 2. */
  readonly max?: number | undefined;
  /** How many calls a worker serves before it is replaced. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** Milliseconds after which an idle worker is ended. Default 60,000. */
  readonly idle?: number | undefined;
}

/** How scripts and tools are run. */
export interface RunningOptions {
  readonly policy?: PolicyOptions | undefined;
  readonly sandbox?: SandboxTier | SandboxOptions | undefined;
  /** The host's own sandboxes. Each replaces the built-in sandbox of its tier. */
  readonly sandboxes?: readonly Sandbox[] | undefined;
  /**
   * The environment of scripts and tools. Default: the host's environment without variables that can take over
   * interpreters, as long as every skill is trusted. Untrusted skills get only the variables that they declare.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Secret environment variables for single skills, redacted from all their output. */
  readonly secrets?: SkillSecrets | undefined;
  /** Asks a person to approve a model's run. */
  readonly approve?: Approve | undefined;
  /** Records runs. */
  readonly recorder?: Recorder | undefined;
  /** Time limit of a script or tool in milliseconds. Default 30,000. */
  readonly timeout?: number | undefined;
  /** The most bytes kept of stdout and of stderr each. Default 20,480. */
  readonly maxOutput?: number | undefined;
  /** The directory for copies of untrusted skills. Default: a directory in the user's cache. */
  readonly stagingDir?: string | undefined;
  readonly workers?: WorkerOptions | undefined;
}

/** Rejects misuse at once, with the option's name: a typo must not weaken a setting. */
export function assertRunningOptions(options: RunningOptions): void {
  assertNumbers(options, '', ['timeout', 'maxOutput']);
  assertKeys(options.policy, 'policy', ['allowedTools', 'execution', 'minIsolation']);
  assertOneOf(options.policy?.allowedTools, 'policy.allowedTools', TOOL_RESTRICTION_MODES);
  assertOneOf(options.policy?.minIsolation, 'policy.minIsolation', SANDBOX_TIERS);
  assertExecution(options.policy?.execution);
  assertSandboxOptions(options.sandbox);
  assertKeys(options.workers, 'workers', ['max', 'maxCalls', 'idle']);
  assertNumbers(options.workers ?? {}, 'workers.', ['max', 'maxCalls', 'idle']);
  assertEnvironment(options.env, 'env');
  assertSecrets(options.secrets);
  if (options.approve !== undefined && typeof options.approve !== 'function')
    throw invalidOption('approve', 'must be a function');
  if (options.recorder !== undefined && !hasMethods(options.recorder, ['begin', 'end']))
    throw invalidOption('recorder', 'must have the methods begin and end');
  for (const sandbox of options.sandboxes ?? []) {
    if (!hasMethods(sandbox, ['probe', 'launch']))
      throw invalidOption('sandboxes', 'must have the methods probe and launch');
    assertOneOf(sandbox.tier ?? '', 'sandboxes[].tier', SANDBOX_TIERS);
  }
  const stagingDir: unknown = options.stagingDir;
  if (stagingDir !== undefined && (typeof stagingDir !== 'string' || stagingDir === '' || stagingDir.includes('\0')))
    throw invalidOption('stagingDir', 'must be a path');
}

function assertExecution(execution: unknown): void {
  if (typeof execution === 'function') return;
  if (typeof execution !== 'object' || execution === null)
    return assertOneOf(execution, 'policy.execution', EXECUTION_POLICIES);
  for (const [name, value] of Object.entries(execution))
    assertOneOf(value, `policy.execution.${name}`, EXECUTION_POLICIES);
}

function assertSecrets(secrets: unknown): void {
  if (secrets === undefined || typeof secrets === 'function') return;
  if (typeof secrets !== 'object' || secrets === null)
    throw invalidOption('secrets', 'must be an object of skill names, or a function');
  for (const [skill, values] of Object.entries(secrets)) assertEnvironment(values, `secrets.${skill}`);
}

function assertEnvironment(env: unknown, option: string): void {
  if (env === undefined) return;
  if (typeof env !== 'object' || env === null) throw invalidOption(option, 'must be an object of texts');
  // Do not show the value, because it may be a secret.
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string' || value.includes('\0'))
      throw invalidOption(`${option}.${name}`, 'must be a string without NUL bytes');
    if (!/^[^=\0]+$/.test(name))
      throw invalidOption(option, `has a variable that cannot be set: ${JSON.stringify(name)}`);
  }
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

type Settings = Pick<
  RunContext,
  'isolation' | 'network' | 'workspace' | 'limits' | 'executionPolicy' | 'maxOutputBytes'
>;

const DEFAULT_MAX_OUTPUT_BYTES = 20_480;

/** The options with defaults filled in. */
export function runSettings({ sandbox, policy, maxOutput }: RunningOptions, context: KeyedContext): Settings {
  const execution = policy?.execution;
  const policyOf = createSkillKeyed(typeof execution === 'string' ? () => execution : execution, context);
  const given: SandboxOptions = typeof sandbox === 'string' ? { tier: sandbox } : (sandbox ?? {});
  return {
    isolation: isolationOptions(given, policy?.minIsolation),
    network: given.network ?? false,
    workspace: given.workspace ?? 'none',
    limits: { ...DEFAULT_SANDBOX_LIMITS, ...withoutAbsent(given.limits ?? {}) },
    executionPolicy: (skill) => policyOf(skill) ?? defaultExecutionPolicy(skill.trust),
    maxOutputBytes: maxOutput ?? DEFAULT_MAX_OUTPUT_BYTES,
  };
}

function isolationOptions({ tier, min }: SandboxOptions, minIsolation: IsolationOptions['min']): IsolationOptions {
  const least =
    min !== undefined && minIsolation !== undefined ? strongerTier(min, minIsolation) : (min ?? minIsolation);
  return { tier, min: least };
}
