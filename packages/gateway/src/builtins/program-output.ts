type Stream = 'stdout' | 'stderr';

/** Makes texts of what comes in bytes; a character that comes in two pieces is one. */
export function decodeOutput(onOutput: (stream: Stream, text: string) => void): {
  readonly write: (stream: Stream, chunk: Uint8Array) => void;
  /** Passes on what was waiting for its second piece. */
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

/** The beginning of a text, without half a character at its end. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
