/** What a load generator is asked to send. It travels as a message. */
export interface LoadTask {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Requests that are under way at any time. */
  readonly connections: number;
  /** Stops after so long, or after so many. */
  readonly ms?: number;
  readonly count?: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Answers that were not 200, were cut, or did not come; the first of them in words. */
  readonly failed: number;
  readonly firstFailure: string | null;
  /** Answers that said which skills were added. */
  readonly injected: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Until the first byte of the body, a median. */
  readonly firstByteMs: number;
  /** Of the bodies, all together. */
  readonly bytes: number;
  /** In which the bodies came: what was sent together may come together. */
  readonly pieces: number;
}
