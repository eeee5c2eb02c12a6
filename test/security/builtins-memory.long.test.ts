import { describe, expect, it } from 'vitest';
import { probeSandboxes } from '../../packages/skillwright/src/index.ts';
import { openBuiltIns } from '../gateway/built-ins.ts';

const tiers = await probeSandboxes({ path: process.env['PATH'] });
const isMissing = !tiers.some(({ tier, available }) => tier === 'bubblewrap' && available);
if (isMissing) console.warn('Skipped: the bubblewrap tier is not available here.');

const python = (code: string, timeoutMs: number): object => ({ language: 'python', code, timeoutMs });

describe.skipIf(isMissing)('a program that takes memory', { timeout: 60_000 }, () => {
  const ended = { killed: true, stderr: expect.stringContaining('too much memory') as string };

  it('that it shares, or holds in files without a name, or in many processes, is ended', async () => {
    const { call } = openBuiltIns();
    const shared = `
import mmap, time
m = mmap.mmap(-1, 1300 << 20)
for i in range(0, 1300 << 20, 4096): m[i:i+1] = b'x'
time.sleep(20)`;
    const files = `
import os, time
for i in range(22):
    fd = os.memfd_create('x')
    for j in range(60): os.write(fd, b'x' * (1 << 20))
time.sleep(20)`;
    const children = `
import os, time
for i in range(7):
    if os.fork() == 0:
        x = bytearray(190 << 20)
        for k in range(0, len(x), 4096): x[k] = 1
        time.sleep(20); os._exit(0)
time.sleep(20)`;
    for (const code of [shared, files, children])
      expect(await call('eval_code', python(code, 15_000)), code).toMatchObject(ended);
  });
});
