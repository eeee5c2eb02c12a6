export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchOptions {
  readonly maxResults: number;
  readonly signal: AbortSignal;
}

/** Something that searches the web. */
export interface SearchProvider {
  readonly name: string;
  /** The best first. Rejects with a coded error if there is no proper answer. */
  search(query: string, options: SearchOptions): Promise<readonly SearchResult[]>;
}
