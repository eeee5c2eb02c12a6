import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the skills of each tenant work: a directory of its own, made when it is first needed. */
export function createWorkspaces(data: string): (tenant: string) => string {
  const made = new Map<string, string>();
  return (tenant) => {
    const known = made.get(tenant);
    if (known !== undefined) return known;
    const name = createHash('sha256')
      .update(tenant === '' ? 'anonymous' : tenant)
      .digest('hex')
      .slice(0, 24);
    const directory = join(data, 'skills', 'workspaces', name);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    made.set(tenant, directory);
    return directory;
  };
}
