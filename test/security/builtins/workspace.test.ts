import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { probeSandboxes } from '../../../packages/skillwright/src/sandbox.ts';
import { openBuiltIns } from '../../gateway/builtins/built-ins.ts';

const tiers = await probeSandboxes({ path: process.env['PATH'] });
const isMissing = !tiers.some(({ tier, available }) => tier === 'bubblewrap' && available);
if (isMissing) console.warn('Skipped: the bubblewrap tier is not available here.');

const REFUSED = { code: expect.stringMatching(/^Workspace(?:PathRefused|FileUnusable)$/) as string };
const ROUNDS = 150;

/** Runs in the sandbox until it is stopped: two names alternate between a directory or file and links to outside. */
const FLIP = (outside: string): string => `
  const fs = require('node:fs');
  const moment = new Int32Array(new SharedArrayBuffer(4));
  const secret = ${JSON.stringify(join(outside, 'secret.txt'))};
  const make = {
    real: () => { fs.mkdirSync('real'); fs.writeFileSync('real/secret.txt', 'decoy'); },
    link: () => fs.symlinkSync(${JSON.stringify(outside)}, 'link'),
    plain: () => fs.writeFileSync('plain', 'decoy'),
    out: () => fs.symlinkSync(secret, 'out'),
  };
  const repair = () => {
    try { mend(); } catch { /* The next time. */ }
  };
  const mend = () => {
    for (const name of ['way', 'leaf']) fs.rmSync(name, { recursive: true, force: true });
    for (const name of Object.keys(make)) if (!fs.readdirSync('.').includes(name)) make[name]();
    if (!fs.lstatSync('out').isSymbolicLink()) { fs.rmSync('out'); make.out(); }
  };
  repair();
  console.log('flipping');
  while (!fs.existsSync('stop')) {
    for (const [name, flipped] of [['real', 'way'], ['plain', 'leaf'], ['link', 'way'], ['out', 'leaf']]) {
      try {
        fs.renameSync(name, flipped);
        Atomics.wait(moment, 0, 0, 2 * Math.random());
        fs.renameSync(flipped, name);
      } catch {
        repair();
      }
    }
    repair();
  }`;

describe.skipIf(isMissing)('a program in the workspace', { timeout: 90_000 }, () => {
  it('cannot make the gateway read or write other files, however fast it replaces names by links', async () => {
    const { call, data } = openBuiltIns();
    const outside = join(data, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), 'SECRET');
    const flipping = Promise.withResolvers<void>();
    const program = call(
      'eval_code',
      { code: FLIP(outside), timeoutMs: 60_000 },
      { onOutput: () => flipping.resolve() },
    );
    await Promise.race([flipping.promise, program]);
    const read: unknown[] = [];
    let refused = 0;
    const attempt = async (work: Promise<Record<string, unknown>>): Promise<void> => {
      try {
        read.push((await work)['content']);
      } catch (error) {
        expect(error).toMatchObject(REFUSED);
        refused += 1;
      }
    };
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all([
        attempt(call('file_read', { path: 'way/secret.txt' })),
        attempt(call('file_read', { path: 'leaf' })),
        ...(round % 2 === 0 ? [attempt(call('file_write', { path: 'way/planted.txt', content: 'planted' }))] : []),
        ...(round % 4 === 1 ? [attempt(call('file_write', { path: 'leaf', content: 'decoy', append: true }))] : []),
      ]);
    await call('file_write', { path: 'stop', content: '' });
    expect(await program).toMatchObject({ success: true, killed: false });
    expect(read.join('')).not.toContain('SECRET');
    // Both occurred: real directories and files, and links in their place.
    expect(read).toContain('decoy');
    expect(refused).toBeGreaterThan(0);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('SECRET');
  });

  it('may leave links and pipes, which are refused and do not block', async () => {
    const { call } = openBuiltIns();
    await call('execute_command', {
      command: 'mkfifo pipe; ln -s /etc/passwd p; ln -s /dev/zero z; mkdir d; mkfifo d/q',
    });
    for (const path of ['pipe', 'p', 'z', 'd/q', 'd', 'pipe/x']) {
      await expect(call('file_read', { path })).rejects.toMatchObject(REFUSED);
      for (const append of [true, false])
        await expect(call('file_write', { path, content: 'x', append })).rejects.toMatchObject(REFUSED);
    }
  });

  it('cannot fill the disk: it is stopped, and the excess is removed', async () => {
    const { call } = openBuiltIns({ builtins: { workspaceBytes: 5_000_000 } });
    await call('file_write', { path: 'kept.txt', content: 'kept' });
    const command =
      'mkdir -p a/b; i=0; while true; do head -c 500000 /dev/zero > a/b/f$i; chmod 0 a/b/f$i; i=$((i+1)); done';
    const answer = await call('execute_command', { command, timeoutMs: 60_000 });
    expect(answer).toMatchObject({
      success: false,
      killed: true,
      stderr: expect.stringContaining('workspace is full') as string,
    });
    expect(await call('file_read', { path: 'kept.txt' })).toMatchObject({ content: 'kept' });
    const after = await call('execute_command', { command: 'du -sk . | cut -f1' });
    expect(Number(after['stdout'])).toBeLessThan(5_100);
    expect(await call('execute_command', { command: 'rm -rf a' })).toMatchObject({ success: true });
    expect(await call('file_write', { path: 'b.txt', content: 'x' })).toMatchObject({ success: true });
  });

  it('cannot hide files from the quota in unreadable or deep directories, or at the last moment', async () => {
    const { call } = openBuiltIns({ builtins: { workspaceBytes: 3_000_000 } });
    const hide = (where: string, shut: string): string =>
      `mkdir -p ${where}; cd ${where}; head -c 2000000 /dev/zero > x; head -c 2000000 /dev/zero > y; cd - >/dev/null; ${shut}`;
    const deep = Array.from({ length: 120 }, () => 'deep').join('/');
    for (const [where, shut] of [
      ['shut/inner', 'chmod 0 shut/inner shut'],
      ['locked/inner', 'chmod 0500 locked/inner; chmod 0400 locked; chmod 0 .'],
      [deep, 'true'],
      ['plain', 'touch -d 2001-01-01 plain/x plain/y'],
    ] as const) {
      const answer = await call('execute_command', { command: hide(where, shut) });
      expect(answer, where).toMatchObject({
        success: false,
        stderr: expect.stringContaining('workspace is full') as string,
      });
      const left = await call('execute_command', { command: 'chmod -R u+rwx . ; du -sk . | cut -f1; rm -rf ./*' });
      expect(Number(String(left['stdout'])), where).toBeLessThan(3_100);
    }
  });
});

describe('a workspace', () => {
  it('lets no program run while it takes more than twice its quota', async () => {
    const { call, workspaceOf } = openBuiltIns({ builtins: { workspaceBytes: 10_000 } });
    writeFileSync(join(workspaceOf('k'), 'a'), 'x'.repeat(20_001));
    await expect(call('eval_code', { code: '1' })).rejects.toMatchObject({ code: 'WorkspaceFull' });
  });

  it('may contain sockets, hard links and unreadable files, and the rest stays readable', async () => {
    const { call, workspaceOf } = openBuiltIns();
    const root = workspaceOf('k');
    const server = createServer();
    onTestFinished(() => void server.close());
    server.listen(join(root, 's'));
    await once(server, 'listening');
    writeFileSync(join(root, 'a'), 'one');
    linkSync(join(root, 'a'), join(root, 'b'));
    await expect(call('file_read', { path: 's' })).rejects.toMatchObject(REFUSED);
    await expect(call('file_write', { path: 's', content: '' })).rejects.toMatchObject(REFUSED);
    // A file with two names is replaced under one of them.
    await call('file_write', { path: 'b', content: ' two', append: true });
    expect([readFileSync(join(root, 'a'), 'utf8'), readFileSync(join(root, 'b'), 'utf8')]).toEqual(['one', 'one two']);
  });

  it('leaves no descriptor open, whatever was refused', async () => {
    if (!existsSync('/proc/self/fd')) return;
    const { call, workspaceOf } = openBuiltIns();
    const root = workspaceOf('k');
    mkdirSync(join(root, 'a/b'), { recursive: true });
    execFileSync('mkfifo', [join(root, 'a/b/pipe')]);
    chmodSync(join(root, 'a/b/pipe'), 0o666);
    const attempt = async (): Promise<void> => {
      for (const path of ['a/b/pipe', 'a/b', 'a/x/y', 'a/b/c'])
        await Promise.allSettled([
          call('file_read', { path }),
          call('file_write', { path, content: 'x', overwrite: false }),
        ]);
    };
    await attempt();
    const before = readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 20; round += 1) await attempt();
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });
});
