import { statSync } from 'node:fs';
import { GatewayError } from '../spec/gateway-error.ts';

const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;

/**
 * Who else can write to the paths of a store. Throws if everybody can. Returns a warning for each path that a group can
 * write to, or that belongs to another user than this process's and root. A path that does not exist is fine.
 */
export function checkWriters(paths: readonly string[]): readonly string[] {
  const own = process.getuid?.();
  if (own === undefined) return [];
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    if ((found.mode & ALL_WRITE) !== 0) throw openToAll(path);
    if (found.uid !== own && found.uid !== 0)
      return [`${path} belongs to user ${found.uid}, who can replace the gateway's keys, settings and skills.`];
    if ((found.mode & GROUP_WRITES) === 0) return [];
    return [
      `Group ${found.gid} can write to ${path} and replace the gateway's keys, settings and skills. If that is not wanted, run: chmod g-w ${path}`,
    ];
  });
}

function openToAll(path: string): GatewayError {
  const message = `Every user of this machine can write to ${path}, and could bring keys, settings and skills that way. Run \`chmod o-w ${path}\`, or use another directory with --data.`;
  return new GatewayError('DataDirectoryShared', message, { data: { path } });
}
