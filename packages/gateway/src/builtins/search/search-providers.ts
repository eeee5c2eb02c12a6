import type { HttpClient } from 'skillwright/host';
import { fetchSearch, readResults, unavailable } from './search-answer.ts';

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

interface SearchOptions {
  readonly maxResults: number;
  readonly signal: AbortSignal;
}

/** Something that searches the web. */
export interface SearchProvider {
  readonly name: string;
  /** Returns the best results first. Rejects with a coded error if the response is not valid. */
  search(query: string, options: SearchOptions): Promise<readonly SearchResult[]>;
}

export const BRAVE_URL = 'https://api.search.brave.com/res/v1';
const BRAVE_KEYS = { title: 'title', url: 'url', snippet: 'description' } as const;
const BRAVE_MAX_COUNT = 20;

interface BraveOptions {
  readonly client: HttpClient;
  readonly baseUrl: string;
  readonly key: string;
}

/** Searches the web with Brave. */
export function createBraveSearch({ client, baseUrl, key }: BraveOptions): SearchProvider {
  return {
    name: 'brave',
    async search(query, { maxResults, signal }) {
      const url = new URL(`${baseUrl.replace(/\/+$/, '')}/web/search`);
      url.searchParams.set('q', query);
      url.searchParams.set('count', String(Math.min(maxResults, BRAVE_MAX_COUNT)));
      url.searchParams.set('text_decorations', 'false');
      const answer = await fetchSearch({
        provider: 'brave',
        client,
        url,
        headers: { 'x-subscription-token': key },
        signal,
        remedy: 'Check its key and the quota of its plan.',
      });
      if (typeof answer !== 'object' || answer === null)
        throw unavailable('brave', 'sent an invalid response without a list of results.');
      // Brave omits 'web' if it finds nothing.
      const web: unknown = Reflect.get(answer, 'web');
      const results: unknown = typeof web === 'object' && web !== null ? Reflect.get(web, 'results') : [];
      return readResults(results, BRAVE_KEYS, maxResults);
    },
  };
}

const SEARXNG_KEYS = { title: 'title', url: 'url', snippet: 'content' } as const;

/** Searches with the operator's SearXNG server, by its JSON API. */
export function createSearxngSearch(options: {
  readonly client: HttpClient;
  readonly baseUrl: string;
}): SearchProvider {
  return {
    name: 'searxng',
    async search(query, { maxResults, signal }) {
      const url = new URL(`${options.baseUrl.replace(/\/+$/, '')}/search`);
      url.searchParams.set('q', query);
      url.searchParams.set('format', 'json');
      const answer = await fetchSearch({
        provider: 'searxng',
        client: options.client,
        url,
        signal,
        remedy: "Its settings must list 'json' in search.formats, and its limiter must allow the gateway.",
      });
      const results: unknown =
        typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'results') : undefined;
      if (!Array.isArray(results)) throw unavailable('searxng', 'sent an invalid response without a list of results.');
      return readResults(results, SEARXNG_KEYS, maxResults);
    },
  };
}
