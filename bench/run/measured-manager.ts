import { existsSync } from 'node:fs';

/** The part of the library's results that is used here. */
export interface MeasuredRun {
  readonly success: boolean;
  readonly stdout: string;
  readonly code?: string;
  readonly error?: string;
  readonly truncated?: { readonly stdout: boolean };
  readonly executionId: string;
}

/** The part of `SkillManager` that is measured here. */
export interface MeasuredManager {
  discoverSync(): unknown;
  runScript(
    skill: string,
    script: string,
    args: readonly string[],
    options?: { readonly timeout?: number },
  ): Promise<MeasuredRun>;
  callTool(
    tool: string,
    args: object,
    options?: { readonly timeout?: number },
  ): Promise<{ readonly value: unknown; readonly isError: boolean; readonly execution: MeasuredRun }>;
  close(): Promise<void>;
}

export type Tier = 'inprocess' | 'process' | 'bubblewrap';

export interface ManagerOptions {
  readonly sandbox: Tier;
  readonly workers?: { readonly max: number };
}

/** Makes a manager of one directory of trusted skills and discovers them. */
export type CreateManager = (skillDir: string, options: ManagerOptions) => MeasuredManager;

/** Thrown when there is nothing to measure: no build, no Python, no bubblewrap. */
export class AbsentError extends Error {}

const ENTRY = new URL('../../packages/skillwright/dist/index.mjs', import.meta.url);
const SANDBOX_ENTRY = new URL('../../packages/skillwright/dist/sandbox.mjs', import.meta.url);

export async function loadManager(): Promise<CreateManager> {
  if (!existsSync(ENTRY)) throw new AbsentError('the library is not built: npm run build');
  const library = (await import(ENTRY.href)) as { SkillManager?: new (options: object) => MeasuredManager };
  const { SkillManager } = library;
  if (SkillManager === undefined) throw new AbsentError('the library exports no SkillManager');
  return (skillDir, options) => {
    const manager = new SkillManager({ projectSkillDir: skillDir, ...options });
    manager.discoverSync();
    return manager;
  };
}

/** Whether the process tier gives each run a PID namespace here, which takes a little longer. */
export async function usesPidNamespaces(): Promise<boolean> {
  const library = (await import(SANDBOX_ENTRY.href)) as { probeSandboxes: () => Promise<readonly TierReport[]> };
  const report = (await library.probeSandboxes()).find(({ tier }) => tier === 'process');
  return report?.capabilities?.killsTree === true;
}

interface TierReport {
  readonly tier: string;
  readonly capabilities?: { readonly killsTree: boolean };
}

/** A run's output. Throws if the run failed: as absent if this host lacks something it needs. */
export function printedBy({ success, stdout, code, error }: MeasuredRun): string {
  if (success) return stdout.trimEnd();
  const reason = error ?? 'it failed without a reason';
  throw code === 'RequirementsMissing' ? new AbsentError(reason) : new Error(reason);
}
