import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createInProcessSandbox } from '../../../packages/skillwright/src/process/inprocess/sandbox.ts';
import { DEFAULT_SANDBOX_LIMITS, type SandboxLaunch } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { describeHandlers } from './handlers.ts';

/** Node's own `import()`: in a test file, `import()` is the test runner's. */
function nodeImport(): (url: string) => Promise<unknown> {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-import-'));
  const file = join(directory, 'import.cjs');
  writeFileSync(file, 'module.exports = (url) => import(url);');
  try {
    return createRequire(import.meta.url)(file) as (url: string) => Promise<unknown>;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const sandbox = createInProcessSandbox({ importModule: nodeImport() });

describeHandlers('inprocess', sandbox);

describe('the inprocess tier', () => {
  const launch: SandboxLaunch = {
    executionId: 'none',
    program: process.execPath,
    args: [],
    cwd: '/',
    env: {},
    skillDir: '/',
    workspace: 'none',
    network: false,
    limits: DEFAULT_SANDBOX_LIMITS,
    channel: true,
  };

  it('promises nothing, and lists what it does not do', async () => {
    const probe = await sandbox.probe();
    expect(probe).toMatchObject({ available: true, detail: expect.stringContaining('not captured') as string });
    expect(probe.available && Object.values(probe.capabilities)).toEqual(Array<boolean>(9).fill(false));
  });

  it('refuses programs, other languages and copies', async () => {
    const code = 'LaunchFailed';
    await expect(sandbox.launch(launch)).rejects.toMatchObject({ code });
    await expect(sandbox.launch({ ...launch, handler: { language: 'python', file: 'a.py' } })).rejects.toMatchObject({
      code,
      message: expect.stringContaining('a.py') as string,
    });
    const copied = { ...launch, handler: { language: 'javascript', file: '/a.js' }, skillCopy: '/copy' } as const;
    await expect(sandbox.launch(copied)).rejects.toMatchObject({ code });
  });
});
