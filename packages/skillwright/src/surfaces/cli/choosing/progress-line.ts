import type { CliContext } from '../context.ts';

/** A line that shows the progress of long work. */
export interface ProgressLine {
  show(done: number, all: number): void;
  /** Removes the line. */
  end(): void;
}

/** Work that finishes sooner needs no progress line. */
const FIRST_MS = 500;
const EVERY_MS = 100;

/** Shows progress on standard error, but only if that is a terminal. */
export function createProgressLine({ stderr, isErrorTty, env }: CliContext, what: string): ProgressLine {
  if (!isErrorTty || env.TERM === 'dumb') return { show: () => {}, end: () => {} };
  let next = performance.now() + FIRST_MS;
  let isShown = false;
  return {
    show(done, all) {
      if (performance.now() < next) return;
      next = performance.now() + EVERY_MS;
      isShown = true;
      stderr.write(`\r\u001B[K${what} ${done.toLocaleString('en')} of ${all.toLocaleString('en')}`);
    },
    end() {
      if (isShown) stderr.write('\r\u001B[K');
    },
  };
}
