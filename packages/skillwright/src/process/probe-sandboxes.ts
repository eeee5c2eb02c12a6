import { SANDBOX_TIERS, type Sandbox, type SandboxProbe, type SandboxTier } from '../spec/sandbox.ts';
import { probeSafely } from './safe-probe.ts';
import { createStandardSandboxes, type StandardSandboxOptions } from './standard-sandboxes.ts';

/** What one tier is on this host. */
export type SandboxReport = SandboxProbe & { readonly tier: SandboxTier };

/** Options of `probeSandboxes`. */
export interface ProbeOptions extends StandardSandboxOptions {
  /** Sandboxes of the host, in place of the built-in ones of their tiers. */
  readonly sandboxes?: readonly Sandbox[] | undefined;
}

const ELSEWHERE: Readonly<Partial<Record<SandboxTier, SandboxProbe>>> = {
  remote: {
    available: false,
    reason: 'There is no machine to run on but this one.',
    remedy: 'Give a sandbox of your own with the tier remote.',
  },
};

/** Says which tiers this host has and how to get the others, weakest first. Never rejects. */
export function probeSandboxes(options: ProbeOptions = {}): Promise<readonly SandboxReport[]> {
  const sandboxes = [...(options.sandboxes ?? []), ...createStandardSandboxes(options)];
  return Promise.all(SANDBOX_TIERS.map(async (tier) => ({ tier, ...(await probeTier(tier, sandboxes)) })));
}

async function probeTier(tier: SandboxTier, sandboxes: readonly Sandbox[]): Promise<SandboxProbe> {
  const none: SandboxProbe = { available: false, reason: 'No sandbox has this tier.', remedy: 'Give one of your own.' };
  const sandbox = sandboxes.find((candidate) => candidate.tier === tier);
  return sandbox === undefined ? (ELSEWHERE[tier] ?? none) : probeSafely(sandbox);
}
