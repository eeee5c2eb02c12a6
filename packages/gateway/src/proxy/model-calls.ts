import type { Asked } from './answer-request.ts';

/** A kind of model request, identified by its path. */
export interface ModelCall extends Asked {
  /** The route pattern, with parameters in braces. */
  readonly route: string;
}

/** Paths that determine only the format. */
export const PLAIN_CALLS: ReadonlyMap<string, ModelCall> = new Map<string, ModelCall>([
  ['/v1/chat/completions', { route: '/v1/chat/completions', format: 'openai-chat' }],
  ['/v1/responses', { route: '/v1/responses', format: 'openai-responses' }],
  ['/v1/messages', { route: '/v1/messages', format: 'anthropic-messages' }],
]);

/** Route patterns for Hono whose path names the model and the action. */
export const GEMINI_CALLS: readonly string[] = ['/v1beta/models/:call', '/v1/models/:call'].map(
  (path) => `${path}{.+:(?:generateContent|streamGenerateContent)}`,
);

/** Parses the last part of a Gemini path. */
export function geminiCall(call: string): Asked {
  const [, model, method] = /^(.+):(\w+)$/.exec(call) ?? [];
  return { format: 'gemini', model, stream: method === 'streamGenerateContent' };
}

const GEMINI_PATH = /^(\/v1(?:beta)?\/models\/)(.+:(?:generateContent|streamGenerateContent))$/;

/** The model call at a path without escapes; `undefined` for any other path. */
export function modelCallAt(path: string): ModelCall | undefined {
  const plain = PLAIN_CALLS.get(path);
  if (plain !== undefined || !path.endsWith('enerateContent')) return plain;
  const [, start, call] = GEMINI_PATH.exec(path) ?? [];
  return call === undefined ? undefined : { ...geminiCall(call), route: `${start}{call}` };
}
