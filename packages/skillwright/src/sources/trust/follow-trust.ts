import { unwatchFile, watchFile } from 'node:fs';
import type { TrustStore } from './trust-store.ts';

/** How often the records of trust are checked. */
const LOOK_MS = 1_000;

/** Calls back when what is trusted or blocked may have changed. Does not keep the process alive. Returns what ends it. */
export function followTrust({ file }: Pick<TrustStore, 'file'>, onChange: () => void): () => void {
  watchFile(file, { interval: LOOK_MS, persistent: false }, onChange);
  return () => unwatchFile(file, onChange);
}
