import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proves } from '../../proves.ts';
import { openBuiltIns } from './built-ins.ts';

describe('file_write and file_read', () => {
  it('write and read a text in the key’s workspace', async () => {
    proves('S4.builtin.file_read', 'S4.builtin.file_write', 'S4.files.workspace');
    const { call, data } = openBuiltIns();
    const content = 'Zażółć — 🦊\n';
    const bytes = Buffer.byteLength(content);
    expect(await call('file_write', { path: 'notes/today.txt', content })).toEqual({
      success: true,
      path: 'notes/today.txt',
      bytesWritten: bytes,
    });
    expect(await call('file_read', { path: 'notes/today.txt' })).toEqual({
      success: true,
      path: 'notes/today.txt',
      content,
      bytesRead: bytes,
      encoding: 'utf8',
    });
    const workspace = createHash('sha256').update('k').digest('hex').slice(0, 24);
    expect(readFileSync(join(data, 'skills/workspaces', workspace, 'notes/today.txt'), 'utf8')).toBe(content);
    expect(statSync(join(data, 'skills/workspaces')).mode & 0o777).toBe(0o700);
  });

  it('return bytes unchanged in base64', async () => {
    const { call, workspaceOf } = openBuiltIns();
    const bytes = Buffer.from([0, 255, 128, 10]);
    writeFileSync(join(workspaceOf('k'), 'b.bin'), bytes);
    expect(await call('file_read', { path: 'b.bin', encoding: 'base64' })).toMatchObject({
      content: bytes.toString('base64'),
      bytesRead: 4,
    });
  });

  it('keep the files of each key apart', async () => {
    const { call } = openBuiltIns();
    await call('file_write', { path: 'a.txt', content: 'mine' });
    await expect(call('file_read', { path: 'a.txt' }, { apiKeyId: 'other' })).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
    });
  });

  it('share one workspace among callers without a key', async () => {
    proves('S4.files.anonymous');
    const { call, data } = openBuiltIns();
    await call('file_write', { path: 'a.txt', content: 'ours' }, { apiKeyId: null });
    expect(await call('file_read', { path: 'a.txt' }, { apiKeyId: '' })).toMatchObject({ content: 'ours' });
    const workspace = createHash('sha256').update('anonymous').digest('hex').slice(0, 24);
    expect(existsSync(join(data, 'skills/workspaces', workspace, 'a.txt'))).toBe(true);
  });

  it('append to a file, replace it, or refuse to overwrite it', async () => {
    const { call } = openBuiltIns();
    await call('file_write', { path: 'a.txt', content: 'one' });
    expect(await call('file_write', { path: 'a.txt', content: ' two', append: true })).toMatchObject({
      bytesWritten: 4,
    });
    expect(await call('file_read', { path: 'a.txt' })).toMatchObject({ content: 'one two' });
    await expect(call('file_write', { path: 'a.txt', content: 'x', overwrite: false })).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
      message: expect.stringContaining('exists') as string,
    });
    await call('file_write', { path: 'a.txt', content: 'new' });
    expect(await call('file_read', { path: 'a.txt' })).toMatchObject({ content: 'new' });
    await call('file_write', { path: 'b.txt', content: 'x', overwrite: false });
    await call('file_write', { path: 'c.txt', content: 'x', append: true });
    expect(await call('file_read', { path: 'c.txt' })).toMatchObject({ content: 'x' });
  });

  it('lose no concurrent appends', async () => {
    const { call } = openBuiltIns();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    await Promise.all(lines.map((content) => call('file_write', { path: 'log.txt', content, append: true })));
    const { content } = await call('file_read', { path: 'log.txt' });
    expect(String(content).split('\n').sort()).toEqual(lines.join('').split('\n').sort());
  });

  it('leave no temporary files behind', async () => {
    const { call, workspaceOf, data } = openBuiltIns();
    await call('file_write', { path: 'a/b.txt', content: 'x' });
    await expect(call('file_write', { path: 'a', content: 'x' })).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
    });
    expect(readdirSync(workspaceOf('k'), { recursive: true }).map(String).sort()).toEqual(['a', 'a/b.txt']);
    expect(readdirSync(join(data, 'skills/workspaces/.parts'))).toEqual([]);
  });

  it('explain what is wrong with an input', async () => {
    const { call } = openBuiltIns();
    await expect(call('file_read', { path: 7, more: 1 })).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining('path') as string,
    });
  });
});

describe('the limits of files', () => {
  it('come from SKILLS_MAX_FILE_BYTES, 1 MiB by default', async () => {
    proves('S4.env.SKILLS_MAX_FILE_BYTES');
    const usual = openBuiltIns();
    await usual.call('file_write', { path: 'a', content: 'x'.repeat(1_048_576) });
    await expect(usual.call('file_write', { path: 'a', content: 'x'.repeat(1_048_577) })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    const small = openBuiltIns({ env: { SKILLS_MAX_FILE_BYTES: '10' } });
    await expect(small.call('file_write', { path: 'a', content: 'éééééé' })).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
    });
    writeFileSync(join(small.workspaceOf('k'), 'b'), 'x'.repeat(11));
    await expect(small.call('file_read', { path: 'b' })).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
      message: expect.stringContaining('10 bytes') as string,
    });
    await small.call('file_write', { path: 'c', content: 'x'.repeat(6) });
    await expect(small.call('file_write', { path: 'c', content: 'x'.repeat(6), append: true })).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
    });
  });

  it('hold for the whole workspace', async () => {
    const { call } = openBuiltIns({ builtins: { workspaceBytes: 100_000 } });
    await call('file_write', { path: 'a', content: 'x'.repeat(60_000) });
    await expect(call('file_write', { path: 'b', content: 'x'.repeat(60_000) })).rejects.toMatchObject({
      code: 'WorkspaceFull',
    });
    await expect(call('file_write', { path: 'a', content: 'x'.repeat(60_000), append: true })).rejects.toMatchObject({
      code: 'WorkspaceFull',
    });
    await call('file_write', { path: 'a', content: 'x' });
    await call('file_write', { path: 'b', content: 'x'.repeat(60_000) });
    await call('file_write', { path: 'b', content: 'y' }, { apiKeyId: 'other' });
  });

  it('count empty files and directories, and the full size of sparse files', async () => {
    const { call, workspaceOf } = openBuiltIns({ builtins: { workspaceBytes: 100_000 } });
    const root = workspaceOf('k');
    writeFileSync(join(root, 'sparse'), '');
    truncateSync(join(root, 'sparse'), 200_000);
    await expect(call('file_write', { path: 'a', content: 'x' })).rejects.toMatchObject({ code: 'WorkspaceFull' });
    truncateSync(join(root, 'sparse'), 0);
    const failures: unknown[] = [];
    for (let index = 0; index < 40; index += 1)
      await call('file_write', { path: `d${index}/e/f`, content: '' }).catch((error: unknown) => failures.push(error));
    expect(failures.length).toBeGreaterThan(25);
    expect(readdirSync(root, { recursive: true }).length).toBeLessThan(30);
  });

  it('hold with two concurrent writers', async () => {
    const { call, workspaceOf } = openBuiltIns({ builtins: { workspaceBytes: 100_000 } });
    const writes = Array.from({ length: 8 }, (_, index) =>
      call('file_write', { path: `f${index}`, content: 'x'.repeat(30_000) }),
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(readdirSync(workspaceOf('k'))).toHaveLength(3);
  });
});

describe('links in a workspace', () => {
  it.each([process.platform, 'darwin'])('are not followed when reading or writing (%s)', async (platform) => {
    // Outside Linux, open directories have no paths, so each step is checked afterwards.
    const own = process.platform;
    Object.defineProperty(process, 'platform', { value: platform });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: own }));
    const { call, workspaceOf, data } = openBuiltIns();
    const outside = join(data, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const root = workspaceOf('k');
    symlinkSync(outside, join(root, 'dir'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
    symlinkSync(join(outside, 'new.txt'), join(root, 'dangling'));
    symlinkSync('.', join(root, 'self'));
    writeFileSync(join(root, 'own.txt'), 'own');
    for (const path of ['dir/secret.txt', 'file', 'dangling', 'self/own.txt'])
      await expect(call('file_read', { path })).rejects.toMatchObject({
        code: expect.stringMatching(/^Workspace(?:PathRefused|FileUnusable)$/) as string,
      });
    for (const path of ['dir/secret.txt', 'dir/new.txt', 'file', 'dangling', 'self/new.txt'])
      for (const append of [false, true])
        await expect(call('file_write', { path, content: 'planted', append })).rejects.toMatchObject({
          code: expect.stringMatching(/^Workspace(?:PathRefused|FileUnusable)$/) as string,
        });
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    await call('file_write', { path: 'd/e/new.txt', content: 'new' });
    expect(await call('file_read', { path: 'd/e/new.txt' })).toMatchObject({ content: 'new' });
  });
});
