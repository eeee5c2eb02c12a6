import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions, type SkillwrightEvent } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';

const SKILL = '---\nname: tester\ndescription: Runs things.\nversion: 1.2.3\n---\nText.\n';

function open(
  files: TreeFiles,
  options: SkillManagerOptions = {},
): { manager: SkillManager; root: string; events: SkillwrightEvent[] } {
  const tree = createSkillTree({ 'skills/tester/SKILL.md': SKILL, ...files });
  const events: SkillwrightEvent[] = [];
  const manager = new SkillManager({
    cwd: tree.root,
    projectSkillDir: 'skills',
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { manager, root: realpathSync(tree.root), events };
}

describe('a script', () => {
  it("runs in the skill's directory, with its details in environment variables", async () => {
    proves('S2.FR-6.2.cwd', 'S2.FR-6.2.env', 'S2.FR-6.2.capture', 'S0.result.shape', 'S0.layout.script-in-subfolder');
    const code = `const { SKILL_NAME, SKILL_DIR, SKILL_VERSION, SKILL_EXECUTION_ID } = process.env;
      console.log(JSON.stringify({ cwd: process.cwd(), SKILL_NAME, SKILL_DIR, SKILL_VERSION, SKILL_EXECUTION_ID })); console.error('note')`;
    const { manager, root } = open({ 'skills/tester/scripts/show.mjs': code });
    const result = await manager.runScript('tester', 'scripts/show.mjs');
    expect(result).toMatchObject({ success: true, exitCode: 0, stderr: 'note\n' });
    expect(result.error).toBeUndefined();
    expect(JSON.parse(result.stdout)).toEqual({
      cwd: `${root}/skills/tester`,
      SKILL_NAME: 'tester',
      SKILL_DIR: `${root}/skills/tester`,
      SKILL_VERSION: '1.2.3',
      SKILL_EXECUTION_ID: result.executionId,
    });
  });

  it.each<[string, string]>([
    ['root.mjs', `console.log('ran', process.argv[2])`],
    ['scripts/common.cjs', `console.log('ran', process.argv[2])`],
    ['scripts/typed.ts', `const word: string = process.argv[2] ?? ''; console.log('ran', word)`],
    ['scripts/shell.sh', 'echo "ran $1"'],
    ['scripts/python.py', 'import sys\nprint("ran", sys.argv[1])'],
    ['scripts/shebang', '#!/usr/bin/env -S node --no-warnings\nconsole.log("ran", process.argv[2])'],
    ['scripts/windows-lines.sh', '#!/bin/bash\r\necho "ran $1"'],
  ])('is run by its shebang or extension: %s', async (script, code) => {
    proves('S0.layout.script-at-root', 'S0.flow.spawn-node');
    const { manager } = open({ [`skills/tester/${script}`]: code });
    expect(await manager.runScript('tester', script, ['well'])).toMatchObject({ success: true, stdout: 'ran well\n' });
  });

  it('gets its arguments separately and unchanged, and its input', async () => {
    proves('S0.use_skill.args-array', 'S0.sec.no-shell');
    const code = `let text = ''; for await (const chunk of process.stdin) text += chunk; console.log(JSON.stringify([process.argv.slice(2), text]))`;
    const { manager } = open({ 'skills/tester/args.mjs': code });
    const args = ['a b', '"quoted"', '$(id)', '; rm -rf /', '--flag=x', 'ünï', ''];
    const { stdout } = await manager.runScript('tester', 'args.mjs', args, { stdin: 'typed' });
    expect(JSON.parse(stdout)).toEqual([args, 'typed']);
  });

  it('is a truncated success if it prints too much', async () => {
    proves('S0.result.stdout-cap', 'S0.result.stderr-cap');
    const code = `process.stdout.write('x'.repeat(30000)); process.stderr.write('y'.repeat(30000))`;
    const { manager } = open({ 'skills/tester/big.mjs': code });
    const result = await manager.runScript('tester', 'big.mjs');
    expect(result).toMatchObject({ success: true, exitCode: 0, truncated: { stdout: true, stderr: true } });
    for (const text of [result.stdout, result.stderr]) {
      expect(text.length).toBe(20_480 + '\n[output truncated]'.length);
      expect(text.endsWith('[output truncated]')).toBe(true);
    }
    const small = open({ 'skills/tester/big.mjs': code }, { maxOutput: 10 });
    expect((await small.manager.runScript('tester', 'big.mjs')).stdout).toBe(`${'x'.repeat(10)}\n[output truncated]`);
  });

  it('returns a result with a code if it fails, hangs or is cancelled', async () => {
    proves('S0.errors.ExecutionFailed', 'S0.errors.ExecutionTimeout', 'S0.result.error', 'S0.result.exitCode');
    proves('S0.sec.timeout-kill');
    const { manager } = open({
      'skills/tester/fail.sh': 'echo partial; echo why >&2; exit 3',
      'skills/tester/die.sh': 'kill -SEGV $$',
      'skills/tester/hang.sh': 'echo begun; sleep 300',
    });
    expect(await manager.runScript('tester', 'fail.sh')).toMatchObject({
      success: false,
      exitCode: 3,
      stdout: 'partial\n',
      stderr: 'why\n',
      code: 'ExecutionFailed',
      error: "ExecutionFailed: 'fail.sh' of skill 'tester' exited with code 3.",
    });
    expect(await manager.runScript('tester', 'die.sh')).toMatchObject({
      success: false,
      exitCode: -1,
      code: 'ExecutionFailed',
    });
    expect(await manager.runScript('tester', 'hang.sh', [], { timeout: 300 })).toMatchObject({
      success: false,
      exitCode: -1,
      stdout: 'begun\n',
      code: 'ExecutionTimeout',
    });
    const cancelled = manager.runScript('tester', 'hang.sh', [], { signal: AbortSignal.timeout(200) });
    expect(await cancelled).toMatchObject({ success: false, code: 'Cancelled' });
  });

  it.each<[string, string, string]>([
    ['../../secret.sh', 'ScriptNotAllowed', 'place outside the skill'],
    ['/bin/ls', 'ScriptNotAllowed', 'absolute'],
    ['a\0b', 'ScriptNotAllowed', 'NUL'],
    ['link.sh', 'ScriptNotAllowed', 'place outside the skill'],
    ['nothing.sh', 'ScriptNotFound', "no file 'nothing.sh'"],
    ['scripts', 'ScriptNotFound', 'not a regular file'],
    ['data.bin', 'RequirementsMissing', "a '.bin' script"],
    ['odd.sh', 'RequirementsMissing', 'no-such-interpreter'],
  ])('%j is refused as %s', async (script, code, reason) => {
    proves('S0.errors.ScriptNotFound', 'S0.errors.ScriptNotAllowed', 'S0.sec.exists-inside');
    proves('S0.sec.no-traversal', 'S0.sec.no-absolute', 'S0.sec.no-outside-binaries');
    const tree = createSkillTree({
      'secret.sh': 'echo leaked',
      'skills/tester/SKILL.md': SKILL,
      'skills/tester/scripts/': '',
      'skills/tester/data.bin': 'x',
      'skills/tester/odd.sh': '#!/usr/bin/env no-such-interpreter\n',
    });
    tree.link('skills/tester/link.sh', '../../secret.sh');
    const result = await new SkillManager({ cwd: tree.root, projectSkillDir: 'skills' }).runScript('tester', script);
    expect(result).toMatchObject({ success: false, exitCode: -1, stdout: '', code });
    expect(result.error).toContain(reason);
  });

  it('accepts only strings as arguments', async () => {
    const { manager } = open({ 'skills/tester/ok.sh': 'echo ok' });
    for (const args of [[1], ['a\0'], 'text'] as unknown as string[][]) {
      expect(await manager.runScript('tester', 'ok.sh', args)).toMatchObject({
        success: false,
        code: 'InvalidArguments',
      });
    }
    await expect(manager.runScript('testr', 'ok.sh')).rejects.toThrow("Did you mean 'tester'?");
  });

  it('inherits the host environment, except variables that control interpreters, unless one is given', async () => {
    process.env['SKILLWRIGHT_TEST_SECRET'] = 'no';
    process.env['ORDINARY_TEST_VARIABLE'] = 'yes';
    process.env['BASH_ENV'] = '/nowhere';
    try {
      const files = { 'skills/tester/env.sh': 'env' };
      const inherited = await open(files).manager.runScript('tester', 'env.sh');
      expect(inherited.stdout).toContain('ORDINARY_TEST_VARIABLE=yes');
      expect(inherited.stdout).not.toMatch(/SKILLWRIGHT_TEST_SECRET|BASH_ENV|NODE_OPTIONS/);
      const given = await open(files, { env: { PATH: '/usr/bin:/bin', ONLY: 'this' } }).manager.runScript(
        'tester',
        'env.sh',
      );
      expect(given.stdout).toContain('ONLY=this');
      expect(given.stdout).not.toContain('ORDINARY_TEST_VARIABLE');
    } finally {
      for (const name of ['SKILLWRIGHT_TEST_SECRET', 'ORDINARY_TEST_VARIABLE', 'BASH_ENV']) delete process.env[name];
    }
  });

  it('is reported by events at its start, during its run, and at its end', async () => {
    proves('S1.11.log');
    const { manager, events } = open({ 'skills/tester/say.sh': 'echo hello; exit 2' });
    const { executionId } = await manager.runScript('tester', 'say.sh');
    const own = events.filter((event) => 'executionId' in event);
    expect(own).toMatchObject([
      { type: 'execution-start', executionId, kind: 'script', skill: 'tester', target: 'say.sh', tier: 'process' },
      { type: 'execution-output', executionId, stream: 'stdout', text: 'hello\n' },
      {
        type: 'execution-end',
        executionId,
        reason: 'exit',
        success: false,
        exitCode: 2,
        code: 'ExecutionFailed',
        stdoutBytes: 6,
      },
    ]);
  });

  it('can be run by an agent with only a shell, from the given base directory', async () => {
    proves('S2.FR-6.AC.bash-tool');
    const { manager } = open({
      'skills/tester/scripts/count.sh': 'wc -l < data/lines.txt',
      'skills/tester/data/lines.txt': 'a\nb\n',
    });
    const { processedContent } = await manager.invokeSkill('tester');
    const told = /^Base directory for this skill: (.+)$/m.exec(processedContent)?.[1] ?? '';
    const { stdout } = spawnSync('bash', ['scripts/count.sh'], { cwd: told, encoding: 'utf8' });
    expect(stdout.trim()).toBe('2');
  });

  it('from seed 000 lists channels, then sends to one', async () => {
    proves('S0.flow.spawn-node');
    const fixtures = fileURLToPath(new URL('../fixtures/seed-000/skills', import.meta.url));
    const manager = new SkillManager({ projectSkillDir: fixtures });
    const listed = await manager.runScript('discord', 'discord.mjs', ['channels', 'list']);
    expect(listed).toMatchObject({ success: true, exitCode: 0 });
    const channel = /\d{6,}/.exec(listed.stdout)?.[0] ?? '';
    expect(
      await manager.runScript('discord', 'discord.mjs', ['send', 'Hello World', `--channel=${channel}`]),
    ).toMatchObject({ success: true });
    expect(await manager.runScript('deploy', 'scripts/verify.mjs')).toMatchObject({
      exitCode: expect.any(Number) as number,
    });
  });
});
