import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStore, type OpenStoreOptions, type Store } from '../../../packages/gateway/src/store/open-store.ts';

/** A directory that is removed after the test. */
export function makeDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-gateway-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A store on disk that is closed after the test. */
export async function openTestStore(
  directory: string = makeDataDirectory(),
  options: Partial<OpenStoreOptions> = {},
): Promise<Store> {
  const store = await openStore(directory, { now: Date.now, ...options });
  onTestFinished(() => store.close());
  return store;
}
