import type { AsyncRankOptions, Embed } from '../../../spec/ranker.ts';

const DEFAULT_TIMEOUT_MS = 5_000;
const LONGEST_PROBLEM = 200;

/** Vectors of length 1, one for each text, or why there are none. */
export type Embedded = { readonly vectors: readonly Float32Array[] } | { readonly problem: string };

export type EmbedWait = Pick<AsyncRankOptions, 'signal' | 'embedTimeoutMs'>;

/** Asks the host's embedder. Never rejects and never waits for ever, whatever the embedder does. */
export async function askEmbedder(embed: Embed, texts: string[], wait: EmbedWait = {}): Promise<Embedded> {
  const ending = new AbortController();
  const patience = createPatience(wait);
  try {
    return await Promise.race([patience.over, answerOf(embed, texts, ending.signal)]);
  } finally {
    patience.end();
    ending.abort();
  }
}

/** When nobody waits any longer, and why. `end` lets go of the timer and the signal. */
function createPatience({ signal, embedTimeoutMs = DEFAULT_TIMEOUT_MS }: EmbedWait): {
  readonly over: Promise<Embedded>;
  end(): void;
} {
  const { promise: over, resolve } = Promise.withResolvers<Embedded>();
  const onAbort = (): void => resolve({ problem: 'the wait for the embedder was ended' });
  const onTimeout = (): void => resolve({ problem: `the embedder did not answer within ${embedTimeoutMs} ms` });
  const timer = setTimeout(onTimeout, Math.min(embedTimeoutMs, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  return {
    over,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** What timers can count to. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function answerOf(embed: Embed, texts: string[], signal: AbortSignal): Promise<Embedded> {
  try {
    return readAnswer(await embed([...texts], { signal }), texts.length);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** The answer is the host's: it may be anything. */
function readAnswer(answer: unknown, expected: number): Embedded {
  if (!Array.isArray(answer) || answer.length !== expected)
    return { problem: `the embedder did not answer ${expected} vectors` };
  const vectors: Float32Array[] = [];
  for (const given of answer as readonly unknown[]) {
    const vector = toUnitVector(given);
    if (vector === undefined) return { problem: 'the embedder answered values that are no numbers, or too large' };
    if (vector.length === 0 || vector.length !== (vectors[0] ?? vector).length)
      return { problem: 'the embedder answered vectors that are empty, or of different lengths' };
    vectors.push(vector);
  }
  return { vectors };
}

/** A vector of the same direction and length 1; all zeros stay so. */
function toUnitVector(given: unknown): Float32Array | undefined {
  if (!Array.isArray(given) && !(ArrayBuffer.isView(given) && !(given instanceof DataView))) return undefined;
  const values = given as ArrayLike<unknown>;
  const vector = new Float32Array(values.length);
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const value = values[at];
    if (typeof value !== 'number') return undefined;
    squares += value * value;
  }
  // A value that is no number, or whose square is too large for one, leaves no length.
  if (!Number.isFinite(squares)) return undefined;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at += 1) vector[at] = length > 0 ? (values[at] as number) / length : 0;
  return vector;
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, LONGEST_PROBLEM);
  } catch {
    return 'the embedder failed with something that cannot be told';
  }
}
