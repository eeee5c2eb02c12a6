import type { Logger } from 'skillwright';
import { createSkillsHost, createStandardSources, type SkillsHost } from 'skillwright/host';
import type { GatewayConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { GatewayLog } from '../http/log.ts';
import type { Clock } from '../spec/clock.ts';
import type { Store } from '../store/open-store.ts';
import { createStoreRecorder } from './store-recorder.ts';
import { createWorkspaces } from './workspaces.ts';

export interface SkillsGround {
  readonly config: GatewayConfig;
  readonly env: Environment;
  readonly store: Store;
  readonly log: GatewayLog;
  readonly now: Clock;
}

/** Of the gateway's own environment, all that skills see; their secrets are granted one by one. */
const SHARED_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ'];

/** Finds the skills of the configured directories. They run with a clean environment, in their tenant's workspace. */
export function openSkills({ config, env, store, log, now }: SkillsGround): Promise<SkillsHost> {
  const { skills, data, sandbox } = config;
  return createSkillsHost({
    sources: createStandardSources(
      { projectSkillDir: null, additionalSearchPaths: skills, optional: true },
      { trust: 'trusted' },
    ),
    sandbox: { tier: 'process', min: sandbox.min, network: sandbox.network, workspace: 'write' },
    env: Object.fromEntries(SHARED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    recorder: createStoreRecorder(store.executions, now),
    workDirOf: createWorkspaces(data),
    logger: libraryLogger(log),
  });
}

/** Where the library's lines go: message and data are the other way round here. */
function libraryLogger(log: GatewayLog): Logger {
  return {
    debug: (message, data) => log.debug(data ?? {}, message),
    info: (message, data) => log.info(data ?? {}, message),
    warn: (message, data) => log.warn(data ?? {}, message),
    error: (message, data) => log.error(data ?? {}, message),
  };
}
