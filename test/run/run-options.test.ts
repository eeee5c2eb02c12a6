import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createHttpClient } from '../../packages/skillwright/src/host.ts';
import { createJsonlRecorder } from '../../packages/skillwright/src/record.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';

const SKILL = '---\nname: tester\ndescription: Runs things.\n---\nText.\n';

function open(files: TreeFiles, options: SkillManagerOptions = {}): { manager: SkillManager; root: string } {
  const tree = createSkillTree({ 'skills/tester/SKILL.md': SKILL, ...files });
  const root = realpathSync(tree.root);
  return { manager: new SkillManager({ cwd: root, projectSkillDir: 'skills', ...options }), root };
}

describe('the options of a run', () => {
  it.each<[object, string]>([
    [{ timeuot: 1 }, "Option 'timeuot' is not known. Did you mean 'timeout'? Options: "],
    [{ timeout: '1s' }, "Option 'timeout' must be a whole number of milliseconds"],
    [{ timeout: 0 }, "Option 'timeout' must be"],
    [{ cwd: 5 }, "Option 'cwd' must be a string"],
    [{ caller: 'me' }, "Option 'caller' must be 'model' or 'user'"],
    [{ signal: {} }, "Option 'signal' must be an AbortSignal"],
    [{ onOutput: 1 }, "Option 'onOutput' must be a function"],
    [{ tenant: null }, "Option 'tenant' must be a string"],
  ])('reject %j', async (options, message) => {
    const { manager } = open({ 'skills/tester/go.sh': 'echo ran' });
    await expect(manager.runScript('tester', 'go.sh', [], options)).rejects.toThrow(message);
  });

  it("resolve relative directories against the manager's, and report a missing one", async () => {
    const { manager, root } = open({ 'skills/tester/go.sh': 'pwd', 'work/': '' });
    expect(await manager.runScript('tester', 'go.sh', [], { cwd: 'work' })).toMatchObject({
      stdout: `${join(root, 'work')}\n`,
    });
    const result = await manager.runScript('tester', 'go.sh', [], { cwd: 'nowhere' });
    expect(result.error).toBe(
      `ExecutionFailed: The working directory ${join(root, 'nowhere')} does not exist, so nothing ran.`,
    );
  });

  it('accept streamed input, and stream all output', async () => {
    const { manager } = open({ 'skills/tester/go.sh': 'cat; printf "%0.s!" $(seq 1 500)' }, { maxOutput: 10 });
    async function* pieces(): AsyncGenerator<string> {
      yield 'one ';
      yield 'two ';
    }
    let seen = '';
    const result = await manager.runScript('tester', 'go.sh', [], {
      stdin: pieces(),
      onOutput: (_stream, chunk) => (seen += Buffer.from(chunk).toString()),
    });
    expect(result).toMatchObject({ success: true, truncated: { stdout: true } });
    expect(seen).toBe(`one two ${'!'.repeat(500)}`);
  });

  it('are validated in every part', async () => {
    expect(() => createJsonlRecorder('x.jsonl', { durabel: true } as never)).toThrow("Option 'durabel' is not known");
    expect(() => createHttpClient({ maxRedirects: 1 } as never)).toThrow("Option 'maxRedirects' is not known");
    const client = createHttpClient();
    await expect(client.request('http://example.com', { redirct: 'follow' } as never)).rejects.toThrow(
      "Option 'redirct' is not known",
    );
    await client.close();
    expect(() => open({}, { stagingDir: 5 as never })).toThrow("Option 'stagingDir' must be a path");
  });
});

describe('a missing script', () => {
  it('is reported with the existing scripts', async () => {
    const { manager } = open({ 'skills/tester/scripts/show.sh': 'echo' });
    expect((await manager.runScript('tester', 'show.sh')).error).toContain(
      "Did you mean 'scripts/show.sh'? Scripts: ['scripts/show.sh']",
    );
    expect((await open({}).manager.runScript('tester', 'x.sh')).error).toContain('The skill has no scripts.');
  });

  it('is distinguished from a file that nothing can run', async () => {
    const { manager } = open({ 'skills/tester/notes.lua': 'print(1)' });
    expect((await manager.runScript('tester', 'notes.lua')).error).toContain(
      "no interpreter is known for a '.lua' script",
    );
  });
});

describe('a tool', () => {
  const withTool = (script: string, code: string, parameters: object = {}): SkillManager =>
    open({
      'skills/tester/tools.json': JSON.stringify([{ name: 'probe', description: 'Probes.', script, parameters }]),
      [`skills/tester/${script}`]: code,
    }).manager;

  it('gets the defaults of missing arguments', async () => {
    const parameters = {
      style: { type: 'string', description: 'How.', optional: true, default: 'plain' },
      list: { type: 'array', description: 'What.', default: [1] },
    };
    const manager = withTool(
      't.mjs',
      'export default ({ style, list }) => { list.push(2); return { style, list }; };',
      parameters,
    );
    expect((await manager.callTool('probe')).value).toEqual({ style: 'plain', list: [1, 2] });
    expect((await manager.callTool('probe')).value).toEqual({ style: 'plain', list: [1, 2] });
    expect((await manager.callTool('probe', { style: 'bold', list: [] })).value).toEqual({ style: 'bold', list: [2] });
    await manager.close();
  });

  it('in Python without a handler gives an error that says so', async () => {
    const manager = withTool('t.py', 'def run(args):\n    return 1\n');
    expect((await manager.callTool('probe')).value).toMatchObject({
      error: expect.stringContaining('no function named handler') as string,
    });
    await manager.close();
  });

  it('has its own process if it needs variables', async () => {
    const { manager } = open(
      {
        'skills/tester/tools.json': JSON.stringify([{ name: 'probe', description: 'Probes.', script: 't.mjs' }]),
        'skills/tester/t.mjs': 'export default () => [process.env.MY_KEY?.length ?? 0, process.pid];',
      },
      { sandbox: 'inprocess', secrets: { tester: { MY_KEY: '0123456789' } } },
    );
    const { value } = await manager.callTool('probe');
    expect(value).toEqual([10, expect.not.objectContaining({ pid: process.pid })]);
    expect((value as number[])[1]).not.toBe(process.pid);
    await manager.close();
  });
});
