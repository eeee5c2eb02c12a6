import type { Asked } from './answer-request.ts';

/** A kind of request to a model, by its path. */
export interface ModelCall extends Asked {
  /** The pattern of its path, in the braces of OpenAPI. */
  readonly route: string;
}

/** Paths that say nothing but the format. */
export const PLAIN_CALLS: ReadonlyMap<string, ModelCall> = new Map<string, ModelCall>([
  ['/v1/chat/completions', { route: '/v1/chat/completions', format: 'openai-chat' }],
  ['/v1/responses', { route: '/v1/responses', format: 'openai-responses' }],
  ['/v1/messages', { route: '/v1/messages', format: 'anthropic-messages' }],
]);

/** Paths that name the model and what is wanted of it, for Hono. */
export const GEMINI_CALLS: readonly string[] = ['/v1beta/models/:call', '/v1/models/:call'].map(
  (path) => `${path}{.+:(?:generateContent|streamGenerateContent)}`,
);

/** What the last part of Gemini's paths says. */
export function geminiCall(call: string): Asked {
  const [, model, method] = /^(.+):(\w+)$/.exec(call) ?? [];
  return { format: 'gemini', model, stream: method === 'streamGenerateContent' };
}

const GEMINI_PATH = /^(\/v1(?:beta)?\/models\/)(.+:(?:generateContent|streamGenerateContent))$/;

/** What a path without escapes asks for; `undefined` for a path of anything else. */
export function modelCallAt(path: string): ModelCall | undefined {
  const plain = PLAIN_CALLS.get(path);
  if (plain !== undefined || !path.endsWith('enerateContent')) return plain;
  const [, start, call] = GEMINI_PATH.exec(path) ?? [];
  return call === undefined ? undefined : { ...geminiCall(call), route: `${start}{call}` };
}
