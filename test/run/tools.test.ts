import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';

/** A skill with one tool, `probe`, whose handler is the given file. */
function withTool(
  script: string | undefined,
  code: string,
  parameters: object = {},
  more: TreeFiles = {},
): { manager: SkillManager; root: string } {
  const tool = { name: 'probe', description: 'Probes.', ...(script === undefined ? {} : { script }), parameters };
  const tree = createSkillTree({
    'skills/kit/SKILL.md': '---\nname: kit\ndescription: Has a tool.\n---\nLoad me first.\n',
    'skills/kit/tools.json': JSON.stringify([tool]),
    ...(script === undefined ? {} : { [`skills/kit/${script}`]: code }),
    ...more,
  });
  return { manager: new SkillManager({ cwd: tree.root, projectSkillDir: 'skills' }), root: realpathSync(tree.root) };
}

const ECHO = { text: { type: 'string', description: 'What to say.', optional: true } };

describe('a handler', () => {
  it.each<[string, string]>([
    [
      'scripts/probe.js',
      'export default async function handler(args) { return { got: args.text, dir: args.__workDir }; }',
    ],
    ['scripts/named.mjs', 'export const handler = ({ text, __workDir }) => ({ got: text, dir: __workDir });'],
    ['scripts/probe.cjs', 'module.exports = (args) => ({ got: args.text, dir: args.__workDir });'],
    [
      'scripts/probe.ts',
      'export default (args: { text: string; __workDir: string }) => ({ got: args.text, dir: args.__workDir });',
    ],
    ['scripts/probe.py', 'def handler(args):\n    return {"got": args["text"], "dir": args["__workDir"]}\n'],
    ['scripts/later.py', 'async def handler(args):\n    return {"got": args["text"], "dir": args["__workDir"]}\n'],
    [
      'scripts/main.py',
      'import json, sys\nif __name__ == "__main__":\n    a = json.loads(sys.argv[1]); b = json.load(sys.stdin)\n    assert a == b\n    print(json.dumps({"got": a["text"], "dir": a["__workDir"]}))\n',
    ],
    [
      'scripts/probe.sh',
      `#!/bin/bash\nread -r input\n[ "$input" = "$1" ] && echo "$input" | sed -E 's/.*"text":"([^"]*)".*"__workDir":"([^"]*)".*/{"got":"\\1","dir":"\\2"}/'`,
    ],
  ])('in %s gets one object and returns JSON', async (script, code) => {
    proves(
      'S1.6.input-object',
      'S1.6.workDir-value',
      'S1.6.output-json',
      'S1.6.js-default-export',
      'S1.6.py-handler',
      'S1.6.py-main',
      'S1.6.py-in-process-or-sub',
      'S1.6.other-languages',
      'S1.7.reg.resolve-script',
    );
    const { manager, root } = withTool(script, code, ECHO);
    const { value, isError } = await manager.callTool('probe', { text: 'hi there' });
    expect({ value, isError }).toEqual({ value: { got: 'hi there', dir: root }, isError: false });
  });

  it.each<[string, unknown]>([
    ['"text"', 'text'],
    ['42', 42],
    ['[1, "two", null]', [1, 'two', null]],
    ['true', true],
    ['null', null],
    ['undefined', null],
  ])('may return %s', async (expression, value) => {
    proves('S1.6.output-json');
    const { manager } = withTool('scripts/probe.js', `export default () => (${expression});`);
    expect(await manager.callTool('probe')).toMatchObject({ value, isError: false });
  });

  it('may print anything', async () => {
    const code =
      'console.log(\'{"not": "the answer"}\'); process.stdout.write("\\n{}"); export default () => "the answer";';
    const { value, execution } = await withTool('scripts/probe.js', code).manager.callTool('probe');
    expect(value).toBe('the answer');
    expect(execution.stdout).toContain('not');
  });

  it('may print text instead of JSON', async () => {
    proves('S1.6.other-languages');
    expect((await withTool('scripts/probe.sh', 'echo just words').manager.callTool('probe')).value).toBe('just words');
  });

  it.each<[string, string, string, RegExp, string]>([
    ['throws', 'p.js', 'export default () => { throw new Error("no luck"); };', /^no luck$/, 'ExecutionFailed'],
    [
      'throws a value that is not an error',
      'p.js',
      'export default () => { throw "a string"; };',
      /^a string$/,
      'ExecutionFailed',
    ],
    [
      'rejects',
      'p.mjs',
      'export default async () => Promise.reject(new Error("later"));',
      /^later$/,
      'ExecutionFailed',
    ],
    ['exits', 'p.js', 'export default () => process.exit(5);', /without a result \(exit code 5\)/, 'ExecutionFailed'],
    ['is not a function', 'p.js', 'export const other = 1;', /no default export/, 'ExecutionFailed'],
    ['does not parse', 'p.js', 'export default (', /./, 'ExecutionFailed'],
    [
      'answers a cycle',
      'p.js',
      'export default () => { const a = {}; a.a = a; return a; };',
      /not JSON/,
      'InvalidResult',
    ],
    ['returns a BigInt', 'p.js', 'export default () => 1n;', /not JSON/, 'InvalidResult'],
    ['returns a function', 'p.js', 'export default () => () => 1;', /not JSON/, 'InvalidResult'],
    ['answers 5 MB', 'p.js', 'export default () => "x".repeat(5e6);', /more than/, 'InvalidResult'],
    ['raises', 'p.py', 'def handler(args):\n    raise ValueError("no luck")\n', /^no luck$/, 'ExecutionFailed'],
    ['returns bytes', 'p.py', 'def handler(args):\n    return b"x"\n', /not JSON/, 'InvalidResult'],
    ['answers NaN', 'p.py', 'def handler(args):\n    return float("nan")\n', /not JSON/, 'InvalidResult'],
    [
      'leaves Python',
      'p.py',
      'import os\ndef handler(args):\n    os._exit(4)\n',
      /without a result/,
      'ExecutionFailed',
    ],
    ['fails in a shell', 'p.sh', 'echo first >&2; echo "the reason" >&2; exit 1', /^the reason$/, 'ExecutionFailed'],
  ])('that %s gives the model an error, and the record the details', async (_what, script, code, message, kind) => {
    proves('S1.6.errors');
    const { value, isError, execution } = await withTool(script, code).manager.callTool('probe');
    expect(isError).toBe(true);
    expect((value as { error: string }).error).toMatch(message);
    expect(execution).toMatchObject({ success: false, code: kind });
  });

  it.each<[string, string, string]>([
    ['waits', 'p.js', 'setInterval(() => {}, 1e3); export default () => new Promise(() => {});'],
    ['never settles', 'p.js', 'export default () => new Promise(() => {});'],
    ['never ends', 'p.js', 'export default () => { for (;;); };'],
    ['never returns', 'p.py', 'import time\ndef handler(args):\n    time.sleep(60)\n'],
  ])('that %s is ended at the timeout', async (_what, script, code) => {
    const { manager } = withTool(script, code);
    const { value, execution } = await manager.callTool('probe', {}, { timeout: 900 });
    expect(execution.code).toBe('ExecutionTimeout');
    expect((value as { error: string }).error).toContain('did not finish within 900 ms');
  });
});

describe('arguments', () => {
  const parameters = {
    text: { type: 'string', description: 'Text.' },
    mode: { type: 'string', description: 'How.', enum: ['fast', 'slow'] },
    count: { type: 'integer', description: 'How often.', optional: true },
    list: { type: 'array', description: 'Some.', items: { type: 'string' }, optional: true },
  };
  const handler = 'export default () => "ran";';

  it.each<[string, unknown, string]>([
    ['a missing argument', { mode: 'fast' }, "'text' is missing."],
    ['a value that is not allowed', { text: 'a', mode: 'warp' }, `'mode' must be one of ["fast","slow"].`],
    ['the wrong type', { text: 1, mode: 'fast' }, "'text' must be string."],
    ['an item of the wrong type', { text: 'a', mode: 'fast', list: ['a', 2] }, "'list[1]' must be string."],
    ['an unknown argument', { text: 'a', mode: 'fast', txt: 'b' }, "'txt' is not one of its parameters."],
    ['a list', [], 'takes an object of arguments'],
    ['nothing', null, 'takes an object of arguments'],
    [
      'the parameter that the runtime sets',
      { text: 'a', mode: 'fast', __workDir: '/' },
      "'__workDir' is not one of its parameters.",
    ],
  ])('with %s are rejected before anything runs, with an example of a correct call', async (_what, args, message) => {
    proves('S1.5.param.enum');
    const { value, isError, execution } = await withTool('p.js', handler, parameters).manager.callTool('probe', args);
    expect(isError).toBe(true);
    expect((value as { error: string }).error).toContain(message);
    expect((value as { error: string }).error).toContain('A correct call: probe({"text":"…","mode":"fast"}).');
    expect(execution).toMatchObject({ success: false, code: 'InvalidArguments', exitCode: -1 });
  });

  it('are passed on if they are valid', async () => {
    const { manager } = withTool('p.js', handler, parameters);
    expect((await manager.callTool('probe', { text: 'a', mode: 'slow', count: 2, list: ['x'] })).value).toBe('ran');
  });
});

describe('a tool', () => {
  it('without a script returns the instructions of its skill', async () => {
    proves('S1.7.reg.stub');
    expect(await withTool(undefined, '').manager.callTool('probe')).toMatchObject({
      value: 'Load me first.\n',
      isError: false,
    });
  });

  it('is an error if its script is missing or leads outside', async () => {
    const missing = createSkillTree({
      'skills/kit/SKILL.md': '---\nname: kit\ndescription: x\n---\n',
      'skills/kit/tools.json': '[{"name":"probe","description":"x","script":"no.js"}]',
    });
    expect(await new SkillManager({ cwd: missing.root, projectSkillDir: 'skills' }).callTool('probe')).toMatchObject({
      isError: true,
      execution: { code: 'ScriptNotFound' },
    });
  });

  it('shadowed by another is called as skill__tool', async () => {
    const other = {
      'skills/other/SKILL.md': '---\nname: other\ndescription: x\n---\n',
      'skills/other/tools.json': '[{"name":"probe","description":"x","script":"p.js"}]',
      'skills/other/p.js': 'export default () => "other";',
    };
    const { manager } = withTool('p.js', 'export default () => "kit";', {}, other);
    expect((await manager.callTool('probe')).value).toBe('kit');
    expect((await manager.callTool('other__probe')).value).toBe('other');
    await expect(manager.callTool('prob')).rejects.toMatchObject({
      code: 'ToolNotFound',
      message: expect.stringContaining("Did you mean 'probe'?") as string,
    });
  });

  it('from seed 001 counts words', async () => {
    proves('S1.6.example.count-words');
    const fixtures = fileURLToPath(new URL('../fixtures/seed-001/skills', import.meta.url));
    const { value } = await new SkillManager({ projectSkillDir: fixtures }).callTool('count_words', {
      text: 'one two  three',
    });
    expect(value).toMatchObject({ count: 3 });
  });
});
