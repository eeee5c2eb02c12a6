import type { ProgramOutput } from '../spec/sandbox.ts';

export interface CapturedOutput {
  readonly text: string;
  readonly truncated: boolean;
  /** Bytes written by the program, whether kept or not. */
  readonly bytes: number;
}

export const NO_OUTPUT: CapturedOutput = { text: '', truncated: false, bytes: 0 };

/** The end of output that was cut. */
const TRUNCATION_MARK = '[output truncated]';

/**
 * Reads a stream to its end, keeping at most `maxBytes`: memory does not grow with the output, and the writer is never
 * blocked. `onKept` gets the kept part of each chunk, `onAny` the whole chunk.
 */
export function captureOutput(
  stream: ProgramOutput,
  maxBytes: number,
  onKept?: (chunk: Buffer) => void,
  onAny?: (chunk: Buffer) => void,
): { readonly ended: Promise<void>; result(): CapturedOutput } {
  const kept: Buffer[] = [];
  let size = 0;
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onAny?.(chunk);
    if (size >= maxBytes) return;
    const part = chunk.length > maxBytes - size ? chunk.subarray(0, maxBytes - size) : chunk;
    size += part.length;
    kept.push(part);
    onKept?.(part);
  });
  const ended = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
  return {
    ended,
    result() {
      const truncated = bytes > size;
      // A character cut by the limit is left out; malformed bytes become replacement characters.
      const text = new TextDecoder().decode(Buffer.concat(kept), { stream: truncated });
      return {
        text: truncated ? `${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${TRUNCATION_MARK}` : text,
        truncated,
        bytes,
      };
    },
  };
}
