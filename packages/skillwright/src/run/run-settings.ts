import { defaultExecutionPolicy } from '../policy/execution-policy.ts';
import { strongerTier, type IsolationWish } from '../policy/isolation.ts';
import type { ExecutionPolicy } from '../spec/approval.ts';
import { DEFAULT_SANDBOX_LIMITS } from '../spec/sandbox.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { RunContext } from './run-context.ts';
import type { ExecutionPolicies, RunningOptions, SandboxOptions } from './running-options.ts';

type Settings = Pick<
  RunContext,
  'isolation' | 'network' | 'workspace' | 'limits' | 'executionPolicy' | 'maxOutputBytes'
>;

const DEFAULT_MAX_OUTPUT_BYTES = 20_480;

/** The options with their defaults put in. */
export function runSettings({ sandbox, policy, maxOutput }: RunningOptions): Settings {
  const wish: SandboxOptions = typeof sandbox === 'string' ? { tier: sandbox } : (sandbox ?? {});
  return {
    isolation: isolationWish(wish, policy?.minIsolation),
    network: wish.network ?? false,
    workspace: wish.workspace ?? 'none',
    limits: { ...DEFAULT_SANDBOX_LIMITS, ...definedLimits(wish.limits) },
    executionPolicy: (skill) => policyFor(skill, policy?.execution) ?? defaultExecutionPolicy(skill.trust),
    maxOutputBytes: maxOutput ?? DEFAULT_MAX_OUTPUT_BYTES,
  };
}

function isolationWish({ tier, min }: SandboxOptions, minIsolation: IsolationWish['min']): IsolationWish {
  const least =
    min !== undefined && minIsolation !== undefined ? strongerTier(min, minIsolation) : (min ?? minIsolation);
  return { tier, min: least };
}

function definedLimits(limits: SandboxOptions['limits']): object {
  return Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined));
}

function policyFor(skill: SkillMetadata, policies: ExecutionPolicies | undefined): ExecutionPolicy | undefined {
  if (policies === undefined || typeof policies === 'string') return policies;
  if (typeof policies === 'function') return policies(skill);
  const name = [skill.qualifiedName, skill.name, '*'].find((candidate) => Object.hasOwn(policies, candidate));
  return name === undefined ? undefined : policies[name];
}
