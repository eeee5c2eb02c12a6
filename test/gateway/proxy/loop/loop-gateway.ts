import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../../../packages/skillwright/src/testing/index.ts';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import { createGateway } from '../../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../../packages/gateway/src/config/config.ts';
import type { HandlerSkill } from '../../../../packages/gateway/src/executions/handlers/handlers.ts';
import { startListening, type ListeningGateway } from '../../listening-gateway.ts';
import { makeDataDirectory } from '../../store/data-directory.ts';

/** The directory of this repository's sample skills, for a configuration. */
export const SAMPLE_SKILLS: readonly string[] = [fileURLToPath(new URL('../../../../skills', import.meta.url))];

export interface LoopOptions {
  /** The provider's turns, or a function of the conversation. */
  readonly model: Omit<ScriptedModelOptions, 'formats' | 'port' | 'apiKey'>;
  readonly config?: GatewayConfigInput | undefined;
  readonly handlers?: readonly HandlerSkill[] | undefined;
}

/** A gateway whose only provider is a scripted one that speaks every format. */
export interface Loop extends ListeningGateway {
  /** The provider. */
  readonly model: ScriptedModel;
}

const KEY_VARIABLE = 'UPSTREAM_KEY';
export const UPSTREAM_KEY = 'key-of-the-provider';

/** Starts a scripted provider and its gateway, and closes both after the test. */
export async function startLoop({ model: script, config, handlers }: LoopOptions): Promise<Loop> {
  const model = await createScriptedModel({ ...script, apiKey: UPSTREAM_KEY });
  onTestFinished(() => model.close());
  return { model, ...(await startGatewayTo(model, config, handlers)) };
}

/** Starts a gateway for an existing provider. */
export async function startGatewayTo(
  model: Pick<ScriptedModel, 'baseUrl'>,
  config: GatewayConfigInput = {},
  handlers: readonly HandlerSkill[] = [],
): Promise<ListeningGateway> {
  const env = loopEnvironment();
  return startListening(async (log) => {
    const gateway = await createGateway(loopConfig(model, config), { env, ...log });
    for (const handler of handlers) await gateway.handlers.register(handler);
    return gateway;
  });
}

export function loopEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', [KEY_VARIABLE]: UPSTREAM_KEY };
}

/** The configuration of a gateway for this provider. */
export function loopConfig(
  model: Pick<ScriptedModel, 'baseUrl'>,
  config: GatewayConfigInput = {},
): GatewayConfigInput & { readonly data: string } {
  const upstreams = WIRE_FORMATS.map((format) => ({
    id: format,
    format,
    baseUrl: model.baseUrl(format),
    apiKeyEnv: KEY_VARIABLE,
  }));
  const limits = { requestsPerMinute: 100_000, concurrentRequests: 10_000, shutdownMs: 0, ...config.limits };
  return { port: 0, upstreams, anonymous: 'skills', ...config, limits, data: config.data ?? makeDataDirectory() };
}
