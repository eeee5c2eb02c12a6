import { servedFormat } from '../../models/demo/formats/formats.ts';
import type { Refusal, ServedFormat } from '../../models/demo/formats/served-format.ts';
import type { WireFormatName } from '../../spec/wire.ts';
import { messagesRefusals } from '../checks/anthropic-messages.ts';
import { geminiRefusals } from '../checks/gemini.ts';
import { chatRefusals } from '../checks/openai-chat.ts';
import { responsesRefusals } from '../checks/openai-responses.ts';
import type { FormatRequest } from './format-request.ts';

/** A format that is served strictly. */
interface FormatServer extends ServedFormat {
  /** Why the provider would refuse the request, in its order of checks. Only the first reason is used. */
  refusals(request: FormatRequest): Iterable<Refusal>;
}

const REFUSALS: Readonly<Record<WireFormatName, FormatServer['refusals']>> = {
  'openai-chat': chatRefusals,
  'openai-responses': responsesRefusals,
  'anthropic-messages': messagesRefusals,
  gemini: geminiRefusals,
};

/** The target of a request. */
export interface Route {
  readonly server: FormatServer;
  readonly provider: 'own' | 'openrouter';
  /** The model in the path, in formats that name it there. */
  readonly model: string | undefined;
  /** Whether the path asks for a stream; `undefined` if the body decides that. */
  readonly stream: boolean | undefined;
}

const PATHS: readonly (readonly [RegExp, FormatServer])[] = [
  [/^(\/api)?\/v1\/chat\/completions$/, formatServer('openai-chat')],
  [/^(\/api)?\/v1\/responses$/, formatServer('openai-responses')],
  [/^(\/api)?\/v1\/messages$/, formatServer('anthropic-messages')],
];
const GEMINI = /^\/v1(?:beta|alpha)?\/(?:models|tunedModels)\/([^:]+):(generateContent|streamGenerateContent)$/;

/** The route of a path; `undefined` if no format serves the path. */
export function routeOf(path: string): Route | undefined {
  for (const [pattern, server] of PATHS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    return { server, provider: match[1] === undefined ? 'own' : 'openrouter', model: undefined, stream: undefined };
  }
  const [, model, action] = GEMINI.exec(path) ?? [];
  if (model === undefined) return undefined;
  return {
    server: formatServer('gemini'),
    provider: 'own',
    model: decoded(model),
    stream: action === 'streamGenerateContent',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const BASE_PATHS: Readonly<Record<WireFormatName, string>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '',
  gemini: '',
};

/** The path that clients of a format use as their base URL, below the server's address. */
export function basePathOf(format: WireFormatName, provider: 'own' | 'openrouter'): string {
  const base = BASE_PATHS[format];
  return provider === 'openrouter' ? `/api${base}` : base;
}

function formatServer(format: WireFormatName): FormatServer {
  return { ...servedFormat(format), refusals: REFUSALS[format] };
}
