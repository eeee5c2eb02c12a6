/** The task of a load generator, sent as a message. */
export interface LoadTask {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Number of concurrent requests. */
  readonly connections: number;
  /** When to stop: after this time, or after this many requests. */
  readonly ms?: number;
  readonly count?: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Responses that were missing, cut off or not 200, with a description of the first. */
  readonly failed: number;
  readonly firstFailure: string | null;
  /** Responses whose headers name the added skills. */
  readonly injected: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median time to the first byte of the body. */
  readonly firstByteMs: number;
  /** Total size of the bodies. */
  readonly bytes: number;
  /** Number of chunks in which the bodies arrived; chunks that were sent together may arrive together. */
  readonly pieces: number;
}
