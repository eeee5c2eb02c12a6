import type { CliContext } from '../context.ts';

/** A line that says how far long work is. */
export interface ProgressLine {
  show(done: number, all: number): void;
  /** Takes the line away. */
  end(): void;
}

/** Work that is done sooner needs no line. */
const FIRST_MS = 500;
const EVERY_MS = 100;

/** On standard error, and only where that is a terminal. */
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
