import { once } from 'node:events';
import { mkdtempSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { followTrust } from '../../../packages/skillwright/src/host.ts';

/** Waits until Node has called back once for a missing file, as it always does. */
async function missingFileSeen(file: string): Promise<void> {
  const watcher = watchFile(file, { interval: 50 }, () => undefined);
  await once(watcher, 'change');
  unwatchFile(file);
}

it('followTrust calls back when the trust file is written or removed, but not while it is missing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'follow-trust-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'trust.json');
  const onChange = vi.fn<() => void>();
  const end = followTrust({ file }, onChange);
  onTestFinished(end);
  await missingFileSeen(join(directory, 'one'));
  await missingFileSeen(join(directory, 'other'));
  expect(onChange).not.toHaveBeenCalled();
  writeFileSync(file, '{}');
  await expect.poll(() => onChange.mock.calls.length, { timeout: 20_000 }).toBe(1);
  rmSync(file);
  await expect.poll(() => onChange.mock.calls.length, { timeout: 20_000 }).toBe(2);
});
