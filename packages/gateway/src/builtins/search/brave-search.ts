import type { HttpClient } from 'skillwright/host';
import { fetchSearch, readResults, unavailable } from './search-answer.ts';
import type { SearchProvider } from './search-provider.ts';

const NAME = 'brave';
export const BRAVE_URL = 'https://api.search.brave.com/res/v1';
const KEYS = { title: 'title', url: 'url', snippet: 'description' } as const;
const MAX_COUNT = 20;

export interface BraveOptions {
  readonly client: HttpClient;
  readonly baseUrl: string;
  readonly key: string;
}

/** Brave's search of the web. */
export function createBraveSearch({ client, baseUrl, key }: BraveOptions): SearchProvider {
  return {
    name: NAME,
    async search(query, { maxResults, signal }) {
      const url = new URL(`${baseUrl.replace(/\/+$/, '')}/web/search`);
      url.searchParams.set('q', query);
      url.searchParams.set('count', String(Math.min(maxResults, MAX_COUNT)));
      url.searchParams.set('text_decorations', 'false');
      const answer = await fetchSearch({
        provider: NAME,
        client,
        url,
        headers: { 'x-subscription-token': key },
        signal,
        remedy: 'Check its key, and whether the plan has requests left.',
      });
      if (typeof answer !== 'object' || answer === null)
        throw unavailable(NAME, 'answered with something that is no list of results.');
      // Without any result there is no member 'web'.
      const web: unknown = Reflect.get(answer, 'web');
      const results: unknown = typeof web === 'object' && web !== null ? Reflect.get(web, 'results') : [];
      return readResults(results, KEYS, maxResults);
    },
  };
}
