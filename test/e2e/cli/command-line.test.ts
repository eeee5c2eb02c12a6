import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../packages/skillwright/src/surfaces/cli/command-table.ts';
import { makeDirectory, repository, runHere, skillFile, spawnBash, spawnCli } from './cli-runner.ts';

const windows = process.platform === 'win32';
const packageVersion = (
  JSON.parse(readFileSync(join(repository, 'packages/skillwright/package.json'), 'utf8')) as { version: string }
).version;

describe('the program', () => {
  it('prints only the version with --version', async () => {
    expect(spawnCli(['--version'])).toEqual({ code: 0, stdout: `${packageVersion}\n`, stderr: '' });
    expect(JSON.parse((await runHere(['-v', '--json'])).stdout)).toEqual({ version: packageVersion });
  });

  it('prints help without arguments', () => {
    const { code, stdout, stderr } = spawnCli([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  it.skipIf(windows)('exits silently when the reader of a pipe goes away', () => {
    const cwd = makeDirectory({ 'skills/big/SKILL.md': skillFile({ name: 'big', description: 'x'.repeat(200_000) }) });
    const { stdout, stderr, code } = spawnBash('$CLI list --json | head -c 10; echo " ${PIPESTATUS[0]}"', { cwd });
    expect({ stdout, stderr, code }).toEqual({ stdout: '{\n  "skill 0\n', stderr: '', code: 0 });
  });

  it.skipIf(windows)('prints no error when the next command of a pipe reads only the first line', () => {
    const { stdout, stderr } = spawnBash('$CLI list | head -1');
    expect(stdout).toMatch(/^NAME .*\n$/);
    expect(stderr).toBe('');
  });

  it.skipIf(process.platform !== 'linux')('fails when its output cannot be written', () => {
    const { code, stderr } = spawnBash('$CLI list > /dev/full');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: The output cannot be written: ENOSPC.*\n/);
  });

  it('has no colors in a pipe unless they are forced', () => {
    expect(spawnCli(['list']).stdout).not.toContain('\u001B');
    expect(spawnCli(['list'], { env: { FORCE_COLOR: '1' } }).stdout).toContain('\u001B[');
  });

  it('returns the exit code of its command to the shell', () => {
    expect(spawnCli(['show', 'no-such-skill']).code).toBe(1);
    expect(spawnCli(['--bogus']).code).toBe(2);
  });
});

describe('help', () => {
  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'for %s comes from its definition',
    async (name, command) => {
      const { code, stdout } = await runHere([name, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage  npx skillwright ${name}`);
      for (const option of Object.keys(command.options)) expect(stdout).toContain(`--${option}`);
      for (const { command: example } of command.examples) expect(stdout).toContain(example);
      expect((await runHere(['help', name])).stdout).toBe(stdout);
    },
  );

  it.each(COMMANDS.flatMap(({ examples }) => examples.map(({ command }) => command)))(
    'has an example that parses: %s',
    async (example) => {
      const [, , name = ''] = example.split(' ');
      const words = example
        .replace(/ > .*$/, '')
        .replaceAll('"', '')
        .split(' ')
        .slice(2);
      const stop = words.indexOf('--');
      const { code, stderr } = await runHere([...words.slice(0, stop < 0 ? undefined : stop), '--help']);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
    },
  );

  it.each([40, 60, 80, 200])('fits a terminal of %i columns', async (columns) => {
    const { stdout } = await runHere(['--help'], { isTty: true, columns, env: { NO_COLOR: '1' } });
    const widest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(Math.min(columns, 100));
  });
});

describe('colors', () => {
  const tty = { isTty: true, columns: 80 };

  it.each([
    ['a terminal', tty, true],
    ['a terminal with NO_COLOR empty', { ...tty, env: { NO_COLOR: '' } }, true],
    ['a terminal with NO_COLOR', { ...tty, env: { NO_COLOR: '1' } }, false],
    ['a dumb terminal', { ...tty, env: { TERM: 'dumb' } }, false],
    ['a terminal with FORCE_COLOR=0', { ...tty, env: { FORCE_COLOR: '0' } }, false],
    ['a file', {}, false],
    ['a file with FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, true],
    ['a file with both', { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, true],
  ])('are right on %s', async (_where, context, expected) => {
    expect((await runHere(['list'], context)).stdout.includes('\u001B[')).toBe(expected);
  });

  it('never reach JSON', async () => {
    const { stdout } = await runHere(['tour', '--json'], tty);
    expect(stdout).not.toContain('u001b');
  });

  it('in errors depend on standard error', async () => {
    expect((await runHere(['show', 'x'], { isErrorTty: true })).stderr).toContain('\u001B[31merror:');
    expect((await runHere(['show', 'x'], { isTty: true })).stderr).not.toContain('\u001B');
  });
});

describe('an invalid command line', () => {
  it.each([
    [['lst'], "Unknown command 'lst'.", "Did you mean 'npx skillwright list'?"],
    [['frobnicate'], "Unknown command 'frobnicate'.", `Commands: ${COMMANDS.map(({ name }) => name).join(', ')}.`],
    [['list', '--jsno'], "'npx skillwright list' has no option --jsno.", 'Did you mean --json?'],
    [['--jsno'], "'npx skillwright' has no option --jsno.", 'Did you mean --json?'],
    [['list', '--body'], "'npx skillwright list' has no option --body.", 'Run npx skillwright list --help'],
    [['list', '-x'], "'npx skillwright list' has no option -x.", 'Run npx skillwright list --help'],
    [['invoke', 'code-review', '--staged'], "'npx skillwright invoke' has no option --staged.", 'go after --.'],
    [['list', '--dir'], 'Option --dir needs a value: --dir <path>.', ''],
    [['list', '--dir='], 'Option --dir needs a value: --dir <path>.', ''],
    [['list', '--dir', '--tools'], 'Option --dir needs a value: --dir <path>.', 'as --dir=--tools'],
    [['list', '--tools=yes'], 'Option --tools does not take a value.', ''],
    [['list', '--source', 'projet'], "Invalid value 'projet' for option --source.", 'Did you mean project?'],
    [['list', 'stray'], "Unexpected argument 'stray'.", 'Usage: npx skillwright list [options]'],
    [['show'], "'npx skillwright show' needs <skill>.", 'Usage: npx skillwright show <skill> [options]'],
    [['show', 'a', 'b'], "Unexpected argument 'b'.", 'Usage: npx skillwright show'],
    [['validate', '--max-warnings', 'few'], "needs a whole number, not 'few'", ''],
    [['validate', '--json', '--format', 'sarif'], '--json and --format sarif cannot be used together.', 'Remove one'],
  ])('exits with 2 for %j', async (args, message, hint) => {
    const isJson = args.includes('--json');
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(2);
    expect(isJson ? stdout : stderr).toContain(message);
    expect(isJson ? stdout : stderr).toContain(hint);
    expect(isJson ? stderr : stdout).toBe('');
  });

  it('is reported as JSON on standard output with --json', async () => {
    const { code, stdout, stderr } = await runHere(['lst', '--json']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'Usage', message: "Unknown command 'lst'.", data: { command: 'lst', suggestion: 'list' } },
    });
  });
});

describe('an internal error', () => {
  it('is reported like any other failure', async () => {
    const stdout = {
      write: () => {
        throw new Error('boom');
      },
    };
    const { code, stderr } = await runHere(['list'], { stdout });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^error: boom\n {2}This is a bug/) as string,
    });
    expect((await runHere(['list'], { stdout, env: { SKILLWRIGHT_DEBUG: '1' } })).stderr).toContain('at ');
  });
});

describe('global options', () => {
  it('may come before the command', async () => {
    const { stdout } = await runHere(['--dir', 'skills/word-count', '--json', 'list']);
    expect(JSON.parse(stdout)).toMatchObject({ skills: [{ name: 'word-count' }] });
  });

  it('include --cwd, which changes the working directory', async () => {
    const { stdout } = await runHere(['--cwd', 'test/fixtures', 'list', '--dir', '../../skills/text-diff']);
    expect(stdout).toContain('text-diff');
    expect(await runHere(['list', '--cwd', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: 'error: nowhere is not a directory.\n',
    });
  });

  it.each([
    [['validate', 'skils'], 'error: skils does not exist.\n  Did you mean skills?\n'],
    [
      ['list', '--dir', 'skills/wordcount'],
      'error: skills/wordcount does not exist.\n  Did you mean skills/word-count?\n',
    ],
    [['eval', 'packge.json'], 'error: packge.json does not exist.\n  Did you mean package.json?\n'],
  ])('suggest the nearest path for one that does not exist: %j', async (args, stderr) => {
    expect(await runHere(args)).toMatchObject({ code: 1, stderr });
  });

  it.each([['list'], ['show', 'x'], ['validate'], ['invoke', 'x'], ['doctor']])(
    'include --dir, which must exist: %s',
    async (...args) => {
      const { code, stderr } = await runHere([...args, '--dir', 'nowhere']);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: nowhere does not exist.\n' });
      const asJson = await runHere([...args, '--dir', 'nowhere', '--json']);
      expect(JSON.parse(asJson.stdout)).toMatchObject({
        error: { code: 'PathNotFound', data: { path: join(repository, 'nowhere') } },
      });
    },
  );

  it('include --strict, which refuses violations of the specification', async () => {
    const cwd = makeDirectory({ 'skills/other/SKILL.md': skillFile({ name: 'Some Name', description: 'x' }) });
    expect((await runHere(['list'], { cwd })).stdout).toContain('Some Name');
    expect((await runHere(['list', '--strict'], { cwd })).stdout).toMatch(
      /No skill here can be read[^]*0 skills · 1 refused · 2 errors, run npx skillwright doctor --strict\n/,
    );
  });
});
