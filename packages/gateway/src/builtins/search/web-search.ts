import { z } from 'zod';
import type { Clock } from '../../spec/clock.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import { type BuiltIn, defineBuiltIn } from '../builtin.ts';
import type { SearchProvider, SearchResult } from './search-providers.ts';

interface SearchCache {
  get(key: string): readonly SearchResult[] | undefined;
  set(key: string, results: readonly SearchResult[]): void;
}

interface SearchCacheOptions {
  readonly now: Clock;
  readonly keepMs: number;
  /** When the cache is full, the least recently used entry goes. */
  readonly maxEntries: number;
}

export interface WebSearchOptions {
  /** The search provider; `undefined` if none is configured. */
  readonly provider: SearchProvider | undefined;
  readonly now: Clock;
}

const TIMEOUT_MS = 20_000;
const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
const MAX_QUERY_CHARS = 400;
const KEEP_MS = 300_000;
const MAX_ENTRIES = 500;

export function createWebSearch({ provider, now }: WebSearchOptions): BuiltIn {
  const cache = createSearchCache({ now, keepMs: KEEP_MS, maxEntries: MAX_ENTRIES });
  return defineBuiltIn({
    name: 'web_search',
    description: 'Searches the web and returns titles, URLs and short passages of pages.',
    input: z.strictObject({
      query: z.string().trim().min(1).max(MAX_QUERY_CHARS),
      maxResults: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
    }),
    output: z.object({
      success: z.boolean(),
      results: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
      cached: z.boolean(),
    }),
    policy: 'auto',
    tags: ['search', 'web'],
    timeoutMs: TIMEOUT_MS,
    idempotent: true,
    anonymous: true,
    async run({ query, maxResults }, { apiKeyId, signal }) {
      if (provider === undefined)
        throw new GatewayError(
          'SearchUnavailable',
          "No search provider is configured. The gateway's operator can set 'builtins.searchProvider' to searxng or brave.",
        );
      // Each tenant has its own cache, so that no tenant learns what others searched for.
      const key = JSON.stringify([apiKeyId, query.toLowerCase().replaceAll(/\s+/g, ' '), maxResults]);
      const known = cache.get(key);
      if (known !== undefined) return { success: true, results: [...known], cached: true };
      const results = await provider.search(query, { maxResults, signal });
      cache.set(key, results);
      return { success: true, results: [...results], cached: false };
    },
  });
}

function createSearchCache({ now, keepMs, maxEntries }: SearchCacheOptions): SearchCache {
  const entries = new Map<string, { readonly results: readonly SearchResult[]; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.until <= now()) return undefined;
      entries.set(key, entry);
      return entry.results;
    },
    set(key, results) {
      entries.delete(key);
      entries.set(key, { results, until: now() + keepMs });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
