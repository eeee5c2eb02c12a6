import type { HttpClient } from 'skillwright/host';
import { fetchSearch, readResults, unavailable } from './search-answer.ts';
import type { SearchProvider } from './search-provider.ts';

const NAME = 'searxng';
const KEYS = { title: 'title', url: 'url', snippet: 'content' } as const;

/** A SearXNG of the operator's, by its JSON API. */
export function createSearxngSearch(options: {
  readonly client: HttpClient;
  readonly baseUrl: string;
}): SearchProvider {
  return {
    name: NAME,
    async search(query, { maxResults, signal }) {
      const url = new URL(`${options.baseUrl.replace(/\/+$/, '')}/search`);
      url.searchParams.set('q', query);
      url.searchParams.set('format', 'json');
      const answer = await fetchSearch({
        provider: NAME,
        client: options.client,
        url,
        signal,
        remedy: "Its settings must list 'json' under search.formats, and its limiter must let the gateway in.",
      });
      const results: unknown =
        typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'results') : undefined;
      if (!Array.isArray(results)) throw unavailable(NAME, 'answered with something that is no list of results.');
      return readResults(results, KEYS, maxResults);
    },
  };
}
