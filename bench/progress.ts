/** A bar on stderr. */
export interface Progress {
  /** Shows that the next step begins. */
  step(label: string): void;
  /** Removes the bar. */
  done(): void;
}

const WIDTH = 24;

/** A progress bar with this many steps. It prints only if stderr is a terminal and `silent` is false. */
export function createProgress(steps: number, silent: boolean): Progress {
  const out = process.stderr;
  if (silent || !out.isTTY) return { step: () => {}, done: () => {} };
  const color = (process.env['NO_COLOR'] ?? '') === '';
  let begun = 0;
  return {
    step(label) {
      const filled = Math.round((WIDTH * Math.min(begun, steps)) / steps);
      const bar = '█'.repeat(filled);
      const rest = '░'.repeat(WIDTH - filled);
      const shown = color ? `\x1b[32m${bar}\x1b[2m${rest}\x1b[0m` : bar + rest;
      begun++;
      out.write(`\r\x1b[K${shown} ${begun}/${steps} ${label}`);
    },
    done: () => out.write('\r\x1b[K'),
  };
}
