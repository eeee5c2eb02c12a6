import { write, writeSync } from 'node:fs';
import { systemCode } from '../../spec/gateway-error.ts';

/**
 * Writes lines to a descriptor, which must not be a blocking pipe. A failed write does not throw, wait or end the
 * process.
 */
export interface LineWriter {
  write(line: string): void;
  /** Starts writing the buffered lines. */
  flush(): void;
  /** Writes the buffered lines synchronously at the end of the process, but does not wait long. */
  flushSync(): void;
}

/** How long a line is buffered, so that several are written together. */
const GATHER_MS = 50;
/** A buffer of this many characters is written without waiting. */
const GATHER_CHARS = 8192;
/** How many characters one write takes. */
const BATCH_CHARS = 65_536;
/** The most characters to buffer while writes fail. Later lines are lost. */
const MAX_CHARS = 4_194_304;
/** The delay before a retry after a failed write. */
const RETRY_MS = 1000;
/** The longest wait at exit. */
const LAST_MS = 200;
const NAP_MS = 5;
const NEWLINE = 10;

/** Buffers lines, because a write for each would cost a tenth of a request. Lost lines are counted and reported. */
export function createLineWriter(descriptor: number): LineWriter {
  let lines: string[] = [];
  let chars = 0;
  let lost = 0;
  let batch: { readonly lines: number; bytes: Buffer } | undefined;
  let isWriting = false;
  let endsInLine = false;
  let timer: NodeJS.Timeout | undefined;

  const later = (ms: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush();
    }, ms).unref();
  };
  const take = (): typeof batch => {
    if (batch !== undefined || lines.length === 0) return batch;
    let [count, size] = [0, 0];
    for (; count < lines.length && (count === 0 || size + (lines[count]?.length ?? 0) <= BATCH_CHARS); count += 1)
      size += lines[count]?.length ?? 0;
    const text = `${endsInLine ? '\n' : ''}${lost === 0 ? '' : lossLine(lost)}${lines.slice(0, count).join('')}`;
    lines = lines.slice(count);
    chars -= size;
    batch = { lines: count + lost, bytes: Buffer.from(text) };
    lost = 0;
    return batch;
  };
  const wrote = (bytes: number): void => {
    if (batch === undefined || bytes === 0) return;
    endsInLine = batch.bytes[bytes - 1] !== NEWLINE;
    batch.bytes = batch.bytes.subarray(bytes);
    if (batch.bytes.length === 0) batch = undefined;
  };
  const lose = (): void => {
    lost += batch?.lines ?? 0;
    batch = undefined;
  };
  const flush = (): void => {
    const next = isWriting ? undefined : take();
    if (next === undefined) return;
    isWriting = true;
    write(descriptor, next.bytes, (error, bytes) => {
      isWriting = false;
      if (error === null) {
        wrote(bytes);
        flush();
      } else if (isBusy(error)) later(GATHER_MS);
      else {
        lose();
        later(RETRY_MS);
      }
    });
  };
  return {
    write(line) {
      if (chars + line.length > MAX_CHARS) {
        lost += 1;
        return;
      }
      lines.push(line);
      chars += line.length;
      if (chars >= GATHER_CHARS && timer === undefined) flush();
      else later(GATHER_MS);
    },
    flush,
    flushSync() {
      const endAt = performance.now() + LAST_MS;
      // A pending asynchronous write gets a moment to finish first.
      if (isWriting) {
        nap(LAST_MS / 10);
        batch = undefined;
      }
      while (take() !== undefined && performance.now() < endAt)
        try {
          wrote(writeSync(descriptor, batch?.bytes ?? Buffer.alloc(0)));
        } catch (error) {
          if (!isBusy(error)) return lose();
          nap(NAP_MS);
        }
    },
  };
}

function lossLine(lost: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lost, msg: 'some lines of this log were lost because they could not be written' })}\n`;
}

function isBusy(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'EAGAIN' || code === 'EINTR';
}

function nap(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
