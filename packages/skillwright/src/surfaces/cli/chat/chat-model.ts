import { createDemoModel } from '../../../models/demo/demo-model.ts';
import { createModelClient } from '../../../models/model-client.ts';
import { closestName } from '../../../parse/closest-name.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { ModelClient } from '../../../spec/model.ts';
import type { WireFormatName } from '../../../spec/wire.ts';
import { usageError, type CliError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';

/** The model of a conversation. */
export interface ChatModel {
  readonly client: ModelClient;
  /** The name as the user typed it. */
  readonly name: string;
}

interface Provider {
  readonly format: WireFormatName;
  /** The base URL of the model server. Default: the format's usual server. */
  readonly baseUrl?: string;
  readonly keyVariable: string;
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { format: 'openai-responses', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { format: 'anthropic-messages', keyVariable: 'ANTHROPIC_API_KEY' },
  gemini: { format: 'gemini', keyVariable: 'GEMINI_API_KEY' },
  openrouter: { format: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' },
};

/** Slows the demo down so that people can watch the answer arrive. */
const DEMO_FRAME_MS = 5;

/** Opens the model that --model, --base-url, --format and --api-key-env describe. */
export function openChatModel({ options, context }: Pick<Invocation, 'options' | 'context'>): ChatModel {
  const name = options.text('model') ?? 'demo';
  const baseUrl = options.text('base-url');
  const format = options.text('format') as WireFormatName | undefined;
  const keyVariable = options.text('api-key-env');
  if (name === 'demo' && baseUrl === undefined) {
    if (keyVariable !== undefined)
      throw usageError('The demo model does not use a key. Choose another model with --model.', HINTS);
    return { name, client: createDemoModel({ format, frameDelayMs: context.isTty ? DEMO_FRAME_MS : 0 }) };
  }
  const [, prefix = '', model = ''] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  const provider = Object.hasOwn(PROVIDERS, prefix) ? PROVIDERS[prefix] : undefined;
  // Without --api-key-env, a key is sent only to its own provider.
  if (baseUrl !== undefined) {
    const apiKey = keyVariable === undefined ? undefined : readKey(keyVariable, name, context.env);
    const served = provider === undefined ? { model: name, format: 'openai-chat' as const } : { ...provider, model };
    return openServer(name, { model: served.model, baseUrl, format: format ?? served.format, apiKey });
  }
  if (provider === undefined || model === '') throw unknownModel(name, prefix);
  const apiKey = readKey(keyVariable ?? provider.keyVariable, name, context.env);
  return openServer(name, { model, baseUrl: provider.baseUrl, format: format ?? provider.format, apiKey });
}

/** How to use a real model, in one line. */
export function realModelHint(): string {
  const ways = Object.entries(PROVIDERS).map(([name, { keyVariable }]) => `${name}:<model> (key in ${keyVariable})`);
  return `A real model: --model ${ways.join(', ')}, or your own server with --base-url.`;
}

const HINTS: readonly string[] = [realModelHint()];

function openServer(name: string, options: Parameters<typeof createModelClient>[0]): ChatModel {
  try {
    return { name, client: createModelClient(options) };
  } catch (error) {
    if (!SkillwrightError.isInstance(error) || error.code !== 'InvalidOptions') throw error;
    throw usageError(`Model '${name}' cannot be used. ${error.message}`, HINTS, error.data);
  }
}

/** Reads the API key from an environment variable. Error messages name the variable and never show the key. */
function readKey(variable: string, model: string, env: Invocation['context']['env']): string {
  // If the user passed a key instead of a variable's name, the key must not appear in a log.
  if (!/^[A-Za-z_]\w*$/.test(variable))
    throw usageError(
      'The value of option --api-key-env is not the name of an environment variable.',
      ['Store the key in a variable, and pass its name: --api-key-env MY_KEY.'],
      { option: 'api-key-env' },
    );
  const key = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
  if (key !== undefined && /^[\x21-\x7e]+$/.test(key)) return key;
  const problem = key === undefined || key === '' ? 'is not set' : 'does not contain a valid key';
  throw usageError(
    `Model '${model}' needs a key: the environment variable ${variable} ${problem}.`,
    ['Set it, choose another variable with --api-key-env, or try --model demo, which needs no key.'],
    { option: 'model', variable },
  );
}

function unknownModel(name: string, prefix: string): CliError {
  const names = Object.keys(PROVIDERS);
  const guess = closestName(prefix === '' ? name : prefix, [...names, 'demo']);
  const guessed = guess === undefined ? [] : [`Did you mean ${guess === 'demo' ? guess : `${guess}:<model>`}?`];
  return usageError(`Unknown model '${name.slice(0, 200)}'.`, [...guessed, ...HINTS], {
    option: 'model',
    value: name.slice(0, 200),
  });
}
