import { tierStrength } from '../../policy/isolation.ts';
import { probeSafely } from '../../process/standard-sandboxes.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { Sandbox, SandboxCapabilities, SandboxTier } from '../../spec/sandbox.ts';
import { withEgress, type EgressOptions } from '../egress-sandbox.ts';

/** The sandbox for a run, or why there is none. */
export type TierChoice =
  | { readonly ok: true; readonly sandbox: Sandbox; readonly capabilities: SandboxCapabilities }
  | { readonly ok: false; readonly reason: string; readonly nearest: MissingTier | undefined };

/** A tier that would be strong enough but is not available on this host. */
export interface MissingTier {
  readonly tier: SandboxTier;
  readonly reason: string;
  readonly remedy: string;
}

export interface TierRequirement {
  /** The weakest acceptable tier. */
  readonly required: SandboxTier;
  /**
   * Whether the code is a JavaScript handler that needs no environment of its own: then a tier that cannot run programs
   * is enough.
   */
  readonly javascript: boolean;
  /** Whether the code is untrusted: then the tier must guarantee isolation on this host, and its name is not enough. */
  readonly contained: boolean;
}

export interface Tiers {
  /** The weakest available tier that is at least as strong as `required` and has the needed abilities. */
  choose(requirement: TierRequirement): Promise<TierChoice>;
}

/** The guarantees that untrusted code requires. */
const CONTAINMENT = ['hidesFiles', 'hidesNetwork', 'protectsSkill'] as const;

/** Which hosts programs with network access may reach, and who is told about denials. */
export interface TierEgress {
  readonly options: EgressOptions;
  readonly logger: Logger;
}

/** Chooses among these sandboxes. If several have the same tier, the first one counts. */
export function createTiers(sandboxes: readonly Sandbox[], egress?: TierEgress): Tiers {
  const inOrder = sandboxes
    .filter(({ tier }, index) => sandboxes.findIndex((other) => other.tier === tier) === index)
    .sort((a, b) => tierStrength(a.tier) - tierStrength(b.tier))
    .map((sandbox) => (egress === undefined ? sandbox : withEgress(sandbox, egress.options, egress.logger)));
  return {
    async choose({ required, javascript, contained }) {
      const missing: string[] = [];
      const candidates: MissingTier[] = [];
      for (const sandbox of inOrder) {
        if (tierStrength(sandbox.tier) < tierStrength(required)) continue;
        const probe = await probeSafely(sandbox);
        if (!probe.available) {
          missing.push(`Tier ${sandbox.tier} is not available: ${probe.reason} ${probe.remedy}`);
          candidates.push({ tier: sandbox.tier, reason: probe.reason, remedy: probe.remedy });
          continue;
        }
        const { capabilities } = probe;
        const lacking = contained ? CONTAINMENT.filter((promise) => !capabilities[promise]) : [];
        if (lacking.length > 0) {
          const reason = `Tier ${sandbox.tier} does not promise ${lacking.join(', ')}.`;
          missing.push(reason);
          candidates.push({ tier: sandbox.tier, reason, remedy: 'Use a sandbox with these capabilities.' });
        } else if (capabilities.runsPrograms || javascript) return { ok: true, sandbox, capabilities };
      }
      const nothing = `No tier as strong as ${required} is available.`;
      return { ok: false, reason: missing.length === 0 ? nothing : missing.join(' '), nearest: nearestOf(candidates) };
    },
  };
}

/** The weakest of the candidates that this operating system can have. */
function nearestOf(candidates: readonly MissingTier[]): MissingTier | undefined {
  const possible = candidates.find(({ tier }) => tier !== 'bubblewrap' || process.platform === 'linux');
  return possible ?? candidates[0];
}
