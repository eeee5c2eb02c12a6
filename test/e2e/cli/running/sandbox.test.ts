import { describe, expect, it } from 'vitest';
import { createProcessSandbox } from '../../../../packages/skillwright/src/process/plain/sandbox.ts';
import { SANDBOX_TIERS } from '../../../../packages/skillwright/src/spec/sandbox.ts';
import { makeDirectory, readJson, runHere, spawnCli } from '../cli-runner.ts';
import { hasBubblewrap } from './running-cli.ts';

interface Tier {
  readonly tier: string;
  readonly available: boolean;
}

const { capabilities } = (await createProcessSandbox().probe()) as { capabilities: { killsTree: boolean } };
const hasPidNamespaces = capabilities.killsTree;

describe('skillwright sandbox', () => {
  it('shows for every tier whether it is available, what it promises, and how to install it', () => {
    const { code, stdout, stderr } = spawnCli(['sandbox']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^process {2}available {2}ordinary processes of this user, .*\n {2}Promises: runs programs/m,
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      hasPidNamespaces
        ? /user, each run in a PID namespace of its own Promises: .* stops every process that was started\. Does not: block/
        : /user, without PID namespaces: .* Does not: stop processes that hide from it, block the network/,
    );
    expect(stdout).toMatch(/^container {2}not available\n {2}\S/m);
    expect(stdout).toMatch(/\nSkills you trust run in process,/);
    expect(stdout).not.toContain('gateway');
  });

  it('shows the same as JSON', async () => {
    const { tiers } = await readJson<{ tiers: Tier[] }>(['sandbox']);
    expect(tiers.map(({ tier }) => tier)).toEqual(SANDBOX_TIERS);
    expect(tiers.find(({ tier }) => tier === 'process')).toMatchObject({
      available: true,
      capabilities: { runsPrograms: true, hidesFiles: false },
    });
    for (const report of tiers.filter(({ available }) => !available))
      expect(report).toMatchObject({ reason: expect.any(String) as string, remedy: expect.any(String) as string });
  });

  it.skipIf(!hasBubblewrap)('says where untrusted skills run', async () => {
    const { stdout } = await runHere(['sandbox']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Other skills run in bubblewrap, from a copy');
  });

  it('says that untrusted skills cannot run without bubblewrap', async () => {
    const { code, stdout } = await runHere(['sandbox'], { env: { PATH: makeDirectory({}) } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bubblewrap {2}not available\n/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Other skills cannot run here, because no available tier is strong enough.',
    );
  });

  it('takes no positional arguments', async () => {
    expect(await runHere(['sandbox', 'process'])).toMatchObject({ code: 2 });
  });
});
