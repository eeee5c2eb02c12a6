import { PROGRAM } from '../../../spec/program.ts';
import { resolve } from 'node:path';
import { requiredTier } from '../../../policy/isolation.ts';
import { plainEnvironment } from '../../../policy/script-environment.ts';
import type { RunningOptions } from '../../../run/options/running-options.ts';
import type { SandboxTier, WorkspaceAccess } from '../../../spec/sandbox.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import type { CliContext } from '../context.ts';

/** How to run something, as the command line says. */
export interface RunSettings {
  readonly tier: SandboxTier | undefined;
  readonly timeoutMs: number | undefined;
  /** Environment variables given by name. */
  readonly granted: Readonly<Record<string, string>>;
  readonly network: boolean;
  readonly workspace: WorkspaceAccess | undefined;
  /** The absolute path of the record. */
  readonly recordFile: string | undefined;
}

/** The most bytes of each stream to keep for `--json` and the record. Live output has no limit. */
const MAX_OUTPUT_BYTES = 10_485_760;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function readRunSettings({ options, context, globals }: Invocation): RunSettings {
  const record = options.text('record');
  return {
    tier: options.text('sandbox') as SandboxTier | undefined,
    timeoutMs: readTimeout(options.text('timeout')),
    granted: Object.fromEntries(options.list('env').map((grant) => readGrant(grant, context.env))),
    network: options.flag('allow-net'),
    workspace: options.text('workspace') as WorkspaceAccess | undefined,
    recordFile: record === undefined ? undefined : resolve(globals.cwd, record),
  };
}

/** Converts settings to library options. Programs get a clean environment plus the variables granted by name. */
export function toRunningOptions(settings: RunSettings, context: Pick<CliContext, 'env'>): RunningOptions {
  const { tier, network, workspace, timeoutMs } = settings;
  return {
    sandbox: { tier, min: tier, network, workspace },
    env: environmentFor(settings, context),
    timeout: timeoutMs,
    maxOutput: MAX_OUTPUT_BYTES,
  };
}

/** The environment of the program: plain variables, and those granted by name. */
export function environmentFor({ granted }: RunSettings, { env }: Pick<CliContext, 'env'>): Record<string, string> {
  const here = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { ...plainEnvironment(Object.fromEntries(here) as Record<string, string>), ...granted };
}

/** Rejects settings that the library would silently ignore: a different tier, or a variable that is left out. */
export function assertRunSettings(settings: RunSettings, skill: SkillMetadata, isJavaScriptTool: boolean): void {
  const { tier, granted } = settings;
  if (tier === 'inprocess' && !isJavaScriptTool)
    throw refused('inprocess', 'That tier only runs tools written in JavaScript or TypeScript.', []);
  const declared = skill.requires?.env ?? [];
  if (tier === 'inprocess' && (declared.length > 0 || Object.keys(granted).length > 0))
    throw refused('inprocess', 'That tier cannot pass environment variables (--env, requires.env).', [
      'Remove --sandbox.',
    ]);
  const needed = requiredTier(skill.trust, { tier, min: tier });
  if (tier !== undefined && needed !== tier)
    throw refused(tier, `Skill '${skill.name}' is not trusted and needs the tier ${needed} or a stronger one.`, [
      `Remove --sandbox, or read the skill and then trust it: ${PROGRAM} trust <directory>.`,
    ]);
  if (skill.trust === 'trusted') return;
  const undeclared = Object.keys(granted).filter((name) => !declared.includes(name));
  if (undeclared.length > 0)
    throw usageError(
      `Skill '${skill.name}' is not trusted and does not declare ${undeclared.join(', ')}, so the program cannot get it.`,
      ['An untrusted skill must declare variables in requires.env. A trusted skill gets every variable that you name.'],
      { option: 'env', names: undeclared },
    );
}

function refused(tier: SandboxTier, reason: string, hints: readonly string[]): CliError {
  return new CliError('Usage', `It cannot run in the tier ${tier}. ${reason}`, {
    hints,
    data: { option: 'sandbox', value: tier },
    exitCode: 126,
  });
}

function readTimeout(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const [, amount, unit = 's'] = /^(\d{1,10}(?:\.\d{1,6})?)(ms|s|m|h)?$/.exec(given) ?? [];
  const timeoutMs = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN));
  if (timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw usageError(
    `Option --timeout needs a time above 0, not '${given}'.`,
    ['Write seconds, or a number with ms, s, m or h: --timeout 90, --timeout 500ms, --timeout 2m. At most 596h.'],
    { option: 'timeout', value: given },
  );
}

/** Values are never shown: they may be secrets. */
function readGrant(grant: string, env: CliContext['env']): [string, string] {
  const end = grant.indexOf('=');
  const name = end === -1 ? grant : grant.slice(0, end);
  if (!/^[^\s=]+$/.test(name))
    throw usageError('Option --env needs the name of a variable: --env NAME or --env NAME=value.', [], {
      option: 'env',
    });
  if (end !== -1) return [name, grant.slice(end + 1)];
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined) return [name, value];
  throw usageError(
    `The variable ${name} is not set here, so it cannot be passed on.`,
    [`Set it first, or give it a value: --env ${name}=value.`],
    { option: 'env', name },
  );
}
