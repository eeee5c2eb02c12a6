import type { Redactor } from '../../policy/redaction/redaction.ts';

/** Receives all output as it comes, also beyond what a result keeps; secrets are redacted. Errors that it throws are ignored. */
export type OnOutput = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

export function passOutput(
  onOutput: OnOutput,
  redactor: Redactor,
): { write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void; end(): void } {
  const redacted = { stdout: redactor.stream(), stderr: redactor.stream() };
  const pass = (stream: 'stdout' | 'stderr', chunk: Uint8Array): void => {
    if (chunk.length === 0) return;
    try {
      onOutput(stream, chunk);
    } catch {
      // A failing listener does not stop the run.
    }
  };
  return {
    write: (stream, chunk) => pass(stream, redacted[stream].write(chunk)),
    end() {
      for (const stream of ['stdout', 'stderr'] as const) pass(stream, redacted[stream].end());
    },
  };
}
