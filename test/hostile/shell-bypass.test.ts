import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SkillScope } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { FUZZ_RUNS } from '../property/fuzz-runs.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const SHELLS = ['bash', 'sh'].filter((shell) => spawnSync(shell, ['-c', 'exit 7']).status === 7);
const WRAPPERS = ['bash', 'sh', 'xargs', 'find', 'env', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf'];
if (SHELLS.length < 2) console.warn(`shell-bypass: only these shells are here: ${SHELLS.join(', ') || 'none'}`);

/** Parts of commands: two programs, and everything that could make one run the other. No part leads out of the directory. */
const PIECES = [
  ['ok', 'ok', 'ok ', 'bad', 'bad ', ' ', ' ', ' ', '\t', '\n', ';', '; ', '&&', '||', '|', '|&', '&', '&>', '>&'],
  ['(', ')', '{ ', ' }', '{', '}', ',', '$(', '$(', '`', '`', '"', '"', "'", "'", '\\', '\\\n', '<(', '>(', '#'],
  ['>', '>>', '<', '<<<', '<<', 'EOF', '\nEOF\n', '2>&1', '$X', '${X}', '$LANG', '$', "$'", '$"'],
  ['X=bad ', 'A=1 ', 'LANG=bad ', '=', '=(', '()', '{ok,bad}', 'b""ad', "'bad'", '*', '?', '[', ']', '~', '!', '! '],
  ['bash -c ', 'sh -c ', 'eval ', 'env ', 'xargs ', 'find . ', '-exec ', '{}', ' +', ' \\;', '-I{} ', '-I% ', '%'],
  ['timeout 1 ', 'nice ', 'nohup ', 'setsid ', 'stdbuf -o0 ', 'command ', 'builtin ', 'exec ', 'time ', 'trap '],
  ['alias ok=bad', 'if ', 'then ', 'fi', 'for ', 'in ', 'do ', 'done', 'case ', 'esac', 'function ', '((', '))'],
  ['[[ ', ' ]]', '-c ', '-n ', '-s', '-S ', '-o ', '--', ' -- ', '1', '2', 'x', '${', ':-', '@P}', 'a[', '\u00A0'],
].flat();

/** A directory in which `ok` does nothing, and `bad` leaves a mark wherever it runs. */
function createPlace(): (shell: string, command: string) => boolean {
  const tree = createSkillTree({ 'bin/ok': '#!/bin/sh\nexit 0\n' });
  const mark = tree.path('mark');
  tree.write({ 'bin/bad': `#!/bin/sh\n: > '${mark}'\n` });
  for (const program of ['ok', 'bad']) chmodSync(tree.path('bin', program), 0o755);
  for (const program of WRAPPERS) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
    if (stdout.startsWith('/')) symlinkSync(stdout.trim(), tree.path('bin', program));
  }
  return (shell, command) => {
    const cwd = tree.path('work');
    for (const path of [cwd, mark]) rmSync(path, { recursive: true, force: true });
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'file'), 'bad\n');
    const env = { PATH: tree.path('bin'), HOME: cwd, X: 'bad', LANG: 'C' };
    spawnSync(tree.path('bin', shell), ['-c', command], { cwd, env, input: 'bad\n', timeout: 5_000 });
    return existsSync(mark);
  };
}

function scopeOf(lists: { allowedTools?: string[]; disallowedTools?: string[] }): SkillScope {
  return createRuntime({ sources: [] }).restrictions.activate({ name: 'x', tools: [], ...lists });
}

describe.skipIf(SHELLS.length === 0 || process.platform === 'win32')('in a real shell', () => {
  const command = fc
    .tuple(fc.constantFrom('', 'ok '), fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }))
    .map(([start, pieces]) => start + pieces.join(''));

  it.each(SHELLS)('%s runs the forbidden program when asked directly', (shell) => {
    const isRun = createPlace();
    for (const text of ['bad', 'ok; bad', 'ok $(bad)', 'find . -exec bad \\;', '$X', "sh -c 'bad'", 'b""ad']) {
      expect(isRun(shell, text), text).toBe(true);
    }
    expect(isRun(shell, "ok 'bad'; ok bad # bad")).toBe(false);
  });

  it.each(SHELLS)('%s runs only commands that the rules allow', (shell) => {
    const isRun = createPlace();
    const rules = ['ok', 'env', 'find', 'xargs', 'A=*', 'X=*'].map((start) => `Bash(${start} *)`);
    const scope = scopeOf({ allowedTools: [...rules, 'Write'] });
    fc.assert(
      fc.property(command, (text) => !scope.allows('Bash', { command: text }) || !isRun(shell, text)),
      { numRuns: FUZZ_RUNS * 10 },
    );
  });

  it.each(SHELLS)('%s never runs a disallowed program', (shell) => {
    const isRun = createPlace();
    // A program that runs a file of commands runs another program without naming it.
    const scope = scopeOf({ disallowedTools: ['bad', '.', 'bash', 'sh'].map((start) => `Bash(${start} *)`) });
    fc.assert(
      fc.property(command, (text) => !scope.allows('Bash', { command: text }) || !isRun(shell, text)),
      { numRuns: FUZZ_RUNS * 5 },
    );
  });
});
