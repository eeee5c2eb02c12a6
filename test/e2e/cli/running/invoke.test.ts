import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../proves.ts';
import { makeDirectory, readJson, repository, runHere, skillFile, spawnCli } from '../cli-runner.ts';

const echo = {
  'skills/echo/SKILL.md': skillFile(
    { name: 'echo', description: 'x', 'argument-hint': 'words' },
    'All: $ARGUMENTS\nFirst: $0\nSecond: $1',
  ),
};

describe('skillwright invoke', () => {
  it('prints exactly the text that a model gets', () => {
    proves('S2.FR-4.1.base-line', 'S2.FR-4.2.placeholder');
    const { code, stdout, stderr } = spawnCli(['invoke', 'code-review', 'main...feature']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Base directory for this skill: .*skills[\\/]code-review\n\n# Code review\n\nWhat to review: main\.\.\.feature\n/,
    );
    expect(stdout.endsWith('\n')).toBe(true);
  });

  it('ends with one line end, whether or not the skill does', async () => {
    const cwd = makeDirectory({
      'skills/a/SKILL.md': '---\nname: a\ndescription: x\n---\nno end',
      'skills/b/SKILL.md': '---\nname: b\ndescription: x\n---\nend\n',
    });
    expect((await runHere(['invoke', 'a'], { cwd })).stdout).toBe(
      `Base directory for this skill: ${cwd}/skills/a\n\nno end\n`,
    );
    expect((await runHere(['invoke', 'b'], { cwd })).stdout).toBe(
      `Base directory for this skill: ${cwd}/skills/b\n\nend\n`,
    );
  });

  it.each([
    [['one', 'two'], 'one two', 'one', 'two'],
    [['a file.pdf', 'two'], '"a file.pdf" two', 'a file.pdf', 'two'],
    [["it's", 'say "hi"'], '"it\'s" "say \\"hi\\""', "it's", 'say "hi"'],
    [['back\\slash', ''], '"back\\\\slash" ""', 'back\\slash', ''],
    [['$HOME `id`', '$1'], '"$HOME `id`" $1', '$HOME `id`', '$1'],
    [['--', '--flag', '-x'], '--flag -x', '--flag', '-x'],
  ])('joins %j so that the skill sees the same words', async (args, all, first, second) => {
    const { stdout } = await runHere(['invoke', 'echo', ...args], { cwd: makeDirectory(echo) });
    expect(stdout).toContain(`All: ${all}\nFirst: ${first}\nSecond: ${second}\n`);
  });

  it('appends arguments for which the skill has no placeholder', async () => {
    proves('S2.FR-4.2.no-placeholder');
    const { stdout } = await runHere(['invoke', 'word-count', 'notes.md']);
    expect(stdout).toMatch(/\n\nARGUMENTS: notes\.md\n$/);
  });

  it('prints text, restrictions and base directory as JSON', async () => {
    proves('S2.FR-4.4.return');
    const result = await readJson<Record<string, unknown>>(['invoke', 'code-review', 'src']);
    expect(Object.keys(result)).toEqual(['skill', 'content', 'processedContent', 'baseDir', 'allowedTools']);
    expect(result).toMatchObject({
      skill: 'code-review',
      content: expect.stringContaining('What to review: $ARGUMENTS\n') as string,
      processedContent: expect.stringContaining('What to review: src\n') as string,
      baseDir: join(repository, 'skills/code-review'),
      allowedTools: ['Read', 'Grep', 'Glob', 'Bash(git diff:*)'],
    });
  });

  it('gives pipes every byte, and terminals no control characters', async () => {
    const cwd = makeDirectory({
      'skills/a/SKILL.md': skillFile(
        { name: 'a', description: 'x' },
        'red \u001B[31mtext\u001B[0m\ttab\nnext \u202Eline',
      ),
    });
    expect((await runHere(['invoke', 'a'], { cwd })).stdout).toContain(
      'red \u001B[31mtext\u001B[0m\ttab\nnext \u202Eline\n',
    );
    expect((await runHere(['invoke', 'a'], { cwd, isTty: true })).stdout).toContain('red text\ttab\nnext line\n');
  });

  it('fails for a skill that does not exist', async () => {
    expect(await runHere(['invoke', 'nope'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: Skill 'nope' not found\./) as string,
    });
  });
});
