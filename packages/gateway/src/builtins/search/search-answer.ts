import { SkillwrightError } from 'skillwright';
import type { HttpClient } from 'skillwright/host';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { SearchResult } from './search-providers.ts';

export interface SearchRequest {
  /** The provider's name in messages. */
  readonly provider: string;
  readonly client: HttpClient;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What to check if the provider refuses. */
  readonly remedy: string;
}

const MAX_BYTES = 4 * 1024 ** 2;
const TIMEOUT_MS = 15_000;
const MAX_TITLE_CHARS = 300;
const MAX_SNIPPET_CHARS = 1_000;
const MAX_URL_CHARS = 2_048;

/** Requests JSON from a search provider. */
export async function fetchSearch(request: SearchRequest): Promise<unknown> {
  const { provider, client, url, headers, signal, remedy } = request;
  try {
    const response = await client.request(url, {
      headers: { accept: 'application/json', ...headers },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
    if (response.status === 200) return await response.json();
    response.discard();
    throw unavailable(provider, `responded with status ${response.status}. ${remedy}`);
  } catch (error) {
    if (error instanceof GatewayError || !SkillwrightError.isInstance(error)) throw error;
    throw unavailable(provider, `cannot be reached: ${error.message}`, error);
  }
}

export function unavailable(provider: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('SearchUnavailable', `The search provider '${provider}' ${problem}`, { cause });
}

/** Picks the valid results out of a provider's list. `keys` holds the provider's names for title, URL and snippet. */
export function readResults(
  list: unknown,
  keys: Readonly<Record<keyof SearchResult, string>>,
  maxResults: number,
): readonly SearchResult[] {
  const results: SearchResult[] = [];
  for (const item of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    if (results.length >= maxResults) break;
    const textOf = (key: string): string => {
      const value: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, key) : undefined;
      return typeof value === 'string' ? value : '';
    };
    const url = textOf(keys.url);
    if (url.length > MAX_URL_CHARS || !/^https?:\/\//i.test(url) || !URL.canParse(url)) continue;
    const title = toPlainText(textOf(keys.title), MAX_TITLE_CHARS);
    results.push({ title, url, snippet: toPlainText(textOf(keys.snippet), MAX_SNIPPET_CHARS) });
  }
  return results;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['#x27', "'"],
  ['nbsp', ' '],
]);

/** Removes the markup by which providers highlight matches. */
function toPlainText(text: string, maxChars: number): string {
  const plain = text
    .slice(0, maxChars * 4)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, '')
    .replaceAll(/&(#?\w{2,5});/g, (whole, name: string) => ENTITIES.get(name.toLowerCase()) ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length > maxChars ? `${plain.slice(0, maxChars - 1).toWellFormed()}…` : plain;
}
