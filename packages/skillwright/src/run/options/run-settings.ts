import { defaultExecutionPolicy } from '../../policy/execution-policy.ts';
import { strongerTier, type IsolationWish } from '../../policy/isolation.ts';
import { DEFAULT_SANDBOX_LIMITS } from '../../spec/sandbox.ts';
import type { RunContext } from '../run-context.ts';
import type { RunningOptions } from './running-options.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { createSkillKeyed, type KeyedContext } from '../skill-keyed.ts';

type Settings = Pick<
  RunContext,
  'isolation' | 'network' | 'workspace' | 'limits' | 'executionPolicy' | 'maxOutputBytes'
>;

const DEFAULT_MAX_OUTPUT_BYTES = 20_480;

/** The options with their defaults put in. */
export function runSettings({ sandbox, policy, maxOutput }: RunningOptions, context: KeyedContext): Settings {
  const execution = policy?.execution;
  const policyOf = createSkillKeyed(typeof execution === 'string' ? () => execution : execution, context);
  const wish: SandboxOptions = typeof sandbox === 'string' ? { tier: sandbox } : (sandbox ?? {});
  return {
    isolation: isolationWish(wish, policy?.minIsolation),
    network: wish.network ?? false,
    workspace: wish.workspace ?? 'none',
    limits: { ...DEFAULT_SANDBOX_LIMITS, ...definedLimits(wish.limits) },
    executionPolicy: (skill) => policyOf(skill) ?? defaultExecutionPolicy(skill.trust),
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
