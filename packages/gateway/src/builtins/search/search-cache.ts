import type { Clock } from '../../spec/clock.ts';
import type { SearchResult } from './search-provider.ts';

export interface SearchCache {
  get(key: string): readonly SearchResult[] | undefined;
  set(key: string, results: readonly SearchResult[]): void;
}

export interface SearchCacheOptions {
  readonly now: Clock;
  readonly keepMs: number;
  /** When there are more, the one that was not used for the longest time goes. */
  readonly maxEntries: number;
}

export function createSearchCache({ now, keepMs, maxEntries }: SearchCacheOptions): SearchCache {
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
