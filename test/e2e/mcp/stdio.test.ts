import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../packages/skillwright/src/spec/program.ts';
import { connectClient, ERAS, makeSkills, skillFiles, startClient, textOf, writeSkills } from './mcp-client.ts';

describe.each(ERAS)('the MCP server, in revision %s', (era) => {
  let client: Client;
  let cwd: string;

  beforeAll(async () => {
    cwd = writeSkills();
    ({ client } = await connectClient(['skills'], { cwd, era }));
    return async () => {
      await client.close();
      rmSync(cwd, { recursive: true });
    };
  });

  it('tells a client its name, and lists the skills in its instructions', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect(client.getServerVersion()).toMatchObject({ name: 'skillwright', version: VERSION });
    const instructions = client.getInstructions();
    expect(instructions).toContain('## Available Skills');
    expect(instructions).toContain('Does greet when asked for it.');
    expect(instructions).toContain('Does sums when asked for it.');
  });

  it('offers the tools that reach skills, and those of tools.json with their schemas', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'load_skill',
      'use_skill',
      'read_skill_file',
      'add',
      'count',
      'picture',
    ]);
    const [load, use, , add] = tools;
    expect(load?.description).toContain('Does greet when asked for it.');
    expect(load?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(use?.annotations).toBeUndefined();
    expect(add).toEqual({
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'First number' },
          b: { type: 'number', description: 'Second number' },
        },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    });
  });

  it('loads a skill in full every time, because a client may have forgotten it', async () => {
    const first = await client.callTool({ name: 'load_skill', arguments: { skill: 'greet' } });
    expect(textOf(first)).toContain('Do greet.');
    expect(textOf(first)).toContain('- scripts/hello.mjs');
    expect(first.structuredContent).toBeUndefined();
    expect(textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'greet' } }))).toBe(textOf(first));
  });

  it('runs scripts in the directory of their skill', async () => {
    const call = { skill: 'greet', script: 'scripts/hello.mjs', args: ['Ada'] };
    const result = await client.callTool({ name: 'use_skill', arguments: call });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      success: true,
      stdout: `hello Ada\nin ${join(cwd, 'skills/greet')}\n`,
      exitCode: 0,
    });
  });

  it('runs scripts in the working directory if they have access to it', async () => {
    const started = await startClient(['skills', '--workspace', 'read'], { cwd, era });
    const call = { skill: 'greet', script: 'scripts/hello.mjs', args: ['Ada'] };
    expect(textOf(await started.client.callTool({ name: 'use_skill', arguments: call }))).toContain(`in ${cwd}`);
  });

  it('reads lines of a file', async () => {
    const call = { skill: 'greet', path: 'notes.md', startLine: 2, endLine: 2 };
    expect(textOf(await client.callTool({ name: 'read_skill_file', arguments: call }))).toContain('two');
  });

  it('returns what a tool returns, as text and as structured content', async () => {
    const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
    expect(sum).toMatchObject({ content: [{ type: 'text', text: '{"sum":5}' }], structuredContent: { sum: 5 } });
    const picture = await client.callTool({ name: 'picture' });
    expect(picture.content).toEqual([{ type: 'image', mimeType: 'image/png', data: 'aGk=' }]);
    expect(picture.structuredContent).toBeUndefined();
    // Until 2026-07-28, structured content must be an object.
    const counted = await client.callTool({ name: 'count' });
    expect(counted.structuredContent).toEqual(era === '2026-07-28' ? [1, 2, 3] : { result: [1, 2, 3] });
  });

  it('tells the model what is wrong with its arguments', async () => {
    const wrong = await client.callTool({ name: 'add', arguments: { a: 2 } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain('InvalidArguments');
    const unknown = await client.callTool({ name: 'load_skill', arguments: { skill: 'great' } });
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown)).toContain("Did you mean 'greet'?");
    await expect(client.callTool({ name: 'subtract', arguments: {} })).rejects.toThrow("Unknown tool 'subtract'");
  });

  it('offers a search when its list of skills is cut', async () => {
    const cut = await startClient(['skills', '--budget', '1'], { cwd, era });
    expect(cut.client.getInstructions()).toContain('search_skills');
    const { tools } = await cut.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('search_skills');
    const found = await cut.client.callTool({ name: 'search_skills', arguments: { query: 'greet somebody' } });
    expect(textOf(found)).toContain('Does greet when asked for it.');
  });

  it('lets use_skill call tools that it does not offer because there are too many', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `tool_${String(index).padStart(3, '0')}`);
    const manifest = names.map((name) => ({ name, description: 'Says it.', script: 'say.mjs' }));
    const many = skillFiles('many', { 'tools.json': JSON.stringify(manifest), 'say.mjs': 'export default () => [7];' });
    const started = await startClient(['skills'], { cwd: makeSkills(many), era });
    const { tools } = await started.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('tool_100');
    expect(tools.find(({ name }) => name === 'use_skill')).not.toHaveProperty('outputSchema');
    const call = { skill: 'many', tool: 'tool_100', arguments: '{}' };
    const result = await started.client.callTool({ name: 'use_skill', arguments: call });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '[7]' }] });
  });

  it('serves no tools if there are no skills', async () => {
    const empty = await startClient([import.meta.dirname], { cwd, era });
    expect((await empty.client.listTools()).tools).toEqual([]);
    expect(empty.client.getInstructions()).toBeUndefined();
    expect(empty.stderr()).toBe('');
  });

  it('says so when a skill cannot run on this host', async () => {
    const missing = { ...skillFiles('absent', { 'run.sh': 'echo hi\n' }, { requires: '{ bins: [not-a-program] }' }) };
    const started = await startClient(['skills'], { cwd: makeSkills(missing), era });
    const loaded = await started.client.callTool({ name: 'load_skill', arguments: { skill: 'absent' } });
    expect(textOf(loaded)).toContain('cannot run here');
    expect(textOf(loaded)).toContain('Do not imitate them with other tools or services');
  });
});

describe('trust', () => {
  it('is given to directories that are named, and to no others', async () => {
    const script =
      "import { readFileSync, rmSync } from 'node:fs';\nconsole.log(readFileSync(process.argv[2], 'utf8'));\n";
    const cwd = makeSkills({ ...skillFiles('reader', { 'read.mjs': script }), 'private.txt': 'secret text' });
    const call = { skill: 'reader', script: 'read.mjs', args: [join(cwd, 'private.txt')] };
    expect(readFileSync(join(cwd, 'private.txt'), 'utf8')).toBe('secret text');
    const named = await startClient(['./skills'], { cwd });
    expect(textOf(await named.client.callTool({ name: 'use_skill', arguments: call }))).toContain('secret text');
    const found = await startClient([], { cwd });
    const refused = await found.client.callTool({ name: 'use_skill', arguments: call });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).not.toContain('secret text');
  });
});
