import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The clauses that tests prove, an id on each line. One that is listed here must stay proven. */
export const RATCHET = 'test/requirements/proven.txt';

/** What is wrong with the ratchet: its clauses that no test cites any more. */
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
