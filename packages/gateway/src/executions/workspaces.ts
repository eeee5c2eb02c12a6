import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** User ids above those that systems assign. */
const FIRST_OWN_USER = 1_900_000_000;
const OWN_USERS = 2 ** 24;
const NOBODY = 65_534;

/** Returns each tenant's working directory, made when first needed. */
export function createWorkspaces(data: string): (tenant: string) => string {
  const made = new Map<string, string>();
  return (tenant) => {
    const known = made.get(tenant);
    if (known !== undefined) return known;
    const digest = createHash('sha256').update(tenant === '' ? 'anonymous' : tenant);
    const name = digest.digest('hex').slice(0, 24);
    const directory = join(data, 'skills', 'workspaces', name);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    giveAway(directory, FIRST_OWN_USER + (Number.parseInt(name.slice(0, 8), 16) % OWN_USERS));
    made.set(tenant, directory);
    return directory;
  };
}

/**
 * Gives a tenant's directory to a user of its own: a sandbox started by root runs programs as another user, and the
 * files that they write must belong to that user. The mode lets the sandbox enter without root's powers; the parent
 * directories keep all other users out.
 */
function giveAway(directory: string, user: number): void {
  if (process.getuid?.() !== 0 || statSync(directory).uid !== 0) return;
  chmodSync(directory, 0o701);
  try {
    chownSync(directory, user, user);
  } catch {
    // Containers with few user ids cannot use the tenant's own number.
    chownSync(directory, NOBODY, NOBODY);
  }
}
