type Stream = 'stdout' | 'stderr';

/** Decodes bytes into text. A character split across two chunks stays whole. */
export function decodeOutput(onOutput: (stream: Stream, text: string) => void): {
  readonly write: (stream: Stream, chunk: Uint8Array) => void;
  /** Flushes an incomplete last character. */
  readonly end: () => void;
} {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const pass = (stream: Stream, text: string): void => {
    if (text !== '') onOutput(stream, text);
  };
  return {
    write: (stream, chunk) => pass(stream, decoders[stream].decode(chunk, { stream: true })),
    end: () => {
      for (const stream of ['stdout', 'stderr'] as const) pass(stream, decoders[stream].decode());
    },
  };
}

/** Truncates a text without splitting a character. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
