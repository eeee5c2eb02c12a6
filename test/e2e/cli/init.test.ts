import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitShellWords } from '../../../packages/skillwright/src/parse/shell-words.ts';
import { readMarkdown } from '../../package/documents/markdown.ts';
import { makeDirectory, readJson, repository, runHere, spawnCli, type CliResult } from './cli-runner.ts';

const hasNpm = process.platform !== 'win32';

/** The output of `npm init -y`: a project whose .js files are CommonJS. */
function makeProject(): string {
  const cwd = makeDirectory({});
  if (hasNpm) execFileSync('npm', ['init', '-y'], { cwd, stdio: 'ignore' });
  else writeFileSync(join(cwd, 'package.json'), '{ "type": "commonjs" }');
  return cwd;
}

/** Runs a line such as `npx skillwright validate skills`. */
async function runLine(line: string, cwd: string): Promise<CliResult> {
  const [npx, program, ...args] = splitShellWords(line);
  expect([npx, program]).toEqual(['npx', 'skillwright']);
  return runHere(args, { cwd });
}

interface Made {
  readonly name: string;
  readonly path: string;
  readonly tool: string | null;
  readonly files: readonly string[];
  readonly next: readonly string[];
}

describe('skillwright init', () => {
  it.each([
    ['js', 'scripts/roll.js'],
    ['python', 'scripts/roll.py'],
    ['bash', 'scripts/roll.sh'],
  ])(
    'makes a skill with a tool in %s that validates, runs and is found, in a CommonJS project',
    async (language, script) => {
      const cwd = makeProject();
      const { code, stdout } = spawnCli(['init', 'my-dice', '--tool', language, '--evals', '--json'], { cwd });
      expect(code).toBe(0);
      const made = JSON.parse(stdout) as Made;
      expect(made).toMatchObject({
        name: 'my-dice',
        path: join(cwd, 'skills/my-dice'),
        tool: 'my_dice',
        files: ['SKILL.md', 'tools.json', script, 'evals/triggers.json'],
      });
      const checked = await readJson(['validate', 'skills'], { cwd });
      expect(JSON.stringify(checked)).not.toContain('"severity"');
      const call = (...words: string[]): Promise<CliResult> =>
        runHere(['call', 'my_dice', ...words, '--dir', 'skills'], { cwd });
      const { rolls, total } = JSON.parse((await call('count=3', 'sides=4')).stdout) as {
        rolls: number[];
        total: number;
      };
      expect(rolls).toHaveLength(3);
      expect(rolls.every((roll) => Number.isInteger(roll) && roll >= 1 && roll <= 4)).toBe(true);
      expect(total).toBe(rolls.reduce((sum, roll) => sum + roll, 0));
      expect(await call('count=many')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('InvalidArguments') as string,
      });
      for (const words of [['count=0'], ['count=1', 'sides=99999999999']])
        expect((await call(...words)).stderr).toMatch(/must be from \d+ to \d+\./);
      expect(made.next).toHaveLength(3);
      for (const line of made.next)
        expect({ line, ...(await runLine(line, cwd)) }).toMatchObject({ line, code: 0, stderr: '' });
      expect(made.next[2]).toBe('npx skillwright eval skills/my-dice');
    },
  );

  it('creates a skill with instructions only, and prints commands that work with spaces in a path', async () => {
    const cwd = makeDirectory({});
    const made = await readJson<Made>(['init', '--dir', 'my skills'], { cwd });
    expect(made).toMatchObject({ name: 'release-notes', tool: null, files: ['SKILL.md'] });
    expect(readdirSync(join(cwd, 'my skills/release-notes'))).toEqual(['SKILL.md']);
    for (const line of made.next) expect(await runLine(line, cwd)).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await runHere(['init', 'notes', '--evals', '--cwd', cwd]);
    expect(stdout).toMatch(
      /^✓ Created the skill notes:\n {2}.*skills\/notes\/SKILL\.md\n {2}.*triggers\.json\n\nTry it:\n/,
    );
    expect((await runHere(['eval', 'skills/notes'], { cwd })).code).toBe(0);
  });

  it.each(['404', 'true', 'größe', 'a'.repeat(64)])('accepts every legal name: %s', async (name) => {
    const cwd = makeDirectory({});
    const { tool } = await readJson<Made>(['init', name, '--tool', 'js'], { cwd });
    expect(tool).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(await runHere(['validate', 'skills'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no problems') as string,
    });
    const { code, stdout } = await runHere(['call', tool ?? '', 'count=1', '--dir', 'skills'], { cwd });
    expect({ code, isAnswer: stdout.includes('"total"') }).toEqual({ code: 0, isAnswer: true });
  });

  it.each([
    ['My Skill', 'has capital letters'],
    ['a--b', 'two hyphens'],
    ['../up', '"."'],
    ['skills/x', '"/"'],
    ['', 'is empty'],
    ['con', 'device name on Windows'],
  ])('refuses the name %j', async (name, why) => {
    const cwd = makeDirectory({});
    const { code, stderr } = await runHere(['init', name], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(why);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('overwrites nothing', async () => {
    const cwd = makeDirectory({ 'skills/mine/notes.txt': 'mine', 'elsewhere/SKILL.md': 'theirs', 'skills/file': '' });
    mkdirSync(join(cwd, 'skills/empty'));
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'skills/link'));
    for (const name of ['mine', 'link', 'file']) {
      const { code, stdout } = await runHere(['init', name, '--tool', 'js', '--json'], { cwd });
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'AlreadyExists' } });
    }
    expect(readdirSync(join(cwd, 'skills/mine'))).toEqual(['notes.txt']);
    expect(readFileSync(join(cwd, 'elsewhere/SKILL.md'), 'utf8')).toBe('theirs');
    expect((await runHere(['init', 'empty'], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, 'skills/empty/SKILL.md'))).toBe(true);
  });

  it('reports a directory that it cannot write', async () => {
    const cwd = makeDirectory({ skills: 'a file' });
    const { code, stderr } = await runHere(['init', 'mine'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: skills\/mine cannot be written: .*\n {2}Check the permissions/);
  });

  it.each([
    [['--tool', 'ruby'], "Invalid value 'ruby' for option --tool"],
    [['--dir', 'a', '--dir', 'b'], 'Give --dir only once'],
    [['a', 'b'], "Unexpected argument 'b'."],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await runHere(['init', ...args], { cwd: makeDirectory({}) });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });
});

describe('docs/first-skill.md', () => {
  const { blocks } = readMarkdown('docs/first-skill.md', readFileSync(join(repository, 'docs/first-skill.md'), 'utf8'));
  const codeIn = (language: string, word: string): string =>
    blocks.find(({ language: own, code }) => own === language && code.includes(word))?.code ?? '';

  it('has commands that work in order in a new CommonJS project, and handlers that work', async () => {
    const cwd = makeProject();
    const lines = blocks.filter(({ language }) => language === 'bash').flatMap(({ code }) => code.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect({ line, ...(await runLine(line, cwd)) }).toMatchObject({ line, code: 0 });
    writeFileSync(join(cwd, 'skills/roll-dice/scripts/roll.js'), codeIn('js', 'rolls'));
    writeFileSync(join(cwd, 'skills/py-dice/scripts/roll.py'), codeIn('python', 'rolls'));
    for (const tool of ['roll_dice', 'py_dice']) {
      const { code, stdout } = await runHere(['call', tool, 'count=2', '--dir', 'skills'], { cwd });
      expect({ code, answer: JSON.parse(stdout) as unknown }).toMatchObject({
        code: 0,
        answer: { rolls: [expect.any(Number), expect.any(Number)], total: expect.any(Number) as number },
      });
    }
  });

  it('has a tool of its own that works', async () => {
    const cwd = makeDirectory({
      'skills/unit-price/SKILL.md': '---\nname: unit-price\ndescription: Compares prices.\n---\nCall the tool.\n',
      'skills/unit-price/tools.json': codeIn('json', 'unit_price'),
      'skills/unit-price/scripts/price.py': codeIn('python', 'per_kilogram'),
    });
    const { code, stdout } = await runHere(['call', 'unit_price', 'price=2', 'grams=500', '--dir', 'skills'], { cwd });
    expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({ code: 0, answer: { per_kilogram: 4 } });
  });
});
