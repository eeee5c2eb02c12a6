import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../proves.ts';
import {
  makeDirectory,
  readJson,
  repository,
  runHere,
  skillFile,
  spawnBash,
  spawnCli,
  type CliResult,
} from '../cli-runner.ts';
import { countProcesses, environment, makeKit, startCli, tiers } from './running-cli.ts';

const named = ['--dir', 'skills'];
const PARAMETERS = {
  text: { type: 'string', description: 'Text.' },
  count: { type: 'number', description: 'How often.', optional: true },
  loud: { type: 'boolean', description: 'Whether.', optional: true },
  list: { type: 'array', description: 'Some.', items: { type: 'string' }, optional: true },
  more: { type: 'object', description: 'More.', optional: true },
  mode: { type: 'string', description: 'How.', enum: ['fast', 'slow'], optional: true },
};
const ECHO = 'export default ({ __workDir, ...args }) => args;';

/** A skill with one tool, `probe`, whose handler is the given file. */
function makeTool(script: string, code: string, parameters: object = PARAMETERS): string {
  const tools = [{ name: 'probe', description: 'Probes.', script, parameters }];
  return makeKit({ 'tools.json': JSON.stringify(tools), [script]: code });
}

const echoTool = (): string => makeTool('echo.mjs', ECHO);

function call(cwd: string, args: readonly string[]): CliResult {
  return spawnCli(['call', 'probe', ...args], { cwd, env: environment(cwd) });
}

describe.each(tiers)('skillwright call in the tier %s', (_tier, options) => {
  it.each([
    ['p.mjs', 'export default (args) => ({ got: args.text, dir: args.__workDir });'],
    [
      'p.mts',
      'export default (args: { text: string; __workDir: string }) => ({ got: args.text, dir: args.__workDir });',
    ],
    ['p.py', 'def handler(args):\n    return {"got": args["text"], "dir": args["__workDir"]}\n'],
    ['p.sh', `sed -E 's/.*"text":"([^"]*)".*"__workDir":"([^"]*)".*/{"got":"\\1","dir":"\\2"}/'`],
  ])('calls a tool in %s, which works in this directory', (script, code) => {
    proves('S1.6.input-object', 'S1.6.workDir-value', 'S1.6.output-json');
    const cwd = makeTool(script, code);
    const { code: exit, stdout, stderr } = call(cwd, ['text=hi there', ...options]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ got: 'hi there', dir: cwd });
  });

  it("shows a tool's output on standard error, so that standard output has only the result", () => {
    const cwd = makeTool('p.mjs', 'export default () => { console.log("noise"); console.error("more"); return [1]; };');
    const { stdout, stderr } = call(cwd, ['text=x', ...options]);
    expect(JSON.parse(stdout)).toEqual([1]);
    expect(stderr.split('\n').toSorted()).toEqual(['', 'more', 'noise']);
  });

  it.skipIf(process.platform !== 'linux')('ends all processes on Ctrl-C', async () => {
    const mark = `5${String(Date.now()).slice(-7)}`;
    const code = [
      "import { spawn } from 'node:child_process';",
      `const wait = () => { spawn('sleep', ['${mark}'], { stdio: 'ignore' }); console.log('ready'); };`,
      'export default () => { wait(); return new Promise(() => { setInterval(() => {}, 1e3); }); };',
    ].join('\n');
    const cwd = makeTool('p.mjs', code);
    const cli = startCli(['call', 'probe', 'text=x', ...options], { cwd });
    await cli.until('stderr', 'ready\n');
    cli.signal('SIGINT');
    expect(await cli.ended).toBe(130);
    expect({ left: countProcesses(mark), stdout: cli.stdout() }).toEqual({ left: 0, stdout: '' });
  });
});

describe('arguments of skillwright call', () => {
  it("may be words, converted by the parameters' types", () => {
    const words = ['text=1', 'count=-2.5', 'loud=true', 'list=["a", "b"]', 'more={"a": {"b": null}}', 'mode=slow'];
    const { stdout } = call(echoTool(), [...words, ...named]);
    expect(JSON.parse(stdout)).toEqual({
      text: '1',
      count: -2.5,
      loud: true,
      list: ['a', 'b'],
      more: { a: { b: null } },
      mode: 'slow',
    });
  });

  it('reach the tool unchanged, even if they look like shell code or options', () => {
    for (const text of ['$(id)', '; touch pwned', 'a=b=c', '', '{"a":1}', '@file', 'two\nlines', '"', '\\'])
      expect(JSON.parse(call(echoTool(), [`text=${text}`, ...named]).stdout)).toEqual({ text });
  });

  it('may be one JSON object: inline, from standard input, or from a file', () => {
    proves('S1.6.input-object');
    const cwd = echoTool();
    const value = { text: 'ünï', list: ['x'] };
    const json = JSON.stringify(value);
    writeFileSync(join(cwd, 'args.json'), `\uFEFF${json}\n`);
    expect(JSON.parse(call(cwd, ['--json', json, ...named]).stdout)).toEqual(value);
    expect(JSON.parse(call(cwd, [json, ...named]).stdout)).toEqual(value);
    expect(JSON.parse(call(cwd, ['--json', '@args.json', ...named]).stdout)).toEqual(value);
    expect(JSON.parse(call(cwd, [`--json=${json}`, ...named]).stdout)).toEqual(value);
    expect(JSON.parse(call(cwd, ['--json=@args.json', ...named]).stdout)).toEqual(value);
    const first = spawnCli(['call', '--json', json, 'probe', ...named], { cwd, env: environment(cwd) });
    expect(JSON.parse(first.stdout)).toEqual(value);
    const piped = spawnBash(`cat args.json | $CLI call probe --json - --dir skills`, { cwd, env: environment(cwd) });
    expect(JSON.parse(piped.stdout)).toEqual(value);
  });

  it.each([
    [['{"text": tru}'], 2, "error: The arguments are not JSON: 'tru' is not a JSON value (line 1, column 10)."],
    [['{'], 2, '(line 1, column 2).'],
    [['{"text": "a"}', 'count=1'], 2, 'either as one JSON object or as name=value, not both'],
    [['loose'], 2, "'loose' is neither name=value nor a JSON object."],
    [['=x'], 2, "'=x' is neither name=value nor a JSON object."],
    [['text=a', 'text=b'], 2, "'text' is given twice."],
    [['text=a', 'list=a,b'], 2, "The value of 'list' is not JSON"],
    [['text=a', 'more=x'], 2, `Write an object as more='{"a": 1}'.`],
    [['@missing.json'], 1, 'error: The arguments cannot be read from missing.json: ENOENT'],
    [['-'], 2, 'There is no standard input to read the arguments from.'],
    [['["text"]'], 1, "error: InvalidArguments: Tool 'probe' takes an object of arguments."],
    [[], 1, "'text' is missing."],
    [['text=a', 'count=many'], 1, "'count' must be number."],
    [['text=a', 'loud=yes'], 1, "'loud' must be boolean."],
    [['text=a', 'mode=warp'], 1, `'mode' must be one of ["fast","slow"].`],
    [['text=a', 'txt=b'], 1, "'txt' is not one of its parameters."],
    [['text=a', '__workDir=/'], 1, "'__workDir' is not one of its parameters."],
    [['text=a', '__proto__=b'], 1, "'__proto__' is not one of its parameters."],
  ])('get an error that helps to correct them: %j', async (words, code, message) => {
    proves('S1.5.param.enum');
    const result = await runHere(['call', 'probe', ...words, ...named], { cwd: echoTool() });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
    if (code === 1 && !words.includes('@missing.json'))
      expect(result.stderr).toContain('Write it like this: npx skillwright call probe text=…\n');
  });

  it('get a JSON error with --json', async () => {
    const { code, stdout, stderr } = await runHere(['call', 'probe', '--json', '{"text": 1}', ...named], {
      cwd: echoTool(),
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'InvalidArguments', message: expect.stringContaining("'text' must be string.") as string },
    });
  });
});

describe('the result of skillwright call', () => {
  const answer = async (expression: string, overrides: Parameters<typeof runHere>[1] = {}, ...more: string[]) => {
    const cwd = makeTool('p.mjs', `export default () => (${expression});`, {});
    return runHere(['call', 'probe', ...more, ...named], { cwd, ...overrides });
  };

  it('is printed as JSON, and as plain text only for a terminal', async () => {
    expect((await answer('"two\\nlines"')).stdout).toBe('"two\\nlines"\n');
    expect((await answer('"two\\nlines"', { isTty: true })).stdout).toBe('two\nlines\n');
    expect((await answer('"x"', { isTty: true }, '--json')).stdout).toBe('"x"\n');
    expect((await answer('undefined', { isTty: true })).stdout).toBe('null\n');
    expect((await answer('{ a: [1] }', { isTty: true })).stdout).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  });

  it('never controls the terminal', async () => {
    const { stdout } = await answer(String.raw`"\u001b]0;title\u0007red \u001b[31mtext"`, { isTty: true });
    expect(stdout).toBe('red text\n');
    const json = await answer(String.raw`["\u009b2J"]`, { isTty: true });
    expect(json.stdout).not.toContain('\u009B');
    expect(JSON.parse(json.stdout)).toEqual(['\u009B2J']);
  });

  it('is an error when the tool fails', async () => {
    proves('S1.6.errors');
    const failing = '(() => { throw new Error("no luck"); })()';
    const failed = await answer(failing);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /^Error: no luck\n {4}at .*p\.mjs:1:\d+\)?\n[^]*^error: ExecutionFailed: no luck\n {2}Tool 'probe' of skill 'kit' failed in p\.mjs\.\n$/m,
    );
    const { code, stdout } = await answer(failing, {}, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'ExecutionFailed',
        message: 'no luck',
        data: { tool: 'probe', skill: 'kit', tier: 'process', hints: [] },
      },
    });
  });

  it('says in which file and line of Python the tool failed', async () => {
    const cwd = makeTool('p.py', 'def handler(args):\n    raise ValueError("why")\n', {});
    const { stderr } = await runHere(['call', 'probe', ...named], { cwd });
    expect(stderr).toContain(`File "${cwd}/skills/kit/p.py", line 2, in handler`);
    expect(stderr).toMatch(/error: ExecutionFailed: why\n {2}Tool 'probe' of skill 'kit' failed in p\.py\.\n$/);
  });

  it('says how to find an error whose location Node does not report', async () => {
    const { stderr } = await runHere(['call', 'probe', ...named], {
      cwd: makeTool('p.mjs', 'export default () => {', {}),
    });
    expect(stderr).toMatch(/failed in p\.mjs\.\n {2}node --check skills\/kit\/p\.mjs shows the line\.\n$/);
  });

  it("keeps paths in a tool's own message unchanged", async () => {
    const cwd = makeTool(
      'p.mjs',
      'export default ({ __workDir }) => { throw new Error(`no ${__workDir}/f.txt`); };',
      {},
    );
    const { stderr } = await runHere(['call', 'probe', ...named], { cwd });
    expect(stderr).toContain(`error: ExecutionFailed: no ${cwd}/f.txt\n`);
  });

  it('is a timeout error for a tool that takes too long', async () => {
    const { code, stderr } = await answer('new Promise(() => setInterval(() => {}, 1e3))', {}, '--timeout', '0.3');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('within 300 ms') as string });
  });
});

describe('skillwright call', () => {
  it('lists the tools with their arguments', async () => {
    const { code, stdout } = await runHere(['call', '--dir', 'skills']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^word-count\n {2}count_words {2}scripts\/count_words\.js\n[^]*? {6}text +string +required/m,
    );
    expect(stdout).toMatch(/To call one: npx skillwright call <tool> name=value …\n$/);
    const { tools } = await readJson<{ tools: object[] }>(['call', '--dir', 'skills']);
    expect(tools).toContainEqual(
      expect.objectContaining({
        name: 'weekday_of',
        skill: 'calendar-calculator',
        inputSchema: expect.any(Object) as object,
      }),
    );
  });

  it('lists nothing if there are no tools', async () => {
    expect((await runHere(['call'], { cwd: makeDirectory({}) })).stdout).toBe(
      'No skill here has tools. A skill declares tools in a tools.json next to its SKILL.md.\n',
    );
  });

  it("never lets a tool's description control the terminal", async () => {
    const evil = '\u001B[31mred\u001B[0m\u001B]0;title\u0007\u009B2J\u202Eesrever';
    const cwd = makeTool('p.mjs', ECHO, { text: { type: 'string', description: evil, default: evil } });
    const terminal = { cwd, isTty: true, isErrorTty: true, env: { NO_COLOR: '1' } };
    for (const words of [[], ['probe'], ['probe', `te${evil}xt=${evil}`], [`pro${evil}be`], ['--json']]) {
      const { stdout, stderr } = await runHere(['call', ...words, ...named], terminal);
      expect(stdout + stderr).not.toMatch(/[[\p{Cc}\p{Bidi_Control}]--[\n]]/v);
      expect((stdout + stderr).length).toBeGreaterThan(20);
    }
  });

  it('suggests the nearest tool', async () => {
    const { code, stdout, stderr } = await runHere(['call', 'count_wrods', 'text=x', '--dir', 'skills']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: Tool 'count_wrods' not found\. Did you mean 'count_words'\?/);
    expect(await runHere(['call', '{"text": "x"}'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'npx skillwright call' needs <tool>.") as string,
    });
  });

  it('distinguishes a skill from a tool, and suggests only existing names', async () => {
    expect((await runHere(['call', 'word-count', '--dir', 'skills'])).stderr).toMatch(
      /^error: 'word-count' is a skill, not a tool\.\n {2}Its tools: count_words.*\.\n$/,
    );
    expect((await runHere(['call', 'code-review', '--dir', 'skills'])).stderr).toContain(
      'npx skillwright run code-review',
    );
    const { stderr } = await runHere(['call', 'qqq', '--dir', 'skills']);
    expect(stderr).toMatch(/\n {2}npx skillwright call lists every tool with its arguments\.\n$/);
  });

  it('refuses to pass variables to code that runs inside its own process', async () => {
    const cwd = makeTool('p.mjs', 'export default () => 1;', {});
    const args = ['call', 'probe', ...named, '--sandbox', 'inprocess', '--env', 'MODE=1'];
    expect(await runHere(args, { cwd })).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('environment variables') as string,
    });
  });

  it('reaches a shadowed tool by the name of its skill', async () => {
    const tool = (answer: string): Record<string, string> => ({
      'SKILL.md': skillFile({ name: answer, description: 'x' }),
      'tools.json': JSON.stringify([{ name: 'same', description: 'x', script: 'p.mjs' }]),
      'p.mjs': `export default () => '${answer}';`,
    });
    const files = ['alpha', 'beta'].flatMap((name) =>
      Object.entries(tool(name)).map(([path, content]) => [`skills/${name}/${path}`, content]),
    );
    const cwd = makeDirectory(Object.fromEntries(files) as Record<string, string>);
    expect((await runHere(['call', 'beta__same', ...named], { cwd })).stdout).toBe('"beta"\n');
  });

  it('calls JavaScript inside its own process on request, and no other language', async () => {
    const cwd = makeTool('p.mjs', 'export default () => process.pid;', {});
    const inside = await runHere(['call', 'probe', ...named, '--sandbox', 'inprocess'], { cwd });
    expect(inside).toEqual({ code: 0, stdout: `${process.pid}\n`, stderr: '' });
    const python = makeTool('p.py', 'def handler(args):\n    return 1\n', {});
    expect(await runHere(['call', 'probe', ...named, '--sandbox', 'inprocess'], { cwd: python })).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('only runs tools written in JavaScript') as string,
    });
  });

  it.each([
    ['count_words', ['text=one two'], { words: 2 }],
    ['word_frequency', ['text=a b a', 'limit=1'], { total_words: 3 }],
    ['date_difference', ['start=2026-01-01', 'end=2026-01-31'], { days: 30 }],
    ['repeat_date', ['date=2026-01-31', 'months=1', 'count=3'], { dates: [{}, { date: '2026-02-28' }, {}] }],
    ['csv_stats', ['csv=a,b\n1,2\n'], { rows: 1 }],
  ])('calls the sample tool %s', (tool, words, answer) => {
    const cli = spawnCli(['call', tool, ...words, '--dir', 'skills'], {
      env: { PATH: environment(repository).PATH ?? '' },
    });
    expect({ code: cli.code, stderr: cli.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(cli.stdout)).toMatchObject(answer);
  });
});
