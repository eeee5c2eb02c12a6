import type { ProxyFormat } from '../spec/formats/proxy-format.ts';
import { isRecord, parseRecord } from './json/json-text.ts';

/** HTTP statuses of refusals that may be about tools. OpenRouter sends 404 when no provider can serve the request. */
const STATUSES: ReadonlySet<number> = new Set([400, 404]);

/**
 * Whether a refusal may be about tools: it names a parameter for tools, or no cause at all. Servers whose models do not
 * support tools say so only in the message. Other refusals name another parameter, or have a code that differs from the
 * status.
 */
function mayRefuseTools(status: number, body: string): boolean {
  if (!STATUSES.has(status)) return false;
  const { error } = parseRecord(body) ?? {};
  if (typeof error === 'string') return true;
  if (!isRecord(error)) return false;
  const { param, code } = error;
  if (typeof param === 'string' && param !== '') return /^tool(?:s|_choice)\b/.test(param);
  return typeof code !== 'string' || code === '' || code === String(status);
}

/**
 * Identifies the person on whose behalf an OpenAI client sends a request. The field has an old and a new name, and a
 * client may send both.
 */
export function endUserOf(...given: readonly unknown[]): string | undefined {
  const named = given.filter((value) => typeof value === 'string' && value !== '');
  return named.length === 0
    ? undefined
    : JSON.stringify(given.map((value) => (typeof value === 'string' ? value : '')));
}

/** How both OpenAI formats handle `tool_choice` and refused tools. */
export const toolChoice: Pick<ProxyFormat, 'forbidsCalls' | 'requiredCall' | 'mayRefuseTools'> = {
  forbidsCalls: ({ tool_choice: choice }) => choice === 'none',
  requiredCall: {
    isAsked: ({ tool_choice: choice }) => choice === 'required',
    lift: (body) => ({ ...body, tool_choice: 'auto' }),
  },
  mayRefuseTools,
};
