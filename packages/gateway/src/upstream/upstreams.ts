import { createModelClient, type ModelClient } from 'skillwright';
import { createDemoModel } from 'skillwright/demo';
import { createProxyClient } from 'skillwright/host';
import { wireFormat, WIRE_FORMATS, type WireFormatName } from 'skillwright/wire';
import type { UpstreamConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { KEY_START } from '../auth/key-text.ts';
import { isProviderAddress, keyVariablesFor } from '../config/provider-keys.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { Failure, Upstream, UpstreamPlace } from './upstream.ts';
import { isModelName, matchesPattern } from './model-pattern.ts';
import { createPathFor } from './upstream-path.ts';

/** The model that needs no upstream. */
export const DEMO_MODEL = 'demo';

/** The most model clients to cache for each upstream. */
const MAX_CLIENTS = 200;

/** The configured upstreams and the demo model. */
export interface Upstreams {
  /** The configured upstreams, without the demo model. */
  readonly all: readonly Upstream[];
  /** The first upstream that speaks the format and has the model. `demo` is the demo model in every format. */
  route(format: WireFormatName, model: string): Upstream | undefined;
  /** The error for a client whose model is unknown or missing, with the available models. */
  unknownModel(format: WireFormatName, model: string | undefined): Failure;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Reads the keys, and opens no connection yet. Throws if a key is not a valid header. */
export function createUpstreams(
  { upstreams }: { readonly upstreams: readonly UpstreamConfig[] },
  env: Environment,
): Upstreams {
  const opened = upstreams.map((settings) => createUpstream(settings, env));
  const all = opened.map(({ upstream }) => upstream);
  const demos = new Map(WIRE_FORMATS.map((format) => [format, createDemo(format)]));
  return {
    all,
    route: (format, model) => {
      if (model === DEMO_MODEL) return demos.get(format);
      if (!isModelName(model)) return undefined;
      return all.find((upstream) => upstream.format === format && takes(upstream, model));
    },
    unknownModel: (format, model) => {
      const own = all.filter((upstream) => upstream.format === format).flatMap(({ models }) => models);
      const known = [...new Set([...own, DEMO_MODEL])].join(', ');
      const elsewhere = model === undefined ? [] : all.filter((upstream) => takes(upstream, model));
      const formats = [...new Set(elsewhere.map((upstream) => upstream.format))];
      return unknownModel(format, { model, known, formats, isAlone: all.length === 0 });
    },
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

function takes({ models }: Upstream, model: string): boolean {
  return models.some((pattern) => matchesPattern(pattern, model));
}

interface Unknown {
  readonly model: string | undefined;
  readonly known: string;
  /** Other formats whose upstreams may have the model. */
  readonly formats: readonly WireFormatName[];
  /** Whether no upstream is configured. */
  readonly isAlone: boolean;
}

function unknownModel(format: WireFormatName, { model, known, formats, isAlone }: Unknown): Failure {
  if (model === undefined || model === '') {
    const message = `\`model\` is missing in the body. Available models for the format ${format}: ${known}.`;
    return { code: 'InvalidRequest', status: 400, message };
  }
  if (isAlone) {
    const variables = keyVariablesFor(format).join(' or ');
    const message = `There is no model '${model.slice(0, 100)}' because no upstream is configured; only ${DEMO_MODEL} is available. Set ${variables} and restart the gateway, or add an upstream to 'upstreams' in its configuration.`;
    return { code: 'ModelNotFound', status: 404, message };
  }
  const hint = formats.length === 0 ? '' : ` It may be available in another format: ${formats.join(', ')}.`;
  const message = `There is no model '${model.slice(0, 100)}' for the format ${format}. Available models: ${known}.${hint}`;
  return { code: 'ModelNotFound', status: 404, message };
}

function createUpstream(
  settings: UpstreamConfig,
  env: Environment,
): { upstream: Upstream; close: () => Promise<void> } {
  const { id, format, baseUrl, models } = settings;
  const apiKey = keyOf(settings, env);
  const place = createPlace(settings, apiKey);
  const clients = new Map<string, ModelClient>();
  const client: Upstream['client'] = (model, { withoutKey = false } = {}) => {
    const name = `${String(withoutKey)} ${model}`;
    const known = clients.get(name);
    const key = withoutKey ? '' : apiKey;
    const found = known ?? createModelClient({ format, baseUrl, model, apiKey: key, http: place.http });
    clients.delete(name);
    clients.set(name, found);
    // Drop the least recently used client.
    const [oldest = name] = clients.keys();
    if (clients.size > MAX_CLIENTS) clients.delete(oldest);
    return found;
  };
  return { upstream: { id, format, baseUrl, models, place, client }, close: () => place.http.close() };
}

function createPlace({ id, format, baseUrl, forwardKeys }: UpstreamConfig, apiKey: string): UpstreamPlace {
  const { origin, pathname } = new URL(baseUrl);
  const { path: endpoint, headers } = wireFormat(format).target({ model: DEMO_MODEL, stream: false, apiKey });
  const { headers: plain } = wireFormat(format).target({ model: DEMO_MODEL, stream: false, apiKey: '' });
  return {
    id,
    origin,
    pathFor: createPathFor(pathname, endpoint),
    keyHeaders: Object.entries(headers)
      .filter(([name]) => !Object.hasOwn(plain, name))
      .flat(),
    apiKey,
    forwardsKeys: forwardKeys,
    http: createProxyClient(origin),
  };
}

function keyOf({ id, apiKeyEnv, baseUrl }: UpstreamConfig, env: Environment): string {
  const key = apiKeyEnv === undefined ? '' : (env[apiKeyEnv]?.trim() ?? '');
  const isOurs = key.startsWith(KEY_START) && isProviderAddress(baseUrl);
  if (/^[\x21-\x7e]*$/.test(key) && !isOurs) return key;
  const message = isOurs
    ? `${apiKeyEnv} holds a gateway key, which the provider '${id}' would receive. Set it to the provider's key, or unset it where the gateway runs.`
    : `The key of the upstream '${id}' in ${apiKeyEnv} is invalid. It may contain only visible ASCII characters.`;
  throw new GatewayError('InvalidConfiguration', message, { data: { upstream: id } });
}

function createDemo(format: WireFormatName): Upstream {
  const model = createDemoModel({ format });
  return {
    id: DEMO_MODEL,
    format,
    baseUrl: undefined,
    models: [DEMO_MODEL],
    place: undefined,
    client: () => model,
  };
}
