import { probeSandboxes, type SandboxReport } from '../../../process/standard-sandboxes.ts';
import type { SandboxTier } from '../../../spec/sandbox.ts';
import type { CliContext } from '../context.ts';

type Absence = Pick<Extract<SandboxReport, { available: false }>, 'reason' | 'remedy'>;

/** Tiers that only programs using the library can have. */
const ONLY_FOR_PROGRAMS: Readonly<Partial<Record<SandboxTier, Absence>>> = {
  remote: {
    reason: 'The command line cannot run skills on other machines.',
    remedy: 'A program that uses the library can pass its own sandbox with this tier (option sandboxes).',
  },
};

/** What each tier offers the command line on this machine, weakest first. */
export async function reportTiers({ env }: Pick<CliContext, 'env'>): Promise<readonly SandboxReport[]> {
  const reports = await probeSandboxes({ path: env.PATH });
  return reports.map((report) => (report.available ? report : { ...report, ...ONLY_FOR_PROGRAMS[report.tier] }));
}

/** The weakest tier that can run untrusted skills; `undefined` if there is none. */
export function tierForUntrusted(reports: readonly SandboxReport[]): SandboxReport | undefined {
  return reports.find(({ tier, available }) => available && tier !== 'inprocess' && tier !== 'process');
}
