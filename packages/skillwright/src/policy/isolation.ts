import { SANDBOX_TIERS, type SandboxTier } from '../spec/sandbox.ts';
import type { TrustLevel } from '../spec/trust.ts';

/** The tiers that the host requires. */
export interface IsolationOptions {
  /** The tier for trusted skills. Default `process`. */
  readonly tier?: SandboxTier | undefined;
  /** The weakest tier in which any skill may run. */
  readonly min?: SandboxTier | undefined;
}

/** The weakest tier that isolates an untrusted skill from the rest of the machine. */
const UNTRUSTED_MINIMUM: SandboxTier = 'bubblewrap';
const DEFAULT_TIER: SandboxTier = 'process';

/** The weakest tier that a skill may run in. A stronger tier is always acceptable, a weaker one never. */
export function requiredTier(trust: TrustLevel, options: IsolationOptions): SandboxTier {
  const wanted = strongerTier(options.tier ?? options.min ?? DEFAULT_TIER, options.min ?? 'inprocess');
  return trust === 'trusted' ? wanted : strongerTier(wanted, UNTRUSTED_MINIMUM);
}

export function strongerTier(a: SandboxTier, b: SandboxTier): SandboxTier {
  return tierStrength(a) >= tierStrength(b) ? a : b;
}

export function tierStrength(tier: SandboxTier): number {
  return SANDBOX_TIERS.indexOf(tier);
}
