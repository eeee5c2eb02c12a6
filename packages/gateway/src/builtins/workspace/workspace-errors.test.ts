import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../spec/gateway-error.ts';
import { toWorkspaceError } from './workspace-errors.ts';

function systemError(code: string): Error {
  return Object.assign(new RangeError(code), { code });
}

describe('toWorkspaceError', () => {
  it.each([
    ['ENOSPC', 'WorkspaceFull', 'the disk is full'],
    ['EDQUOT', 'WorkspaceFull', 'the disk is full'],
    ['ELOOP', 'WorkspacePathRefused', 'which is not allowed'],
    ['ENOENT', 'WorkspaceFileUnusable', 'does not exist'],
    ['EACCES', 'WorkspaceFileUnusable', 'cannot be read or written'],
  ])('explains the system error %s', (system, code, words) => {
    expect(toWorkspaceError(systemError(system), 'a/b')).toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
  });

  it('leaves other errors as they are', () => {
    const errors = [systemError('EIO'), new GatewayError('WorkspaceFull', 'full'), 'text'];
    expect(errors.map((error) => toWorkspaceError(error, 'a'))).toEqual(errors);
  });
});
