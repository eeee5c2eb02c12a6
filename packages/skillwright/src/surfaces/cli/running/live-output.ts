import { StringDecoder } from 'node:string_decoder';
import type { TrustLevel } from '../../../spec/trust.ts';
import type { CliContext } from '../context.ts';
import { toBlock } from '../text/terminal-text.ts';

const NEWLINE = 10;

export type OutputStream = 'stdout' | 'stderr';

/** Shows output as it arrives. */
export interface LiveOutput {
  show(stream: OutputStream, output: string | Uint8Array): void;
  /** Whether the cursor is in the middle of a line, so that a message on standard error needs a line break first. */
  endsMidLine(): boolean;
}

/** `stdoutTo` says where to write the program's standard output. */
export function createLiveOutput(
  context: CliContext,
  options: { readonly trust: TrustLevel; readonly stdoutTo: OutputStream; readonly signal: AbortSignal },
): LiveOutput {
  const isTerminal = { stdout: context.isTty, stderr: context.isErrorTty };
  const isMidLine = { stdout: false, stderr: false };
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  return {
    show(stream, output) {
      // A reader that has closed the pipe gets no more output.
      if (options.signal.aborted || output.length === 0) return;
      const target = stream === 'stdout' ? options.stdoutTo : 'stderr';
      isMidLine[target] = output.at(-1) !== (typeof output === 'string' ? '\n' : NEWLINE);
      const sink = context[target];
      // A program's output must not move the cursor or set the terminal's title.
      const isCleaned = isTerminal[target] && options.trust !== 'trusted';
      if (typeof output !== 'string' && !isCleaned && sink.writeBytes !== undefined) return sink.writeBytes(output);
      const text = typeof output === 'string' ? output : decoders[stream].write(Buffer.from(output));
      sink.write(isCleaned ? toBlock(text) : text);
    },
    endsMidLine: () => isMidLine.stderr || (isMidLine.stdout && isTerminal.stdout && isTerminal.stderr),
  };
}
