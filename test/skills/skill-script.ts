import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const skillsDir: string = fileURLToPath(new URL('../../skills', import.meta.url));

export interface ScriptResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of a sample skill, as `use_skill` would. */
export function runScript(script: string, args: readonly string[], cwd: string): ScriptResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(skillsDir, script), ...args], {
    cwd,
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}
