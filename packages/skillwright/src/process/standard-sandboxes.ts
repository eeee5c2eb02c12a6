import { type Sandbox, SANDBOX_TIERS, type SandboxProbe, type SandboxTier } from '../spec/sandbox.ts';
import { createBubblewrapSandbox } from './bubblewrap/sandbox.ts';
import type { ContainerOptions } from './container/options.ts';
import { createContainerSandbox } from './container/sandbox.ts';
import { hostEnvironment } from './host-environment.ts';
import { createInProcessSandbox } from './inprocess/sandbox.ts';
import { createProcessSandbox } from './plain/sandbox.ts';
import { messageOf } from '../spec/errors/error.ts';

interface StandardSandboxOptions {
  /** The PATH to search for bubblewrap and container engines. Default: the PATH of this process. */
  readonly path?: string | undefined;
  readonly container?: ContainerOptions | undefined;
}

/** The tiers of this package, weakest first. Each is probed only when it is needed. */
export function createStandardSandboxes({ path, container }: StandardSandboxOptions): readonly Sandbox[] {
  const environment = hostEnvironment();
  return [
    createInProcessSandbox(),
    createProcessSandbox(),
    createBubblewrapSandbox({ path }),
    createContainerSandbox(container, path === undefined ? environment : { ...environment, PATH: path }),
  ];
}

/** The state of one tier on this host. */
export type SandboxReport = SandboxProbe & { readonly tier: SandboxTier };

/** Options of `probeSandboxes`. */
export interface ProbeOptions extends StandardSandboxOptions {
  /** The host's own sandboxes. Each replaces the built-in sandbox of its tier. */
  readonly sandboxes?: readonly Sandbox[] | undefined;
}

const ELSEWHERE: Readonly<Partial<Record<SandboxTier, SandboxProbe>>> = {
  remote: {
    available: false,
    reason: 'No remote sandbox is configured.',
    remedy: 'Pass your own sandbox with the tier remote.',
  },
};

/** Reports which tiers this host has and how to get the others, weakest first. Never rejects. */
export function probeSandboxes(options: ProbeOptions = {}): Promise<readonly SandboxReport[]> {
  const sandboxes = [...(options.sandboxes ?? []), ...createStandardSandboxes(options)];
  return Promise.all(SANDBOX_TIERS.map(async (tier) => ({ tier, ...(await probeTier(tier, sandboxes)) })));
}

async function probeTier(tier: SandboxTier, sandboxes: readonly Sandbox[]): Promise<SandboxProbe> {
  const none: SandboxProbe = {
    available: false,
    reason: 'No sandbox has this tier.',
    remedy: 'Pass your own sandbox with this tier.',
  };
  const sandbox = sandboxes.find((candidate) => candidate.tier === tier);
  return sandbox === undefined ? (ELSEWHERE[tier] ?? none) : probeSafely(sandbox);
}

/**
 * Probes a sandbox that the host may have written: if its probe fails, the tier is unavailable. Reason and remedy
 * become whole sentences, so that they can be combined with others.
 */
export async function probeSafely(sandbox: Sandbox): Promise<SandboxProbe> {
  const remedy = 'Correct the sandbox that the host passed.';
  try {
    const probe: unknown = await sandbox.probe();
    if (isProbe(probe)) return probe.available ? probe : toSentences(probe);
    return { available: false, reason: 'its probe returned an invalid result.', remedy };
  } catch (error) {
    const reason = messageOf(error);
    return { available: false, reason: `its probe failed: ${reason}.`, remedy };
  }
}

function toSentences({ reason, remedy }: Extract<SandboxProbe, { available: false }>): SandboxProbe {
  return { available: false, reason: toSentence(reason), remedy: toSentence(remedy) };
}

function toSentence(text: unknown): string {
  const words = String(text).trimEnd();
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function isProbe(value: unknown): value is SandboxProbe {
  if (typeof value !== 'object' || value === null || !('available' in value)) return false;
  if (value.available === false) return 'reason' in value && 'remedy' in value;
  return (
    value.available === true &&
    'capabilities' in value &&
    typeof value.capabilities === 'object' &&
    value.capabilities !== null
  );
}
