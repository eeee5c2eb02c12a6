import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { probeSandboxes } from '../../../packages/skillwright/src/sandbox.ts';
import { openBuiltIns } from '../../gateway/builtins/built-ins.ts';
import { makeDataDirectory } from '../../gateway/store/data-directory.ts';

const tiers = await probeSandboxes({ path: process.env['PATH'] });
const isMissing = !tiers.some(({ tier, available }) => tier === 'bubblewrap' && available);
if (isMissing) console.warn('Skipped: the bubblewrap tier is not available here.');

const FULL = { success: false, stderr: expect.stringContaining('workspace is full') as string };
const python = (code: string, timeoutMs = 30_000): object => ({ language: 'python', code, timeoutMs });
const nested = (depth: number, name: string): string =>
  `import os,time\nfor i in range(${depth}):\n    os.mkdir(${JSON.stringify(name)}); os.chdir(${JSON.stringify(name)})\nprint('made',flush=True)\n`;

/**
 * During the work, measures this process's peak of open descriptors, and how often its event loop ran while `path`
 * existed.
 */
async function observed<T>(work: Promise<T>, path: string): Promise<{ answer: T; descriptors: number; turns: number }> {
  let [descriptors, turns, isOver] = [0, 0, false];
  const before = readdirSync('/proc/self/fd').length;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      await pause(2);
      if (existsSync(path)) turns += 1;
      descriptors = Math.max(descriptors, readdirSync('/proc/self/fd').length - before);
    }
  };
  const watching = watch();
  const answer = await work.finally(() => void (isOver = true));
  await watching;
  return { answer, descriptors, turns };
}

describe.skipIf(isMissing)('a program that fills its workspace with entries', { timeout: 120_000 }, () => {
  it('is ended for endlessly nested directories, which are removed within limits', async () => {
    const { call, workspaceOf } = openBuiltIns();
    const root = workspaceOf('k');
    const before = process.memoryUsage().heapUsed;
    const bin = join(root, '../.bin', root.slice(-24));
    // Without the limit, the program would end by itself before its timeout.
    const code = `${nested(3000, 'd'.repeat(255))}time.sleep(20)`;
    const { answer, descriptors, turns } = await observed(call('eval_code', python(code, 60_000)), bin);
    expect(answer).toMatchObject({ ...FULL, killed: true });
    expect(descriptors).toBeLessThan(400);
    expect(turns).toBeGreaterThan(5);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    // Shallow directories are kept; the others are deleted.
    expect(await call('file_write', { path: 'after.txt', content: 'x' })).toMatchObject({ success: true });
    expect(await call('execute_command', { command: 'rm -rf d*; ls' })).toMatchObject({ stdout: 'after.txt\n' });
    expect(existsSync(bin)).toBe(false);
  });

  it('leaves no deep directories, even if it makes them last or in an unreadable directory', async () => {
    const { call, workspaceOf } = openBuiltIns();
    const root = workspaceOf('k');
    for (const shut of ['', "os.chmod('.', 0)"]) {
      expect(await call('eval_code', python(`${nested(300, 'e')}${shut}`))).toMatchObject(FULL);
      expect(await call('execute_command', { command: 'find . | wc -l; rm -rf e' })).toMatchObject({
        success: true,
        stdout: '65\n',
      });
      expect(existsSync(join(root, '../.bin', root.slice(-24)))).toBe(false);
    }
  });

  it('loses its too deep directories, and nothing else, when the gateway restarts after a crash', async () => {
    const { call, workspaceOf } = openBuiltIns();
    const root = workspaceOf('k');
    mkdirSync(join(root, Array.from({ length: 200 }, () => 'x').join('/')), { recursive: true });
    mkdirSync(join(root, '../.bin', root.slice(-24), Array.from({ length: 200 }, () => 'y').join('/')), {
      recursive: true,
    });
    await expect(call('file_write', { path: 'a', content: 'x' })).rejects.toMatchObject({ code: 'WorkspaceFull' });
    expect(await call('execute_command', { command: 'find x | wc -l' })).toMatchObject({ stdout: '64\n' });
    expect(await call('execute_command', { command: 'echo again' })).toMatchObject({ stdout: 'again\n' });
    expect(existsSync(join(root, '../.bin', root.slice(-24)))).toBe(false);
  });

  it('is detected by files whose names are not text', async () => {
    const { call } = openBuiltIns({ builtins: { workspaceBytes: 3_000_000 } });
    const code = String.raw`open(b'\xff\xfe', 'wb').write(b'x' * 2_900_000); open(b'\xff', 'wb').write(b'x' * 2_900_000)`;
    expect(await call('eval_code', python(code))).toMatchObject(FULL);
    expect(await call('execute_command', { command: 'ls | wc -l' })).toMatchObject({ stdout: '1\n' });
  });

  it('is ended for files that no longer have a name', async () => {
    const { call, workspaceOf } = openBuiltIns({ builtins: { workspaceBytes: 16_000_000 } });
    const free = (): number => {
      const { bavail, bsize } = statfsSync(workspaceOf('k'));
      return bavail * bsize;
    };
    const before = free();
    let least = before;
    const timer = setInterval(() => void (least = Math.min(least, free())), 20);
    const code = `
import os, time
held = []
for i in range(200):
    f = open('u', 'wb', buffering=0); os.unlink('u'); held.append(f)
    for j in range(10): f.write(b'x' * (1 << 20))
    time.sleep(0.05)
time.sleep(10)`;
    // Without the limit, the program would end by itself before its timeout.
    const answer = await call('eval_code', python(code, 60_000)).finally(() => clearInterval(timer));
    expect(answer).toMatchObject({ ...FULL, killed: true });
    expect(before - least).toBeLessThan(500_000_000);
  });

  it('can open only few files, and write none larger than its workspace', async () => {
    const { call } = openBuiltIns({ builtins: { workspaceBytes: 2_000_000 } });
    const code = `
import os, resource
print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_FSIZE)[1] <= 2_000_384)
try: resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000))
except ValueError: print('kept')`;
    expect(await call('eval_code', python(code))).toMatchObject({ stdout: '(256, 256) True\nkept\n' });
  });

  it('is ended together with another of the same tenant, after one measurement', async () => {
    const { call } = openBuiltIns({ builtins: { workspaceBytes: 4_000_000 } });
    const first = call('eval_code', python('import time\ntime.sleep(25)'));
    const second = call(
      'eval_code',
      python("import time\nopen('a','wb').write(b'x'*3_900_000)\nopen('b','wb').write(b'x'*3_900_000)\ntime.sleep(25)"),
    );
    for (const answer of await Promise.all([first, second])) expect(answer).toMatchObject({ ...FULL, killed: true });
    expect(await call('execute_command', { command: 'echo free' })).toMatchObject({ stdout: 'free\n' });
  });

  const cannotMount = process.getuid?.() !== 0 || spawnSync('unshare', ['-m', 'true']).status !== 0;
  if (cannotMount) console.warn('Skipped: a small disk can be mounted only by root.');

  it.skipIf(cannotMount)('leaves a reserve of the disk, and nothing runs without one', () => {
    const fill = `
import time
for i in range(10):
    with open(f'f{i}', 'wb', buffering=0) as f:
        for j in range(20): f.write(b'x' * (1 << 20)); time.sleep(0.02)
time.sleep(20)`;
    const child = fileURLToPath(new URL('../../gateway/store/full-disk-child.ts', import.meta.url));
    const hooks = join(import.meta.dirname, '../../package/resolve-source.ts');
    const mount = 'mount -t tmpfs -o size=160m,mode=700 tmpfs "$1" && shift && exec "$@"';
    const data = makeDataDirectory();
    const command = [process.execPath, '--import', hooks, child, data, fill];
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', mount, 'sh', data, ...command], {
      encoding: 'utf8',
    });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(answers, stderr).toMatchObject([
      { output: { killed: true, stderr: expect.stringContaining('disk is nearly full') as string } },
      { errorCode: 'WorkspaceFull' },
    ]);
  });
});
