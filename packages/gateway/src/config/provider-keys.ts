import type { WireFormatName } from 'skillwright/wire';
import type { Environment } from './environment.ts';
import type { UpstreamConfig } from './config.ts';

interface Provider {
  readonly id: string;
  readonly apiKeyEnv: string;
  readonly upstreams: readonly Pick<UpstreamConfig, 'format' | 'baseUrl'>[];
  /** Patterns of model names, to choose between providers of the same format. */
  readonly models: string;
}

/** The first provider that matches a model gets it, so narrow names come first. */
const PROVIDERS: readonly Provider[] = [
  {
    id: 'openrouter',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    upstreams: [
      { format: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1' },
      { format: 'openai-responses', baseUrl: 'https://openrouter.ai/api/v1' },
      { format: 'anthropic-messages', baseUrl: 'https://openrouter.ai/api' },
    ],
    models: '*/*',
  },
  {
    id: 'openai',
    apiKeyEnv: 'OPENAI_API_KEY',
    upstreams: [
      { format: 'openai-chat', baseUrl: 'https://api.openai.com/v1' },
      { format: 'openai-responses', baseUrl: 'https://api.openai.com/v1' },
    ],
    models: '*',
  },
  {
    id: 'anthropic',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    upstreams: [{ format: 'anthropic-messages', baseUrl: 'https://api.anthropic.com' }],
    models: '*',
  },
  {
    id: 'gemini',
    apiKeyEnv: 'GEMINI_API_KEY',
    upstreams: [{ format: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com' }],
    models: '*',
  },
];

/**
 * Joins provider and format into an upstream's id, such as `openrouter-anthropic-messages`. A format that already
 * begins with the provider stays as it is: `openai-responses`.
 */
function idFor(provider: string, format: WireFormatName): string {
  return format.startsWith(`${provider}-`) ? format : `${provider}-${format}`;
}

/**
 * Variables that may hold the key of a provider with this format. The variable of the format's own vendor comes first.
 */
export function keyVariablesFor(format: WireFormatName): readonly string[] {
  const speaking = PROVIDERS.filter(({ upstreams }) => upstreams.some((upstream) => upstream.format === format));
  return speaking.map(({ apiKeyEnv }) => apiKeyEnv).toReversed();
}

/** Whether the address belongs to a known provider, which does not accept gateway keys. */
export function isProviderAddress(baseUrl: string): boolean {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : '';
  return PROVIDERS.some(({ upstreams }) => upstreams.some((upstream) => new URL(upstream.baseUrl).host === host));
}

/** Upstreams for every provider whose key is in the environment. Used if the configuration names no upstreams. */
export function upstreamsFromKeys(env: Environment): UpstreamConfig[] {
  const found = PROVIDERS.filter(({ apiKeyEnv }) => (env[apiKeyEnv] ?? '') !== '');
  return found.flatMap(({ id, apiKeyEnv, upstreams, models }) =>
    upstreams.map(({ format, baseUrl }, index) => {
      const isShared = found.some((other) => other.id !== id && other.upstreams.some((one) => one.format === format));
      return {
        id: index === 0 ? id : idFor(id, format),
        format,
        baseUrl,
        apiKeyEnv,
        models: [isShared ? models : '*'],
        forwardKeys: false,
      };
    }),
  );
}
