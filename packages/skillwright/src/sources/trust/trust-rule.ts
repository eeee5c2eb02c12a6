import type { DecideTrust } from '../../spec/trust.ts';
import { trustFileLocation, type ConfigurationHost } from './trust-location.ts';
import { createTrustStore, type TrustStore, type TrustStoreOptions } from './trust-store.ts';
import { type Stats, unwatchFile, watchFile } from 'node:fs';

/**
 * Decides the trust of a directory's skills, the same way for the command line and the gateway. The user's record for
 * the directory decides. Without a record, it depends on `named`: whether a person named the directory, or it was only
 * found in a usual place.
 */
export function trustRule(store: Pick<TrustStore, 'levelOf'>, { named }: { readonly named: boolean }): DecideTrust {
  return ({ realDir }) => store.levelOf(realDir) ?? (named ? 'trusted' : 'untrusted');
}

/** Opens the trust file of the current user. `SKILLWRIGHT_TRUST_FILE` names another file, by an absolute path. */
export function openUserTrustStore(
  host: ConfigurationHost,
  options: Pick<TrustStoreOptions, 'keepsBlocks'> = {},
): TrustStore {
  const given = host.env['SKILLWRIGHT_TRUST_FILE'] ?? '';
  return createTrustStore(given === '' ? trustFileLocation(host) : given, { home: host.home, ...options });
}

/** How often the trust file is checked. */
const LOOK_MS = 1_000;

/**
 * Calls back when the trust file may have changed. Does not keep the process alive. Returns a function that ends it.
 */
export function followTrust({ file }: Pick<TrustStore, 'file'>, onChange: () => void): () => void {
  const look = (now: Stats, before: Stats): void => {
    if (isThere(now) || isThere(before)) onChange();
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, look);
  return () => unwatchFile(file, look);
}

/** Whether the file exists. For a missing file, Node calls back once, with zeros. */
function isThere({ nlink }: Stats): boolean {
  return nlink > 0;
}
