import { captureOutput, type CapturedOutput } from '../../process/output-capture.ts';
import type { ProgramOutput } from '../../spec/sandbox.ts';

/** The output of one call on one stream. */
export interface CallOutput {
  /** Whether the call's mark was found, so that its output is complete. */
  readonly isWhole: boolean;
  /** Resolves when the mark is found or can no longer arrive. */
  readonly settled: Promise<void>;
  /** Returns the captured output. The call is over: later output does not belong to it. */
  result(): CapturedOutput;
}

/** A worker's stream, which its calls use one after another. */
export interface HandlerOutput {
  /** Begins a call, whose output ends at `mark`. The mark is not part of the output. */
  begin(mark: string, maxBytes: number, onChunk: (chunk: Buffer) => void): CallOutput;
  /** Resolves when the stream is closed. */
  readonly closed: Promise<void>;
}

/** Reads a stream as long as it exists; drops output between calls, so that no writer blocks. */
export function readHandlerOutput(stream: ProgramOutput): HandlerOutput {
  let receive: ((chunk: Buffer) => void) | undefined;
  stream.on('data', (chunk: Buffer) => receive?.(chunk));
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.once('error', resolve);
  });
  return {
    closed,
    begin(mark, maxBytes, onChunk) {
      const pieces = createPieces();
      const captured = captureOutput(pieces.stream, maxBytes, onChunk);
      const cutter = createMarkCutter(Buffer.from(mark), pieces.push);
      const { promise: marked, resolve } = Promise.withResolvers<void>();
      let isWhole = false;
      receive = (chunk) => {
        if (!cutter.write(chunk)) return;
        receive = undefined;
        isWhole = true;
        resolve();
      };
      return {
        get isWhole() {
          return isWhole;
        },
        get settled() {
          return Promise.race([marked, closed]);
        },
        result() {
          if (!isWhole) cutter.flush();
          receive = undefined;
          return captured.result();
        },
      };
    },
  };
}

/** A stream of the chunks that are given to `push`. */
function createPieces(): { readonly stream: ProgramOutput; readonly push: (chunk: Buffer) => void } {
  let listener: ((chunk: Buffer) => void) | undefined;
  return {
    stream: {
      on: (_event, given) => (listener = given),
      once: () => {},
      destroy: () => {},
    },
    push: (chunk) => listener?.(chunk),
  };
}

interface MarkCutter {
  /**
   * Passes on the bytes before the mark, and returns true once it is found. Holds back bytes that may begin the mark.
   */
  write(chunk: Buffer): boolean;
  /** Passes on the bytes that were held back. */
  flush(): void;
}

function createMarkCutter(mark: Buffer, pass: (chunk: Buffer) => void): MarkCutter {
  let held: Buffer = Buffer.alloc(0);
  const passOn = (chunk: Buffer): void => {
    if (chunk.length > 0) pass(chunk);
  };
  return {
    write(chunk) {
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const at = data.indexOf(mark);
      const end = at === -1 ? data.length - beginningAtEnd(data, mark) : at;
      held = at === -1 ? data.subarray(end) : Buffer.alloc(0);
      passOn(data.subarray(0, end));
      return at !== -1;
    },
    flush() {
      const rest = held;
      held = Buffer.alloc(0);
      passOn(rest);
    },
  };
}

/** How many bytes at the end of `data` may begin `mark`. */
function beginningAtEnd(data: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, data.length); length > 0; length -= 1)
    if (data.compare(mark, 0, length, data.length - length) === 0) return length;
  return 0;
}
