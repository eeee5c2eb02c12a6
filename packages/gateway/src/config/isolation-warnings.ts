import { probeSandboxes, type SandboxOptions } from 'skillwright/sandbox';
import type { GatewayConfig } from './config.ts';

type Tier = GatewayConfig['sandbox']['min'];

const TIERS: readonly Tier[] = ['process', 'bubblewrap', 'container'];

export interface IsolationNeeds {
  readonly config: Pick<GatewayConfig, 'sandbox' | 'builtins'>;
  /** The container options of the sandbox. */
  readonly container: SandboxOptions['container'];
  /** The `PATH` in which to look for programs; `undefined` for the usual places. */
  readonly path: string | undefined;
  /** Whether `eval_code` or `execute_command` is on. */
  readonly runsCode: boolean;
}

/** Warns if the demanded isolation is not available on this host, so that nothing could ever run. Never rejects. */
export async function isolationWarnings({ config, container, path, runsCode }: IsolationNeeds): Promise<string[]> {
  const { min } = config.sandbox;
  const own = runsCode ? stronger(config.builtins.minIsolation, min) : min;
  if (own === 'process') return [];
  const reports = await probeSandboxes({ path, container });
  const problemWith = (needed: Tier): string | undefined => {
    const enough = reports.filter(({ tier }) => strength(tier) >= strength(needed));
    if (enough.some(({ available }) => available)) return undefined;
    const [nearest] = enough;
    return nearest === undefined || nearest.available ? undefined : `${nearest.reason} ${nearest.remedy}`;
  };
  const forSkills = min === 'process' ? undefined : problemWith(min);
  const forCode = own === min ? undefined : problemWith(own);
  return [
    ...(forSkills === undefined
      ? []
      : [`No skill can run, because "sandbox.min" requires ${min}, which is not available. ${forSkills}`]),
    ...(forCode === undefined
      ? []
      : [`eval_code and execute_command cannot run, because they require ${own}, which is not available. ${forCode}`]),
  ];
}

function stronger(a: Tier, b: Tier): Tier {
  return strength(a) >= strength(b) ? a : b;
}

function strength(tier: string): number {
  return TIERS.findIndex((one) => one === tier);
}
