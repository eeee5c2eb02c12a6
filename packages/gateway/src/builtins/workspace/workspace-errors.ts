import { GatewayError } from '../../spec/gateway-error.ts';
import { systemCode } from '../../spec/caught-error.ts';
import { refused } from './workspace-path.ts';

const REFUSALS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'is not there'],
  ['ENOTDIR', 'goes through something that is no directory, or through a link'],
  ['EISDIR', 'is a directory'],
  ['EEXIST', 'exists, and it was not asked to be overwritten'],
  ['ENXIO', 'is no regular file'],
  ['EACCES', 'may not be read or written'],
]);
const FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** Turns a system error into one that explains itself. Returns other errors unchanged. */
export function toWorkspaceError(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (error instanceof GatewayError) return error;
  if (code === 'ELOOP') return refused(path, 'goes through a link, and links are not followed');
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
    `${JSON.stringify(path)} is or would be larger than ${maxBytes} bytes, the most that a file may have.`,
    { data: { path, maxBytes } },
  );
}

export function noRoom(path: string, used: number, limit: number): GatewayError {
  return new GatewayError(
    'WorkspaceFull',
    `${JSON.stringify(path)} was not written: the workspace takes ${Number.isFinite(used) ? used : 'more than can be counted'} of ${limit} bytes already. Remove or shorten files first.`,
    { data: { path, used, limit } },
  );
}
