import { describe, expect, it } from 'vitest';
import { probeSandboxes } from '../../../packages/skillwright/src/sandbox.ts';
import { openBuiltIns } from '../../gateway/builtins/built-ins.ts';

const tiers = await probeSandboxes({ path: process.env['PATH'] });
const isMissing = !tiers.some(({ tier, available }) => tier === 'bubblewrap' && available);
if (isMissing) console.warn('Skipped: the bubblewrap tier is not available here.');

const python = (code: string, timeoutMs: number): object => ({ language: 'python', code, timeoutMs });

describe.skipIf(isMissing)('a program that takes memory', { timeout: 60_000 }, () => {
  const ended = { killed: true, stderr: expect.stringContaining('too much memory') as string };

  it('is ended even if it spreads the memory over many processes', async () => {
    const { call } = openBuiltIns();
    const children = `
import os, time
for i in range(7):
    if os.fork() == 0:
        x = bytearray(190 << 20)
        for k in range(0, len(x), 4096): x[k] = 1
        time.sleep(20); os._exit(0)
time.sleep(20)`;
    expect(await call('eval_code', python(children, 15_000))).toMatchObject(ended);
  });

  it('cannot hold memory outside its processes and files', async () => {
    const { call } = openBuiltIns();
    const refused = { success: false, killed: false, exitCode: 1 };
    const shared = 'import mmap\nmmap.mmap(-1, 1 << 20)';
    const unnamed = "import os\nos.memfd_create('x')";
    for (const code of [shared, unnamed])
      expect(await call('eval_code', python(code, 15_000)), code).toMatchObject({
        ...refused,
        stderr: expect.stringMatching(/PermissionError|OSError/) as string,
      });
  });
});
