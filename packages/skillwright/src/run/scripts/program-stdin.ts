import type { ProgramInput } from '../../spec/sandbox.ts';

/** What a program gets on its standard input: all at once, or as it comes. */
export type ProgramStdin = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** Writes the input and ends it; what comes in pieces is taken no faster than the program reads. */
export function feedInput(stdin: ProgramInput, input: ProgramStdin | undefined): { stop(): void } {
  if (input === undefined || typeof input === 'string' || input instanceof Uint8Array) {
    if (input === undefined || input.length === 0) stdin.end();
    else stdin.end(input);
    return { stop: () => {} };
  }
  const pieces = input[Symbol.asyncIterator]();
  let isStopped = false;
  const pump = async (): Promise<void> => {
    try {
      for (;;) {
        const piece = await pieces.next();
        if (piece.done === true || isStopped) break;
        await new Promise<void>((resolve) => {
          stdin.write(piece.value, () => resolve());
        });
      }
    } catch {
      // Input that breaks off has ended.
    }
    stdin.end();
  };
  void pump();
  return {
    stop() {
      isStopped = true;
      // Its end may never come: nobody waits for it.
      void pieces.return?.()?.catch(() => {});
    },
  };
}
