import { isRecord, parseRecord } from './json/json-text.ts';

/** OpenRouter's error when no provider serves the request. */
const STATUSES: ReadonlySet<number> = new Set([400, 404]);

/**
 * Whether a refusal may be one of tools: it blames them, or nothing at all. Servers with models that take none say so in
 * words only; all others name a parameter, or have a code that is more than the status again.
 */
export function mayRefuseTools(status: number, body: string): boolean {
  if (!STATUSES.has(status)) return false;
  const { error } = parseRecord(body) ?? {};
  if (typeof error === 'string') return true;
  if (!isRecord(error)) return false;
  const { param, code } = error;
  if (typeof param === 'string' && param !== '') return /^tool(?:s|_choice)\b/.test(param);
  return typeof code !== 'string' || code === '' || code === String(status);
}

/** The person that a client of OpenAI's speaks for: it has an old and a new name for it, and may send both. */
export function endUserOf(...given: readonly unknown[]): string | undefined {
  const named = given.filter((value) => typeof value === 'string' && value !== '');
  return named.length === 0
    ? undefined
    : JSON.stringify(given.map((value) => (typeof value === 'string' ? value : '')));
}
