import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of clauses that tests prove, one id per line. A listed clause must stay proven. */
export const RATCHET = 'test/requirements/proven.txt';

/** The ratchet's errors: its clauses that no test cites anymore. */
export function findLost(listed: readonly string[], cited: ReadonlySet<string>): string[] {
  return listed
    .filter((id) => !cited.has(id))
    .map(
      (id) =>
        `${RATCHET}: no test cites '${id}' any more. Cite it in a test that proves it, or take it from the list with 'npm run requirements -- --update'.`,
    );
}

/** The ids in the ratchet file of the repository at `root`. */
export function readRatchet(root: string): string[] {
  return readFileSync(join(root, RATCHET), 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}

export function writeRatchet(root: string, ids: readonly string[]): void {
  writeFileSync(join(root, RATCHET), ids.map((id) => `${id}\n`).join(''));
}
