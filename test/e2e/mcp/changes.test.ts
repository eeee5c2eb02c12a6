import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERAS, makeSkills, skillFiles, startClient, textOf } from './mcp-client.ts';

function write(cwd: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
}

describe.each(ERAS)('a client in revision %s', (era) => {
  it('is told when the skills change, and gets the new ones', async () => {
    const cwd = makeSkills();
    const told = { tools: 0, prompts: 0 };
    const listChanged = {
      tools: { autoRefresh: false, onChanged: () => void (told.tools += 1) },
      prompts: { autoRefresh: false, onChanged: () => void (told.prompts += 1) },
    };
    const { client } = await startClient(['skills'], { cwd, era, options: { listChanged } });
    expect((await client.listPrompts()).prompts).toHaveLength(2);
    write(cwd, skillFiles('later'));
    await expect.poll(() => told.tools).toBeGreaterThan(0);
    await expect.poll(() => told.prompts).toBeGreaterThan(0);
    const prompts = await client.listPrompts(undefined, { cacheMode: 'refresh' });
    expect(prompts.prompts.map(({ name }) => name)).toContain('later');
    expect(textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'later' } }))).toContain('Do later.');
    rmSync(join(cwd, 'skills/sums'), { recursive: true });
    await expect
      .poll(async () => (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name))
      .not.toContain('add');
    await expect(client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).rejects.toThrow("Unknown tool 'add'");
  });
});

describe.each(ERAS)('a tool for each skill, in revision %s', (era) => {
  it('loads the skill, and has its name and description', async () => {
    const cwd = makeSkills(skillFiles('add', {}, { description: 'Has the name of a tool.' }));
    const { client } = await startClient(['skills', '--tool-per-skill'], { cwd, era });
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name === 'add')).toHaveLength(1);
    expect(tools.find(({ name }) => name === 'load_skill')?.description).not.toContain('Does greet');
    expect(tools.find(({ name }) => name === 'greet')).toMatchObject({
      description: 'Does greet when asked for it.',
      inputSchema: { type: 'object', properties: { input: { type: 'string' } } },
    });
    const loaded = textOf(await client.callTool({ name: 'greet', arguments: { input: 'Ada' } }));
    expect(loaded).toMatch(/Do greet\.\s+ARGUMENTS: Ada/);
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))).toBe('{"sum":3}');
  });
});
