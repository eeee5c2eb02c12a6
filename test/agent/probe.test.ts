import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proves } from '../proves.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(repository, 'examples/probe-error-feedback');
const hooks = pathToFileURL(join(repository, 'test/package/resolve-source.ts')).href;

/** Runs the example as a user would, with the sources in place of the built packages. */
function runProbe(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const program = ['--import', hooks, join(folder, 'probe.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8', timeout: 30_000 });
  return { status, stdout, stderr };
}

describe('the error-feedback probe', () => {
  it('shows a call that is corrected in the same turn with the skill, and never without it', () => {
    proves('S3.probe');
    const { status, stdout, stderr } = runProbe();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const columns = stdout.split('\n').map((line) => line.split(' | ').map((part) => part.trim()));
    const [left, right] = [0, 1].map((index) => columns.map((column) => column[index] ?? ''));
    expect(left).toEqual(expect.arrayContaining(['tool_call {"path":"."} worked', 'run_end: end']));
    expect(left).toContain('tool_error, guided by tool-call-error-recovery');
    expect(right).toEqual(expect.arrayContaining(['tool_error, guided by nothing', 'run_end: repeated-failures']));
    expect(right?.join('\n')).not.toContain('worked');
  });

  it('prints the output that its page shows', () => {
    const page = readFileSync(join(folder, 'README.md'), 'utf8');
    const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
    expect(runProbe().stdout).toBe(shown);
  });

  it('fails if the skill has no section for the tool', () => {
    const head = '---\nname: tool-call-error-recovery\ndescription: x\ntriggers: [tool_call_error]\n---\n';
    const tree = createSkillTree({ 'tool-call-error-recovery/SKILL.md': `${head}\nTry harder.\n` });
    const { status, stdout } = runProbe(tree.root);
    expect(status).toBe(1);
    expect(stdout).toContain('Not as it should be');
  });
});
