import type { DecideTrust, Recorder, TrustLevel } from 'skillwright';
import { createSkillsHost, createStandardSources, type Runner, type SkillsHost } from 'skillwright/host';
import type { GatewayConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { libraryLogger, type GatewayLog } from '../http/log/log.ts';
import type { Registry } from '../registry/registered-skill.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { apiKeyIdOf } from './tenant.ts';

export interface SkillsGround {
  readonly config: GatewayConfig;
  readonly env: Environment;
  /** How far the skills of the configured directories are trusted. */
  readonly trust: TrustLevel | DecideTrust;
  readonly log: GatewayLog;
  readonly registry: Registry;
  readonly recorder: Recorder;
  /** Live output of an execution. */
  readonly onOutput: (executionId: string, stream: 'stdout' | 'stderr', text: string) => void;
  /** Stands between what models call and what runs. */
  readonly wrapRunner: (runner: Runner) => Runner;
  readonly workDirOf: (tenant: string) => string;
}

/** Of the gateway's own environment, all that skills see; their secrets are granted one by one. */
const SHARED_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ'];

/** Finds the skills of the configured directories. They run with a clean environment, in their tenant's workspace. */
export function openSkills(ground: SkillsGround): Promise<SkillsHost> {
  const { config, env, trust, registry, recorder, onOutput, wrapRunner, workDirOf } = ground;
  const { skills, sandbox } = config;
  return createSkillsHost({
    sources: createStandardSources(
      { projectSkillDir: null, additionalSearchPaths: skills, optional: true },
      { trust: typeof trust === 'string' ? trust : undefined },
    ),
    trust: typeof trust === 'function' ? trust : undefined,
    sandbox: {
      tier: 'process',
      min: sandbox.min,
      network: sandbox.network,
      workspace: 'write',
      ...sandboxSettings(sandbox),
    },
    env: Object.fromEntries(SHARED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    recorder,
    wrapRunner,
    workDirOf,
    // A skill without a row that the tenant sees is none.
    modeOf: ({ name }, tenant) => registry.current.packageMode(name, apiKeyIdOf(tenant)) ?? 'off',
    onEvent: (event) => {
      if (event.type === 'execution-output') onOutput(event.executionId, event.stream, event.text);
    },
    logger: libraryLogger(ground.log),
  });
}
