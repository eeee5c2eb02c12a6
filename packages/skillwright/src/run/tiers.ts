import { tierStrength } from '../policy/isolation.ts';
import type { Sandbox, SandboxCapabilities, SandboxTier } from '../spec/sandbox.ts';

/** Where a run may happen, or why nowhere. */
export type TierChoice =
  | { readonly ok: true; readonly sandbox: Sandbox; readonly capabilities: SandboxCapabilities }
  | { readonly ok: false; readonly reason: string };

export interface Tiers {
  /** The weakest tier that is available, no weaker than `required`, and able to do it. Never a weaker one. */
  choose(wish: { readonly required: SandboxTier; readonly javascript: boolean }): Promise<TierChoice>;
}

export function createTiers(sandboxes: readonly Sandbox[]): Tiers {
  const inOrder = [...sandboxes].sort((a, b) => tierStrength(a.tier) - tierStrength(b.tier));
  return {
    async choose({ required, javascript }) {
      const missing: string[] = [];
      for (const sandbox of inOrder) {
        if (tierStrength(sandbox.tier) < tierStrength(required)) continue;
        const probe = await sandbox.probe();
        if (!probe.available) missing.push(`${sandbox.tier} is not available: ${probe.reason} ${probe.remedy}`);
        else if (probe.capabilities.runsPrograms || javascript)
          return { ok: true, sandbox, capabilities: probe.capabilities };
      }
      return {
        ok: false,
        reason: missing.length === 0 ? `no tier as strong as ${required} is set up` : missing.join(' '),
      };
    },
  };
}
