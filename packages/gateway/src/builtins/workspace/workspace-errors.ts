import { GatewayError, systemCode } from '../../spec/gateway-error.ts';
import { refused } from './workspace-path.ts';

const REFUSALS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'goes through a link or a file'],
  ['EISDIR', 'is a directory'],
  ['EEXIST', "already exists, and 'overwrite' is false"],
  ['ENXIO', 'is not a regular file'],
  ['EACCES', 'cannot be read or written'],
]);
const FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** Turns a system error into one that explains itself. Returns other errors unchanged. */
export function toWorkspaceError(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (error instanceof GatewayError) return error;
  if (code === 'ELOOP') return refused(path, 'goes through a link, which is not allowed');
  if (FULL.has(code))
    return new GatewayError('WorkspaceFull', `${JSON.stringify(path)} was not written: the disk is full.`, {
      cause: error,
    });
  const problem = REFUSALS.get(code);
  return problem === undefined ? error : unusable(path, problem);
}

export function unusable(path: string, problem: string): GatewayError {
  return new GatewayError('WorkspaceFileUnusable', `${JSON.stringify(path)} ${problem}.`, { data: { path } });
}

export function tooLarge(path: string, maxBytes: number): GatewayError {
  return new GatewayError(
    'WorkspaceFileUnusable',
    `${JSON.stringify(path)} is or would be larger than ${maxBytes} bytes, the limit of a file.`,
    { data: { path, maxBytes } },
  );
}

export function noRoom(path: string, used: number, limit: number): GatewayError {
  return new GatewayError(
    'WorkspaceFull',
    `${JSON.stringify(path)} was not written: the workspace already uses ${Number.isFinite(used) ? used : 'too many'} of ${limit} bytes. Delete or shorten files first.`,
    { data: { path, used, limit } },
  );
}
