import { type Stats, unwatchFile, watchFile } from 'node:fs';
import type { TrustStore } from './trust-store.ts';

/** How often the records of trust are checked. */
const LOOK_MS = 1_000;

/** Calls back when the trust file may have changed. Does not keep the process alive. Returns what ends it. */
export function followTrust({ file }: Pick<TrustStore, 'file'>, onChange: () => void): () => void {
  const look = (now: Stats, before: Stats): void => {
    if (isThere(now) || isThere(before)) onChange();
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, look);
  return () => unwatchFile(file, look);
}

/** Node calls back once for a file that does not exist, with zeros. */
function isThere({ nlink }: Stats): boolean {
  return nlink > 0;
}
