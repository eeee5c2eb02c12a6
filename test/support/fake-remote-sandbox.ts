import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessSandbox } from '../../packages/skillwright/src/process/plain/sandbox.ts';
import type { Sandbox, SandboxLaunch } from '../../packages/skillwright/src/spec/sandbox.ts';

/**
 * A sandbox on "another machine": a directory that stands for its disk. It shows what a remote tier has to do: copy the
 * skill's files over, start the program there under that machine's names, and pass the streams back.
 */
export function createFakeRemoteSandbox(): Sandbox & { readonly launches: SandboxLaunch[]; remove(): void } {
  const disk = mkdtempSync(join(tmpdir(), 'skillwright-remote-'));
  const there = createProcessSandbox();
  const launches: SandboxLaunch[] = [];
  return {
    tier: 'remote',
    launches,
    remove: () => rmSync(disk, { recursive: true, force: true }),
    async probe() {
      const probe = await there.probe();
      if (!probe.available) return probe;
      const promises = { hidesFiles: false, protectsSkill: true };
      return {
        available: true,
        capabilities: { ...probe.capabilities, ...promises },
        detail: 'a directory on this disk',
      };
    },
    async launch(launch) {
      launches.push(launch);
      const home = mkdtempSync(join(disk, 'run-'));
      const skillThere = join(home, 'skill');
      cpSync(launch.skillCopy ?? launch.skillDir, skillThere, { recursive: true });
      const { skillCopy: _copy, ...rest } = launch;
      const over = (text: string): string => text.replaceAll(launch.skillDir, skillThere);
      return there.launch({
        ...rest,
        program: over(launch.program),
        args: launch.args.map(over),
        cwd: launch.cwd.startsWith(launch.skillDir) ? over(launch.cwd) : home,
        env: Object.fromEntries(Object.entries(launch.env).map(([name, value]) => [name, over(value)])),
        skillDir: skillThere,
      });
    },
  };
}
